#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/window/window_kernels.cpp"
#include <hwy/foreach_target.h>
// clang-format off: the loop over the targets comes first
#include <algorithm>

#include "kernels/map/selection.hpp"
#include "kernels/reduce/partial_vector.hpp"
#include "kernels/window/window_kernels.hpp"
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace topos::kernels::HWY_NAMESPACE {

template <class F>
void maximum_row(const F* x, const WindowShape& shape, F* out) {
  const Extent channels = shape.channels;
  const Extent row = shape.columns.extent * channels;
  for (Extent w = 0; w < shape.columns.count; ++w) {
    const F* const window = x + w * shape.columns.stride * channels;
    for_vectors(Whole<F>(), channels, [&](Extent i, auto lanes) HWY_ATTR {
      auto most = lanes.load(window + i);
      for (Extent h = 0; h < shape.rows.size; ++h) {
        for (Extent k = h == 0 ? 1 : 0; k < shape.columns.size; ++k) {
          most = maximum(most, lanes.load(window + h * row + k * channels + i));
        }
      }
      lanes.store(most, out + w * channels + i);
    });
  }
}

template <class F>
void maximum_gradient_row(const F* x, const F* cotangent, const WindowShape& shape, F* out) {
  const Whole<F> d;
  const Extent channels = shape.channels;
  const Extent row = shape.columns.extent * channels;
  const Extent area = shape.area();
  Extent offset[most_window_area];
  for (Extent k = 0; k < area; ++k) {
    offset[k] = k / shape.columns.size * row + k % shape.columns.size * channels;
  }
  const auto zero = hn::Zero(d);
  const auto one = hn::Set(d, F{1});
  for (Extent w = 0; w < shape.columns.count; ++w) {
    const Extent window = w * shape.columns.size * channels;
    for_vectors(d, channels, [&](Extent i, auto lanes) HWY_ATTR {
      const F* const from = x + window + i;
      F* const to = out + window + i;
      hn::Vec<Whole<F>> largest[most_window_area];  // of elements 0 ... k
      largest[0] = lanes.load(from);
      for (Extent k = 1; k < area; ++k) largest[k] = maximum(largest[k - 1], lanes.load(from + offset[k]));
      auto rest = lanes.load(cotangent + w * channels + i);
      for (Extent k = area - 1; k > 0; --k) {
        const auto earlier = step(d, largest[k - 1], lanes.load(from + offset[k]));
        lanes.store(hn::Add(zero, hn::Mul(rest, hn::Sub(one, earlier))), to + offset[k]);
        rest = hn::Add(zero, hn::Mul(rest, earlier));
      }
      lanes.store(rest, to);
    });
  }
}

template <class F>
void fold_rows(const F* patches, const WindowShape& shape, Extent first, Extent count, F* out) {
  const Whole<F> d;
  const WindowLine& columns = shape.columns;
  const Extent channels = shape.channels;
  const Extent patch = shape.area() * channels;
  const Extent span = columns.dilation * (columns.size - 1);
  for (Extent r = 0; r < count; ++r, patches += columns.count * patch) {
    for (Extent h = 0; h < shape.rows.size; ++h) {
      const Extent row = (first + r) * shape.rows.stride + h * shape.rows.dilation;
      F* const to = out + row * columns.extent * channels;
      const F* const from = patches + h * columns.size * channels;
      for (Extent p = 0; p < columns.extent; ++p) {
        const Extent begin = p <= span ? 0 : (p - span - 1) / columns.stride + 1;
        const Extent end = std::min(p / columns.stride, columns.count - 1);
        for_vectors(d, channels, [&](Extent i, auto lanes) HWY_ATTR {
          auto sum = hn::Zero(d);
          for (Extent w = begin; w <= end; ++w) {
            Extent k = p - w * columns.stride;
            if (columns.dilation > 1) {
              if (k % columns.dilation != 0) continue;
              k /= columns.dilation;
            }
            sum = hn::Add(sum, lanes.load(from + w * patch + k * channels + i));
          }
          F* const at = to + p * channels + i;
          lanes.store(hn::Add(lanes.load(at), sum), at);
        });
      }
    }
  }
}

template <class F>
inline constexpr WindowKernels<F> kernels_of_windows{&maximum_row<F>, &maximum_gradient_row<F>,
                                                     &fold_rows<F>};
const WindowKernels<float>* float_windows() { return &kernels_of_windows<float>; }
const WindowKernels<double>* double_windows() { return &kernels_of_windows<double>; }

}  // namespace topos::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace topos::kernels {

HWY_EXPORT(float_windows);
HWY_EXPORT(double_windows);

template <>
const WindowKernels<float>& window_kernels<float>() {
  return *HWY_DYNAMIC_DISPATCH(float_windows)();
}
template <>
const WindowKernels<double>& window_kernels<double>() {
  return *HWY_DYNAMIC_DISPATCH(double_windows)();
}

}  // namespace topos::kernels
#endif
