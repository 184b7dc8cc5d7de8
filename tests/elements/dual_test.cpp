// An element that the library has never seen, from public headers: a dual number, which makes forward mode
// out of any recorded program. It is the witness for reverse mode, which it shares no derivative rule with.
#include <gtest/gtest.h>

#include <cmath>

#include "elements/reinterpret.hpp"
#include "support/random_graph.hpp"
#include "topos/differentiate/reverse_impl.hpp"

namespace topos::testing {
namespace {

/// A value, its derivative in some direction, and the sum of the sizes of the terms that the derivative adds
/// up: what its rounding errors are relative to.
struct Dual {
  double value = 0.0;
  double slope = 0.0;
  double size = 0.0;

  Dual() = default;
  explicit Dual(double constant) : value(constant) {}
  Dual(double point, double direction) : value(point), slope(direction), size(std::fabs(direction)) {}
  /// f(x), where df is f's derivative at x.
  static Dual through(double f, double df, const Dual& x) { return Dual(f).plus(df, x); }
  /// With another term of the derivative.
  Dual plus(double factor, const Dual& x) const {
    Dual result = *this;
    if (x.size == 0.0) return result;  // a constant: 0 times whatever its factor is
    result.slope += factor * x.slope;
    result.size += std::fabs(factor) * x.size;
    return result;
  }

  friend Dual operator+(const Dual& a, const Dual& b) {
    return Dual(a.value + b.value).plus(1, a).plus(1, b);
  }
  friend Dual operator-(const Dual& a, const Dual& b) {
    return Dual(a.value - b.value).plus(1, a).plus(-1, b);
  }
  friend Dual operator*(const Dual& a, const Dual& b) {
    return Dual(a.value * b.value).plus(b.value, a).plus(a.value, b);
  }
  friend Dual operator/(const Dual& a, const Dual& b) {
    const double quotient = a.value / b.value;
    return Dual(quotient).plus(1 / b.value, a).plus(-quotient / b.value, b);
  }
  friend Dual operator-(const Dual& a) { return Dual(-a.value).plus(-1, a); }
  friend bool operator==(const Dual& a, const Dual& b) { return a.value == b.value; }
};

}  // namespace
}  // namespace topos::testing

template <>
struct topos::ElementTraits<topos::testing::Dual> {
  using Dual = topos::testing::Dual;
  using F64 = topos::ElementTraits<double>;
  static constexpr double slope_of_erf_at_0 = 1.1283791670955126;
  static Dual from_double(double x) { return Dual(x); }
  static Dual lowest_finite() { return Dual(F64::lowest_finite()); }
  static Dual negative_infinity() { return Dual(F64::negative_infinity()); }
  static bool is_finite(const Dual& x) { return F64::is_finite(x.value); }
  static Dual fused_multiply_add(const Dual& a, const Dual& b, const Dual& c) {
    return Dual(std::fma(a.value, b.value, c.value)).plus(b.value, a).plus(a.value, b).plus(1, c);
  }
  static Dual sqrt(const Dual& x) { return Dual::through(F64::sqrt(x.value), 0.5 / F64::sqrt(x.value), x); }
  static Dual exp(const Dual& x) { return Dual::through(F64::exp(x.value), F64::exp(x.value), x); }
  static Dual log(const Dual& x) { return Dual::through(F64::log(x.value), 1 / x.value, x); }
  static Dual tanh(const Dual& x) {
    const double cosh = std::cosh(x.value);
    return Dual::through(F64::tanh(x.value), 1 / (cosh * cosh), x);
  }
  static Dual sin(const Dual& x) { return Dual::through(F64::sin(x.value), F64::cos(x.value), x); }
  static Dual cos(const Dual& x) { return Dual::through(F64::cos(x.value), -F64::sin(x.value), x); }
  static Dual log1p(const Dual& x) { return Dual::through(F64::log1p(x.value), 1 / (1 + x.value), x); }
  static Dual expm1(const Dual& x) { return Dual::through(F64::expm1(x.value), F64::exp(x.value), x); }
  static Dual erf(const Dual& x) {
    return Dual::through(F64::erf(x.value), slope_of_erf_at_0 * std::exp(-x.value * x.value), x);
  }
  static Dual pow(const Dual& x, const Dual& y) {
    const double power = F64::pow(x.value, y.value);
    return Dual(power).plus(y.value * std::pow(x.value, y.value - 1), x).plus(power * std::log(x.value), y);
  }
  static Dual maximum(const Dual& a, const Dual& b) {
    const double larger = F64::maximum(a.value, b.value);
    return Dual(larger).plus(1, a.value > b.value ? a : b);
  }
  static Dual step(const Dual& a, const Dual& b) { return Dual(F64::step(a.value, b.value)); }
};

