// sin and cos.
#include "rounding.hpp"
#include "topos/element/math.hpp"

namespace topos::math {
namespace {

using detail::DoubleDouble;
using detail::Series;

__extension__ using Wide = unsigned __int128;

// Constants: mpmath 1.3 at 1500 bits. 2/pi = 0.a2f9..., most significant word first, after one word of zeros.
constexpr std::uint64_t two_over_pi[] = {
    0,
    0xa2f9836e4e441529,
    0xfc2757d1f534ddc0,
    0xdb6295993c439041,
    0xfe5163abdebbc561,
    0xb7246e3a424dd2e0,
    0x06492eea09d1921c,
    0xfe1deb1cb129a73e,
    0xe88235f52ebb4484,
    0xe99c7026b45f7e41,
    0x3991d639835339f4,
    0x9c845f8bbdf9283b,
    0x1ff897ffde05980f,
    0xef2f118b5a0a6d1f,
    0x6d367ecf27cb09b7,
    0x4f463f669e5fea2d,
    0x7527bac7ebe5f17b,
    0x3d0739f78a5292ea,
    0x6bfb5fb11f8d5d08,
    0x56033046fc7b6bab,
    0xf0cfbc209af4361d,
    0xa9e391615ee61b08,
};
constexpr DoubleDouble half_pi = {0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54};

/// sin(r) / r in r^2; for |r| <= pi/4 the first omitted term is below 2^-112.
constexpr Series<9, 8, 14> sine_series = {{
    {1.0, 0.0},
    {-0x1.5555555555555p-3, -0x1.5555555555555p-57},
    {0x1.1111111111111p-7, 0x1.1111111111111p-63},
    {-0x1.a01a01a01a01ap-13, -0x1.a01a01a01a01ap-73},
    {0x1.71de3a556c734p-19, -0x1.c154f8ddc6cp-73},
    {-0x1.ae64567f544e4p-26, 0x1.c062e06d1f209p-80},
    {0x1.6124613a86d09p-33, 0x1.f28e0cc748ebep-87},
    {-0x1.ae7f3e733b81fp-41, -0x1.1d8656b0ee8cbp-97},
    {0x1.952c77030ad4ap-49, 0x1.ac981465ddc6cp-103},
    {-0x1.2f49b46814157p-57, -0x1.2650f61dbdcb4p-112},
    {0x1.71b8ef6dcf572p-66, -0x1.d043ae40c4647p-120},
    {-0x1.761b41316381ap-75, 0x1.3423c7d91404fp-130},
    {0x1.3f3ccdd165fa9p-84, -0x1.58ddadf344487p-139},
    {-0x1.d1ab1c2dccea3p-94, -0x1.054d0c78aea14p-149},
}};

/// cos(r) in r^2; the first omitted term is below 2^-107.
constexpr Series<9, 9, 15> cosine_series = {{
    {1.0, 0.0},
    {-0x1p-1, 0.0},
    {0x1.5555555555555p-5, 0x1.5555555555555p-59},
    {-0x1.6c16c16c16c17p-10, 0x1.f49f49f49f49fp-65},
    {0x1.a01a01a01a01ap-16, 0x1.a01a01a01a01ap-76},
    {-0x1.27e4fb7789f5cp-22, -0x1.cbbc05b4fa99ap-76},
    {0x1.1eed8eff8d898p-29, -0x1.2aec959e14c06p-83},
    {-0x1.93974a8c07c9dp-37, -0x1.05d6f8a2efd1fp-92},
    {0x1.ae7f3e733b81fp-45, 0x1.1d8656b0ee8cbp-101},
    {-0x1.6827863b97d97p-53, -0x1.eec01221a8b0bp-107},
    {0x1.e542ba4020225p-62, 0x1.ea72b4afe3c2fp-120},
    {-0x1.0ce396db7f853p-70, 0x1.aebcdbd20331cp-124},
    {0x1.f2cf01972f578p-80, -0x1.9ada5fcc1ab14p-135},
    {-0x1.88e85fc6a4e5ap-89, 0x1.71c37ebd1654p-143},
    {0x1.0a18a2635085dp-98, 0x1.b9e2e28e1aa54p-153},
}};

/// x = quadrant * pi/2 + remainder modulo 2 pi, |remainder| <= pi/4.
template <class Number>
struct Angle {
  unsigned quadrant;
  Number remainder;
};

/// Exact reduction of a finite x >= 0 after M. Payne, R. Hanek, "Radian reduction for trigonometric
/// functions", SIGNUM Newsletter 18, 1983. With x = M 2^e, only 256 bits of 2/pi matter for x * 2/pi modulo
/// 4: those before contribute multiples of 4, those after less than 2^-200, and no double lies closer than
/// 2^-62 to a multiple of pi/2, so that at least 138 bits of the fraction are right.
template <class Number>
TOPOS_INLINED inline Angle<Number> reduce(double x) {
  if (x < 0.785) return {0, detail::to<Number>({x, 0})};
  const std::uint64_t bits = std::bit_cast<std::uint64_t>(x);
  const std::uint64_t significand = (bits & 0xfffffffffffff) | (std::uint64_t{1} << 52);
  const int exponent = static_cast<int>(bits >> 52) - 1075;
  // The window begins at the bit that weighs 2 once multiplied by 2^exponent.
  const unsigned start = static_cast<unsigned>(exponent - 2 + 64);
  const std::uint64_t* word = two_over_pi + start / 64;
  const unsigned shift = start % 64;
  std::uint64_t fraction[4];
  std::uint64_t carry = 0;
  for (int i = 3; i >= 0; --i) {
    const Wide pair = static_cast<Wide>(word[i]) << 64 | word[i + 1];
    const Wide sum =
        static_cast<Wide>(significand) * static_cast<std::uint64_t>(pair >> (64 - shift)) + carry;
    fraction[i] = static_cast<std::uint64_t>(sum);
    carry = static_cast<std::uint64_t>(sum >> 64);
  }
  // Two integer bits, then the fraction; from 1/2 on it counts down from the next quadrant.
  const bool negative = fraction[0] >> 61 & 1;
  const unsigned quadrant = (static_cast<unsigned>(fraction[0] >> 62) + negative) & 3;
  fraction[0] &= ~std::uint64_t{0} >> 2;
  if (negative) {  // 1 - fraction, short of one unit of the last bit
    for (auto& limb : fraction) limb = ~limb;
    fraction[0] &= ~std::uint64_t{0} >> 2;
  }
  // The leading zeros, the integer bits among them, are at most 64: three limbs hold all that follows.
  const unsigned zeros = static_cast<unsigned>(fraction[0] == 0 ? 64 + std::countl_zero(fraction[1])
                                                                : std::countl_zero(fraction[0]));
  const std::uint64_t* limb = fraction + zeros / 64;
  const unsigned left = zeros % 64;
  const std::uint64_t top =
      static_cast<std::uint64_t>((static_cast<Wide>(limb[0]) << 64 | limb[1]) >> (64 - left));
  const std::uint64_t next =
      static_cast<std::uint64_t>((static_cast<Wide>(limb[1]) << 64 | limb[2]) >> (64 - left));
  // 53 bits, then the 64 bits after them.
  const double head = static_cast<double>(top >> 11) * 0x1p-51;
  const double rest = static_cast<double>(top << 53 | next >> 11) * 0x1p-115;
  const DoubleDouble turn = detail::fast_two_sum(head, rest);
  const double scale = detail::power_of_two(-static_cast<int>(zeros)) * (negative ? -1.0 : 1.0);
  return {quadrant, detail::to<Number>(half_pi) * (detail::to<Number>(turn) * scale)};
}

/// sin(x + quarter * pi/2) for x >= 0.
template <class Number>
TOPOS_INLINED inline Number sine_kernel(double x, unsigned quarter) {
  const Angle<Number> angle = reduce<Number>(x);
  const unsigned quadrant = angle.quadrant + quarter;
  const Number square = angle.remainder * angle.remainder;
  const Number value = quadrant & 1 ? cosine_series(square) : angle.remainder * sine_series(square);
  return quadrant & 2 ? -value : value;
}

}  // namespace

float sin(float x) {
  if (x == 0) return x;
  if (!std::isfinite(x)) return x - x;
  const double magnitude = std::fabs(x);
  const float result =
      detail::round_or(sine_kernel<double>(magnitude, 0), detail::quick_margin,
                       [=]() TOPOS_INLINED { return sine_kernel<DoubleDouble>(magnitude, 0); });
  return std::signbit(x) ? -result : result;
}

double sin(double x) {
  const double magnitude = std::fabs(x);
  if (magnitude < 0x1p-26) return x;  // x - x^3/6 rounds to x
  if (!std::isfinite(x)) return x - x;
  const double result =
      detail::with_fma([=]() TOPOS_INLINED { return sine_kernel<DoubleDouble>(magnitude, 0).hi; });
  return std::signbit(x) ? -result : result;
}

float cos(float x) {
  if (!std::isfinite(x)) return x - x;
  const double magnitude = std::fabs(x);
  return detail::round_or(sine_kernel<double>(magnitude, 1), detail::quick_margin,
                          [=]() TOPOS_INLINED { return sine_kernel<DoubleDouble>(magnitude, 1); });
}

double cos(double x) {
  const double magnitude = std::fabs(x);
  if (magnitude < 0x1p-27) return 1.0;  // 1 - x^2/2 rounds to 1
  if (!std::isfinite(x)) return x - x;
  return detail::with_fma([=]() TOPOS_INLINED { return sine_kernel<DoubleDouble>(magnitude, 1).hi; });
}

}  // namespace topos::math
