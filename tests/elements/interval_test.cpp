// Two more elements that the library has never seen, from public headers: an interval, which encloses the
// exact value of everything recorded, and long double, which is nearly that value.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "elements/reinterpret.hpp"
#include "support/random_graph.hpp"

namespace topos::testing {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// Every number from `low` to `high`. Ends are moved outwards by more than they can be off.
struct Interval {
  double low = 0.0;
  double high = 0.0;

  Interval() = default;
  explicit Interval(double point) : low(point), high(point) {}
  static Interval all() { return hull(-infinity, infinity, 0); }
  /// From `low` to `high`, widened by `units` in the last place; everything if they are no numbers.
  static Interval hull(double low, double high, int units) {
    if (std::isnan(low) || std::isnan(high)) return all();
    for (int i = 0; i < units; ++i) {
      low = std::nextafter(low, -infinity);
      high = std::nextafter(high, infinity);
    }
    Interval result;
    result.low = low;
    result.high = high;
    return result;
  }
  /// From the least to the largest of the corners of a and b under `function`.
  template <class Function>
  static Interval corners(const Interval& a, const Interval& b, int units, Function function) {
    const auto [least, most] = std::minmax(
        {function(a.low, b.low), function(a.low, b.high), function(a.high, b.low), function(a.high, b.high)});
    return hull(least, most, units);
  }

  bool contains(long double x) const { return low <= x && x <= high; }

  friend Interval operator+(const Interval& a, const Interval& b) {
    return hull(a.low + b.low, a.high + b.high, 1);
  }
  friend Interval operator-(const Interval& a, const Interval& b) {
    return hull(a.low - b.high, a.high - b.low, 1);
  }
  friend Interval operator*(const Interval& a, const Interval& b) {
    return corners(a, b, 1, [](double x, double y) { return x * y; });
  }
  friend Interval operator/(const Interval& a, const Interval& b) {
    if (b.contains(0)) return all();
    return corners(a, b, 1, [](double x, double y) { return x / y; });
  }
  friend Interval operator-(const Interval& a) { return hull(-a.high, -a.low, 0); }
  friend bool operator==(const Interval& a, const Interval& b) { return a.low == b.low && a.high == b.high; }
};

}  // namespace
}  // namespace topos::testing

template <>
struct topos::ElementTraits<topos::testing::Interval> {
  using Interval = topos::testing::Interval;
  using F64 = topos::ElementTraits<double>;
  // Our functions are within 0.500001 units: two contain that twice.
  template <class Function>
  static Interval increasing(Function function, const Interval& x) {
    return Interval::hull(function(x.low), function(x.high), 2);
  }
  // Neither sine nor cosine is steeper than 1.
  template <class Function>
  static Interval wave(Function function, const Interval& x) {
    const double middle = x.low + (x.high - x.low) / 2;
    const Interval at = Interval::hull(function(middle), function(middle), 2);
    const Interval radius = Interval::hull(0, std::max(x.high - middle, middle - x.low), 2);
    const Interval result = at + Interval::hull(-radius.high, radius.high, 0);
    return Interval::hull(std::max(result.low, -1.0), std::min(result.high, 1.0), 0);
  }

