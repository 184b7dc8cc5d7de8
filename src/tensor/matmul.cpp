#include "topos/tensor/reference/matmul.hpp"

namespace topos::reference {
namespace {

template <class F>
[[gnu::always_inline]] inline void loop(F scale, const F* row, F* accumulator, Extent count) {
  for (Extent j = 0; j < count; ++j) accumulator[j] = std::fma(scale, row[j], accumulator[j]);
}

#if defined(__x86_64__)
__attribute__((target("avx2,fma"))) void loop_fma(float scale, const float* row, float* accumulator,
                                                  Extent count) {
  loop(scale, row, accumulator, count);
}
__attribute__((target("avx2,fma"))) void loop_fma(double scale, const double* row, double* accumulator,
                                                  Extent count) {
  loop(scale, row, accumulator, count);
}
const bool has_fma = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
#endif

template <class F>
void dispatch(F scale, const F* row, F* accumulator, Extent count) {
#if defined(__x86_64__)
  if (has_fma) return loop_fma(scale, row, accumulator, count);
#endif
  loop(scale, row, accumulator, count);
}

}  // namespace

template <>
void accumulate_scaled_row(float scale, const float* row, float* accumulator, Extent count) {
  dispatch(scale, row, accumulator, count);
}
template <>
void accumulate_scaled_row(double scale, const double* row, double* accumulator, Extent count) {
  dispatch(scale, row, accumulator, count);
}

}  // namespace topos::reference
