// The functions that are one IEEE 754 operation or a selection, f32 and f64.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/map/arithmetic.cpp"
#include <hwy/foreach_target.h>

#include "kernels/map/families.hpp"
#include "kernels/map/selection.hpp"
#include "kernels/quotient.hpp"

HWY_BEFORE_NAMESPACE();
namespace topos::kernels::HWY_NAMESPACE {

/// out[i] = operation(tag, x[i], ...), with full vectors and then lane by lane.
template <class F, class Operation, class... X>
HWY_INLINE void apply(const Operation& operation, F* out, std::size_t count, const X*... x) {
  const hn::ScalableTag<F> d;
  const hn::CappedTag<F, 1> one;
  const std::size_t lanes = hn::Lanes(d);
  std::size_t i = 0;
  for (; i + lanes <= count; i += lanes) hn::StoreU(operation(d, hn::LoadU(d, x + i)...), d, out + i);
  for (; i < count; ++i) hn::StoreU(operation(one, hn::LoadU(one, x + i)...), one, out + i);
}

template <class F>
void unary(UnaryMap function, const F* x, F* out, std::size_t count) {
  switch (function) {
    case UnaryMap::negate:
      return apply([](auto, auto a) HWY_ATTR { return hn::Neg(a); }, out, count, x);
    case UnaryMap::sqrt:
      return apply([](auto, auto a) HWY_ATTR { return hn::Sqrt(a); }, out, count, x);
    default:
      return;
  }
}

template <class F>
void binary(BinaryMap function, const F* x, const F* y, F* out, std::size_t count) {
  switch (function) {
    case BinaryMap::add:
      return apply([](auto, auto a, auto b) HWY_ATTR { return hn::Add(a, b); }, out, count, x, y);
    case BinaryMap::subtract:
      return apply([](auto, auto a, auto b) HWY_ATTR { return hn::Sub(a, b); }, out, count, x, y);
    case BinaryMap::multiply:
      return apply([](auto, auto a, auto b) HWY_ATTR { return hn::Mul(a, b); }, out, count, x, y);
    case BinaryMap::divide:
      return apply([](auto, auto a, auto b) HWY_ATTR { return hn::Div(a, b); }, out, count, x, y);
    case BinaryMap::maximum:
      return apply([](auto, auto a, auto b) HWY_ATTR { return maximum(a, b); }, out, count, x, y);
    case BinaryMap::step:
      return apply([](auto d, auto a, auto b) HWY_ATTR { return step(d, a, b); }, out, count, x, y);
    default:
      return;
  }
}

void divide_f32(const float* x, const float* y, const float* r, float* out, std::size_t n) {
  apply([](auto d, auto a, auto b, auto c) HWY_ATTR { return quotient(d, a, b, c); }, out, n, x, y, r);
}
void unary_f32(UnaryMap f, const float* x, float* out, std::size_t n) { unary(f, x, out, n); }
void unary_f64(UnaryMap f, const double* x, double* out, std::size_t n) { unary(f, x, out, n); }
void binary_f32(BinaryMap f, const float* x, const float* y, float* out, std::size_t n) {
  binary(f, x, y, out, n);
}
void binary_f64(BinaryMap f, const double* x, const double* y, double* out, std::size_t n) {
  binary(f, x, y, out, n);
}

}  // namespace topos::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace topos::kernels {

HWY_EXPORT(divide_f32);
HWY_EXPORT(unary_f32);
HWY_EXPORT(unary_f64);
HWY_EXPORT(binary_f32);
HWY_EXPORT(binary_f64);

template <>
void divide(const float* x, const float* y, const float* reciprocals_of_y, float* out, std::size_t count) {
  HWY_DYNAMIC_DISPATCH(divide_f32)(x, y, reciprocals_of_y, out, count);
}
template <>
void divide(const double* x, const double* y, const double*, double* out, std::size_t count) {
  arithmetic(BinaryMap::divide, x, y, out, count);
}
void arithmetic(UnaryMap function, const float* x, float* out, std::size_t count) {
  HWY_DYNAMIC_DISPATCH(unary_f32)(function, x, out, count);
}
void arithmetic(UnaryMap function, const double* x, double* out, std::size_t count) {
  HWY_DYNAMIC_DISPATCH(unary_f64)(function, x, out, count);
}
void arithmetic(BinaryMap function, const float* x, const float* y, float* out, std::size_t count) {
  HWY_DYNAMIC_DISPATCH(binary_f32)(function, x, y, out, count);
}
void arithmetic(BinaryMap function, const double* x, const double* y, double* out, std::size_t count) {
  HWY_DYNAMIC_DISPATCH(binary_f64)(function, x, y, out, count);
}

}  // namespace topos::kernels
#endif