  static Interval from_double(double x) { return Interval(x); }
  static Interval lowest_finite() { return Interval(F64::lowest_finite()); }
  static Interval negative_infinity() { return Interval(F64::negative_infinity()); }
  static bool is_finite(const Interval& x) { return F64::is_finite(x.low) && F64::is_finite(x.high); }
  static Interval fused_multiply_add(const Interval& a, const Interval& b, const Interval& c) {
    return a * b + c;
  }
  static Interval sqrt(const Interval& x) { return increasing(F64::sqrt, x); }
  static Interval exp(const Interval& x) { return increasing(F64::exp, x); }
  static Interval log(const Interval& x) { return increasing(F64::log, x); }
  static Interval tanh(const Interval& x) { return increasing(F64::tanh, x); }
  static Interval sin(const Interval& x) { return wave(F64::sin, x); }
  static Interval cos(const Interval& x) { return wave(F64::cos, x); }
  static Interval log1p(const Interval& x) { return increasing(F64::log1p, x); }
  static Interval expm1(const Interval& x) { return increasing(F64::expm1, x); }
  static Interval erf(const Interval& x) { return increasing(F64::erf, x); }
  static Interval pow(const Interval& x, const Interval& y) {
    if (!(x.low > 0)) return Interval::all();
    return Interval::corners(x, y, 2, F64::pow);
  }
  static Interval maximum(const Interval& a, const Interval& b) {
    return Interval::hull(F64::maximum(a.low, b.low), F64::maximum(a.high, b.high), 0);
  }
  static Interval step(const Interval& a, const Interval& b) {
    return Interval::hull(a.low >= b.high ? 1 : 0, a.high >= b.low ? 1 : 0, 0);
  }
};

template <>
struct topos::ElementTraits<long double> {
  using F = long double;
  static F from_double(double x) { return x; }
  static F lowest_finite() { return std::numeric_limits<double>::lowest(); }
  static F negative_infinity() { return -std::numeric_limits<F>::infinity(); }
  static bool is_finite(F x) { return std::isfinite(x); }
  static F fused_multiply_add(F a, F b, F c) { return std::fma(a, b, c); }
  static F sqrt(F x) { return std::sqrt(x); }
  static F exp(F x) { return std::exp(x); }
  static F log(F x) { return std::log(x); }
  static F tanh(F x) { return std::tanh(x); }
  static F sin(F x) { return std::sin(x); }
  static F cos(F x) { return std::cos(x); }
  static F log1p(F x) { return std::log1p(x); }
  static F expm1(F x) { return std::expm1(x); }
  static F erf(F x) { return std::erf(x); }
  static F pow(F x, F y) { return std::pow(x, y); }
  static F maximum(F a, F b) { return std::fmax(a, b); }
  static F step(F a, F b) { return a >= b ? F(1) : F(0); }
};

namespace topos::testing {
namespace {

static_assert(Element<Interval> && Element<long double>);

template <class E>
auto interpreted(const RandomGraph<double>& graph) {
  const auto program = reinterpreted<E>(graph.network);
  return Entry<E>(program, graph.adjoints.roots())
      .interpret(Parameters<E>(program->graph, program->parameters), reinterpreted<E>(graph.feeds));
}

TEST(Interval, contains_what_f64_and_long_double_compute_for_every_node_of_losses_and_gradients) {
  std::size_t elements = 0, narrow = 0;
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    const auto graph = random_graph<double>(seed, {.operations = 12});
    const auto run = graph.entry().interpret(graph.network.parameters(), graph.feeds);
    const auto enclosing = interpreted<Interval>(graph);
    const auto nearly_exact = interpreted<long double>(graph);
    const Plan<double> plan = graph.network.entry(graph.adjoints.roots()).lower();
    for (const NodeIndex index : plan.schedule().wanted()) {
      const Symbol node = graph.network.graph().symbol(index);
      const Elements<double> values = run.of(node).elements();
      const Elements<Interval> intervals = enclosing.of(node).elements();
      const Elements<long double> references = nearly_exact.of(node).elements();
      for (std::size_t i = 0; i < values.size(); ++i) {
        ASSERT_TRUE(intervals[i].contains(values[i])) << "seed " << seed << ", node " << index;
        ASSERT_TRUE(intervals[i].contains(references[i])) << "seed " << seed << ", node " << index;
        ++elements;
        narrow += intervals[i].high - intervals[i].low <= 1e-9 * (1 + std::fabs(values[i]));
      }
    }
  }
  EXPECT_GE(elements, 2000u);
  // A comparison of equal values may go either way, and then so may what depends on it.
  EXPECT_GE(static_cast<double>(narrow), 0.9 * static_cast<double>(elements)) << "of " << elements;
}

}  // namespace
}  // namespace topos::testing
