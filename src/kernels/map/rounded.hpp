// Correctly rounded f32 functions in f64 lanes: the rounding test and the loop around it. For one instruction
// set at a time, as simd.hpp.
#if defined(TOPOS_KERNELS_MAP_ROUNDED_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef TOPOS_KERNELS_MAP_ROUNDED_HPP
#undef TOPOS_KERNELS_MAP_ROUNDED_HPP
#else
#define TOPOS_KERNELS_MAP_ROUNDED_HPP
#endif

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "kernels/simd.hpp"

// Whether f32 lanes come in halves that f64 lanes can hold; without, the scalar functions do.
#undef TOPOS_KERNELS_HALVES
#define TOPOS_KERNELS_HALVES !(HWY_TARGET == HWY_SCALAR || HWY_TARGET == HWY_EMU128)

HWY_BEFORE_NAMESPACE();
namespace topos::kernels::HWY_NAMESPACE {

#if !TOPOS_KERNELS_HALVES

/// out[i] = Function::exact(x[i], ...).
template <class Function, class... X>
void round_correctly(float* out, std::size_t count, const X*... x) {
  for (std::size_t i = 0; i < count; ++i) out[i] = Function::exact(x[i]...);
}

#else

using Single = hn::ScalableTag<float>;
using HalfSingle = hn::Half<Single>;
using Double = hn::Rebind<double, HalfSingle>;
using SingleBits = hn::RebindToUnsigned<Single>;
using DoubleBits = hn::RebindToUnsigned<Double>;
using FloatLanes = hn::Vec<Single>;
using DoubleLanes = hn::Vec<Double>;
using FloatMask = hn::Mask<Single>;

HWY_INLINE FloatLanes constant(float value) { return hn::Set(Single(), value); }
HWY_INLINE DoubleLanes constant(double value) { return hn::Set(Double(), value); }

/// The lanes of one vector of f32 as f64.
struct Halves {
  DoubleLanes low, high;
};

HWY_INLINE Halves promote(const float* x) {
  const HalfSingle half;
  return {hn::PromoteTo(Double(), hn::LoadU(half, x)),
          hn::PromoteTo(Double(), hn::LoadU(half, x + hn::Lanes(half)))};
}
HWY_INLINE Halves promote(FloatLanes x) {
  const HalfSingle half;
  return {hn::PromoteTo(Double(), hn::LowerHalf(half, x)), hn::PromoteTo(Double(), hn::UpperHalf(half, x))};
}

/// c[0] + c[1] x + c[2] x^2 + ..., by Horner's rule.
template <std::size_t Size>
HWY_INLINE DoubleLanes polynomial(const double (&c)[Size], DoubleLanes x) {
  DoubleLanes sum = constant(c[Size - 1]);
  for (std::size_t n = Size - 1; n-- > 0;) sum = hn::MulAdd(sum, x, constant(c[n]));
  return sum;
}

/// One vector of results, and the lanes that only the scalar function can round for certain.
struct Rounded {
  FloatLanes value;
  FloatMask doubtful;
};

/// Rounds y, whose relative error is below 2^-42. Of the 29 bits that f64 has more than f32, 2^28 is the tie:
/// lanes within 2^11 of it are doubtful, the others round as the exact value does if the result is normal.
HWY_INLINE Rounded round(const Halves& y) {
  constexpr std::uint32_t tie = 1u << 28, reach = 1u << 11;
  const Single d;
  const SingleBits bits;
  const HalfSingle half;
  const auto last = hn::ConcatEven(bits, hn::BitCast(bits, y.high), hn::BitCast(bits, y.low));
  const auto distance = hn::Add(last, hn::Set(bits, reach - tie));
  const auto near_tie =
      hn::Eq(hn::And(distance, hn::Set(bits, (2 * tie - 1) & ~(2 * reach - 1))), hn::Zero(bits));
  return {hn::Combine(d, hn::DemoteTo(half, y.high), hn::DemoteTo(half, y.low)), hn::RebindMask(d, near_tie)};
}

/// Settles the doubtful lanes one by one; before that Function::saturate, where there is one, those whose
/// result is constant.
template <class Function, class... X>
HWY_NOINLINE FloatLanes repair(Rounded y, const X*... x) {
  const Single d;
  if constexpr (requires { Function::saturate(y, x...); }) Function::saturate(y, x...);
  std::uint8_t bytes[8] = {};  // what StoreMaskBits may write
  hn::StoreMaskBits(d, y.doubtful, bytes);
  std::uint64_t doubtful = 0;
  std::memcpy(&doubtful, bytes, sizeof doubtful);
  HWY_ALIGN float results[HWY_MAX_BYTES / sizeof(float)];
  hn::Store(y.value, d, results);
  for (; doubtful != 0; doubtful &= doubtful - 1) {
    const int lane = std::countr_zero(doubtful);
    results[lane] = Function::exact(x[lane]...);
  }
  return hn::Load(d, results);
}

template <class Function, class... X>
HWY_INLINE FloatLanes settled(const Rounded& y, const X*... x) {
  if (HWY_LIKELY(hn::AllFalse(Single(), y.doubtful))) return y.value;
  return repair<Function>(y, x...);
}

/// out[i] = the float nearest to the function of x[i], ...; `out` may be an operand. Function::evaluate gives
/// the Rounded vector of the operands at its pointers, Function::exact is the scalar function.
template <class Function, class... X>
HWY_INLINE void round_correctly(float* out, std::size_t count, const X*... x) {
  const Single d;
  const std::size_t lanes = hn::Lanes(d);
  std::size_t i = 0;
  for (; i + 2 * lanes <= count; i += 2 * lanes) {  // two at a time: their chains overlap
    const Rounded first = Function::evaluate(x + i...);
    const Rounded second = Function::evaluate(x + i + lanes...);
    const FloatLanes first_settled = settled<Function>(first, x + i...);
    const FloatLanes second_settled = settled<Function>(second, x + i + lanes...);
    hn::StoreU(first_settled, d, out + i);
    hn::StoreU(second_settled, d, out + i + lanes);
  }
  if (count - i < 4) {  // a padded vector would take longer
    for (; i < count; ++i) out[i] = Function::exact(x[i]...);
  }
  for (std::size_t length; i < count; i += length) {
    length = std::min(count - i, lanes);
    HWY_ALIGN float padded[sizeof...(X)][HWY_MAX_BYTES / sizeof(float)];
    const auto pad = [&](float* to, const float* from) HWY_ATTR {
      hn::Store(constant(1.0f), d, to);
      std::memcpy(to, from + i, length * sizeof(float));
      return static_cast<const float*>(to);
    };
    std::size_t operand = 0;
    const FloatLanes result = [&](const auto*... rest) HWY_ATTR {
      return settled<Function>(Function::evaluate(rest...), rest...);
    }(pad(padded[operand++], x)...);
    HWY_ALIGN float results[HWY_MAX_BYTES / sizeof(float)];
    hn::Store(result, d, results);
    std::memcpy(out + i, results, length * sizeof(float));
  }
}

#endif

}  // namespace topos::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