namespace topos::testing {
namespace {

static_assert(Element<Dual>);

/// A differentiated value of a program, moving in a random direction; a selection stands still.
Tensor<Dual> moving(const RandomGraph<double>& graph, const Symbol& symbol, SplitMix64& random) {
  Tensor<double> x = *graph.network.payload(symbol);
  for (const Feed<double>& feed : graph.feeds) {
    if (feed.input == symbol) x = feed.value;
  }
  if (x.as_selection()) return convert<Dual>(x);
  std::vector<Dual> elements;
  for (const double value : x.elements()) elements.emplace_back(value, 2.0 * random.unit() - 1.0);
  return Tensor<Dual>(x.shape(), std::move(elements));
}

TEST(Dual, forward_mode_over_a_recorded_program_equals_its_recorded_gradient) {
  std::size_t compared = 0;
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    const auto graph = random_graph<double>(seed, {.operations = 15, .smooth = true});
    const auto run = graph.entry().interpret(graph.network.parameters(), graph.feeds);
    const auto program = reinterpreted<Dual>(graph.network);
    Parameters<Dual> parameters(program->graph, program->parameters);
    Feeds<Dual> feeds;
    SplitMix64 random(seed);
    double slope = 0.0;
    for (const auto& [variable, gradient_node] : graph.adjoints.pairs()) {
      const Tensor<Dual> point = moving(graph, variable, random);
      if (program->graph[variable.index()].operation.is<Parameter>()) {
        parameters = parameters.with(variable, point);
      } else {
        feeds.push_back({variable, point});
      }
      const Elements<double> gradient = run.of(gradient_node).elements();
      const Elements<Dual> direction = point.elements();
      for (std::size_t i = 0; i < gradient.size(); ++i) slope += gradient[i] * direction[i].slope;
    }
    const Dual loss = Entry<Dual>(program, {graph.loss}).interpret(parameters, feeds).of(graph.loss).item();
    EXPECT_EQ(bits_of(loss.value), bits_of(run.of(graph.loss).item())) << "seed " << seed;
    // Both add up the same terms, whose factors are rounded differently; 1.4 units of their sizes were seen.
    const double bound = 16 * std::numeric_limits<double>::epsilon() * loss.size;
    EXPECT_NEAR(slope, loss.slope, bound) << "seed " << seed;
    compared += slope != 0.0;
  }
  EXPECT_GE(compared, 200u);
}

// x^3 at small integers: everything is exact, so the bits are equal.
TEST(Dual, forward_over_reverse_gives_a_hessian_product_from_every_way_to_run) {
  Tape<Dual> tape;
  const auto x = tape.parameter(Tensor<Dual>({3}, {{1, 1}, {-2, 3}, {5, -1}}));
  const auto loss = sum(x * x * x);
  const Adjoints adjoints = tape.differentiate(loss, {x});
  const Symbol variable = x, gradient = adjoints.of(x), target = loss;
  const Network<Dual> network = std::move(tape).seal();
  const Plan<Dual> plan = network.entry({target, gradient}).lower();
  Session<Dual> session = plan.session(network.parameters());
  session.run();
  const auto run = plan.forward(network.parameters());
  const auto scanned = network.forward(network.parameters()).backward(target).of(variable);
  for (std::size_t i = 0; i < 3; ++i) {
    const Dual at = network.parameters().payloads()[0].elements()[i];
    const double first = 3 * at.value * at.value, second = 6 * at.value * at.slope;
    for (const Dual& ours :
         {run.of(gradient).elements()[i], session.value(gradient)[i], scanned.elements()[i]}) {
      EXPECT_EQ(ours.value, first);
      EXPECT_EQ(ours.slope, second);
    }
  }
  EXPECT_EQ(run.of(target).item().slope, 3 * 1 * 1 + 3 * 4 * 3 - 3 * 25);
}

}  // namespace
}  // namespace topos::testing
