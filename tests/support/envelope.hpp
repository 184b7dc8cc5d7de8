// How far another engine's result may lie from ours: a running error analysis of the very graph that is
// compared.
//
// Every node gets a bound on |their value - our value|, element by element:
//     bound(node) = what the operands' bounds become in this operation        (zero while the operands are
//     equal)
//                 + what this operation alone may add, given equal operands   (its line in the table below)
// The first part is an interval estimate, not a guess: a monotone function is bounded by its slope over the
// whole interval, a comparison that the bounds leave open may go either way. The second part is stated per
// operation and engine, with its reason. docs/conformance.md explains both at length.
#pragma once

#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <ranges>
#include <string_view>
#include <vector>

#include "topos/ops/functions.hpp"
#include "topos/ops/rules.hpp"
#include "topos/plan/entry.hpp"
#include "topos/plan/patterns/layer_norm.hpp"
#include "topos/plan/patterns/softmax_attention.hpp"
#include "topos/tensor/reference/reduce.hpp"

namespace topos::testing {

enum class Engine { interpreter, xla };

/// What one operation alone may add, in units of the last place of its result, by engine and element type.
struct Allowance {
  std::string_view operations;  ///< their names, separated by spaces
  double interpreter_f32;
  double interpreter_f64;
  double interpreter_bf16;
  double xla_f32;
  double xla_f64;
  double xla_bf16;
  std::string_view reason;

  template <class E>
  double of(Engine engine) const {
    if constexpr (std::is_same_v<E, Bf16>) return engine == Engine::xla ? xla_bf16 : interpreter_bf16;
    if constexpr (std::is_same_v<E, float>) return engine == Engine::xla ? xla_f32 : interpreter_f32;
    return engine == Engine::xla ? xla_f64 : interpreter_f64;
  }
};

inline constexpr std::string_view moves = "moves elements and computes nothing";
inline constexpr std::string_view rounds_once =
    "one IEEE operation: equal operands give equal bits; XLA may contract it with a neighbour";
inline constexpr std::string_view adds =
    "each addition: StableHLO leaves the order of a sum to the engine, ours is a tree over 16 lanes";
inline constexpr std::string_view approximates =
    "ours is rounded correctly (f32) or almost (f64); the interpreter asks the C library in f64 and rounds, "
    "XLA "
    "evaluates a polynomial";
// A function of one bf16 is the nearest bf16, ours (tests/element/bf16_test.cpp) and the interpreter's; XLA
// computes bf16 in f32 and may leave out the roundings between operations.

// Functions: twice or so what 200,000 points showed, in docs/conformance.md.
// clang-format off
inline constexpr std::array allowances{
    Allowance{"Leaf",                    0, 0, 0,  0, 0,   0,  "a constant comes back with equal bits"},
    Allowance{"Parameter Input",         0, 0, 0,  0, 0,   0,  "an argument"},
    Allowance{"Add Sub Mul Sqrt",        0, 0, 0,  1, 1,   1,  rounds_once},
    Allowance{"Div",                     0, 0, 0,  2, 2,   1,  "as Add; XLA multiplies by the reciprocal where the divisor is constant"},
    Allowance{"Convert",                 0, 0, 0,  1, 1,   1,  "rounds once; XLA may leave it out, with the convert back"},
    Allowance{"Neg",                     0, 0, 0,  0, 0,   0,  "changes a sign"},
    Allowance{"Exp",                     1, 2, 0,  2, 3,   2,  approximates},
    Allowance{"Ln Sin Cos",              1, 2, 0,  2, 2,   2,  approximates},
    Allowance{"Tanh",                    1, 3, 0,  4, 5,   2,  approximates},
    Allowance{"Log1p",                   1, 2, 0,  3, 160, 2,  "as Ln; XLA's f64 form loses seven bits near -0.414, where its two formulas meet"},
    Allowance{"Expm1",                   1, 2, 0,  5, 5,   2,  approximates},
    Allowance{"Erf",                     5, 4, 1,  5, 4,   2,  "both engines evaluate CHLO's polynomials, in the element type"},
    Allowance{"ErfDerivative",           2, 3, 0,  4, 4,   4,  "an exponential and a product; added: the square's rounding, x^2 units"},
    Allowance{"Powf",                    1, 2, 1,  4, 4,   2,  "as Exp; XLA spells a constant exponent as products and roots"},
    Allowance{"Maximum",                 0, 0, 0,  0, 0,   0,  "gives one of its operands"},
    Allowance{"Step",                    0, 0, 0,  0, 0,   0,  "compares"},
    Allowance{"MatMul",                  1, 1, 1,  1, 1,   1,  "each product and addition, as Sum; ours is a fused chain"},
    Allowance{"Sum SumAlong Fold Scatter", 1, 1, 1,  1, 1,   1,  adds},
    Allowance{"Broadcast BroadcastAlong Reshape Permute Narrow Pad Unfold", 0, 0, 0,  0, 0,   0,  moves},
    Allowance{"Gather",                  0, 0, 0,  0, 0,   0,  "a product with one-hot rows: every term but one is zero"},
    Allowance{"LogSoftmax LogSumExp",    1, 2, 1,  2, 3,   2,  "its exponentials and logarithm, each as Exp and Ln; its sum as Sum"},
};
// clang-format on

/// The row that names the operation; null when none does, which a test reports.
inline const Allowance* allowance_of(std::string_view operation) {
  for (const Allowance& row : allowances) {
    for (const auto name : std::views::split(row.operations, ' ')) {
      if (std::string_view(name.begin(), name.end()) == operation) return &row;
    }
  }
  return nullptr;
}

/// The bounds of a graph's nodes, for one engine.
template <class E>
class ErrorBounds {
 public:
  /// `values` answers every node that the plan evaluates.
  ErrorBounds(const Plan<E>& plan, const Run<E>& values, Engine engine)
      : engine_(engine), value_(plan.graph().size()), bound_(value_.size()) {
    const Graph& graph = plan.graph();
    std::vector<bool> raised(graph.size(), false);
    for (const Candidate& candidate : plan.candidates()) {
      if (candidate.pattern == SoftmaxAttention::name || candidate.pattern == RowNorm::name)
        continue;  // at home only
      raised[candidate.root] = true;
      for (const NodeIndex interior : candidate.interiors) raised[interior] = true;
    }
    for (const NodeIndex index : plan.schedule().wanted()) {
      const Node& node = graph[index];
      value_[index] = as_double(values.of(graph.symbol(index)));
      const T& r = *value_[index];
      const bool is_held = node.precision == Precision::bf16;
      const bool rounds_inside = node.operation.is<LogSoftmax>() || node.operation.is<LogSumExp>() ||
                                 node.operation.is<ErfDerivative>();
      format_ = is_held && !rounds_inside ? format_of<Bf16>() : format_of<E>();
      if (node.operation.is_source()) {
        bound_[index] = T::filled(node.shape, 0.0);
        continue;
      }
      std::vector<T> operands, bounds;
      for (const NodeIndex operand : node.operand_indices()) {
        operands.push_back(*value_[operand]);
        bounds.push_back(flushed_on_reading(operands.back(), *bound_[operand]));
      }
      same_operand_ = node.operation.arity() == 2 && node.operands[0] == node.operands[1];
      raised_ = raised[index];
      T own = bound(node.operation, operands, bounds, r);
      if (is_held && rounds_inside) own = rounded_to_bf16(own, r);
      bound_[index] = flushed_on_writing(r, own);
    }
  }

  const Tensor<double>& of(NodeIndex index) const { return *bound_[index]; }

 private:
  using T = Tensor<double>;
  static constexpr double infinity = std::numeric_limits<double>::infinity();
  static constexpr double smallest_normal = std::numeric_limits<E>::min();  // of bf16 as of f32
  /// What a node's elements are rounded to.
  struct Format {
    double ulp;  ///< at least one unit in the last place of 1
    double smallest_subnormal;
    double accumulator_ulp;  ///< of what sums are carried in, before they are rounded
    bool widens;
    double (*units)(const Allowance&, Engine);
  };
  template <class F>
  static Format format_of() {
    return {std::numeric_limits<F>::epsilon(), std::numeric_limits<F>::denorm_min(),
            std::numeric_limits<Accumulator<F>>::epsilon(), !std::is_same_v<Accumulator<F>, F>,
            [](const Allowance& row, Engine engine) { return row.of<F>(engine); }};
  }

  static T as_double(const Tensor<E>& x) {
    if (const Selection* selection = x.as_selection())
      return T::selection(selection->indices, selection->classes);
    const Elements<E> elements = x.elements();
    return T(x.shape(), std::vector<double>(elements.begin(), elements.end()));
  }
  static T evaluate(const Operation& operation, const std::vector<T>& operands, const Shape& shape) {
    return topos::evaluate<double>(operation, operands, shape);
  }
  template <class Function>
  static T map(const Shape& shape, Function element) {
    std::vector<double> elements;
    for (std::size_t i = 0; i < static_cast<std::size_t>(shape.volume()); ++i) elements.push_back(element(i));
    return T(shape, std::move(elements));
  }

  // XLA's CPU engine takes a subnormal operand for zero, and gives zero for a subnormal result.
  T flushed_on_reading(const T& x, const T& e) const {
    if (engine_ != Engine::xla || x.as_selection()) return e;
    const Elements<double> value = x.elements(), bound = e.elements();
    return map(x.shape(), [&](std::size_t i) {
      const double size = std::fabs(value[i]);
      return bound[i] + (size > 0.0 && size < smallest_normal ? size : 0.0);
    });
  }
  T flushed_on_writing(const T& r, T e) const {
    if (engine_ != Engine::xla || r.as_selection()) return e;
    const Elements<double> value = r.elements(), bound = e.elements();
    return map(r.shape(), [&](std::size_t i) {
      const double size = std::fabs(value[i]);
      const bool may_flush = size - bound[i] < smallest_normal && size + bound[i] > 0.0;
      return bound[i] + (may_flush ? std::min(size + bound[i], smallest_normal) : 0.0);
    });
  }

  static Axis axis_of(const Operation& operation) {
    return std::get<std::int64_t>(operation.fields().front().value);
  }

  T bound(const Operation& operation, const std::vector<T>& x, const std::vector<T>& e, const T& r) const {
    const double units = format_.units(*allowance_of(operation.name()), engine_);
    if (operation.is_elementwise()) return elementwise(operation, x, e, r, units);
    if (operation.is<MatMul>()) return matmul(operation, x, e, r, units);
    if (operation.is<LogSoftmax>()) return softmax(x[0], e[0], r, axis_of(operation), units);
    if (operation.is<LogSumExp>()) return softmax(x[0], e[0], r, axis_of(operation), units);
    return linear(operation, x, e, r, units);
  }

  /// What rounding an accumulated sum adds: nothing where the sum is `exact`, that is the same on both sides.
  double rounded(double sum_bound, double r, bool exact) const {
    return sum_bound + (format_.widens && !exact ? format_.ulp * (std::fabs(r) + sum_bound) : 0.0);
  }

  /// Of several steps in f32, the last of which is rounded.
  T rounded_to_bf16(const T& e, const T& r) const {
    const Elements<double> spread = e.elements(), result = r.elements();
    return map(r.shape(), [&](std::size_t i) {
      if (spread[i] == 0.0 && engine_ == Engine::interpreter) return 0.0;
      return spread[i] + format_of<Bf16>().ulp * (std::fabs(result[i]) + spread[i]);
    });
  }

  // --- elementwise -----------------------------------------------------------------------------------------

  T elementwise(const Operation& operation, const std::vector<T>& x, const std::vector<T>& e, const T& r,
                double units) const {
    const Elements<double> a = x[0].elements(), ea = e[0].elements(), result = r.elements();
    const Elements<double> b = x.back().elements(), eb = e.back().elements();
    return map(r.shape(), [&](std::size_t i) {
      const double spread = operation.arity() == 1
                                ? unary(operation, a[i], ea[i], result[i])
                                : binary(operation, a[i], ea[i], b[i], eb[i], result[i], same_operand_);
      if (!std::isfinite(result[i])) return spread == 0.0 ? 0.0 : infinity;
      const double size = std::fabs(result[i]) + spread;
      if (operation.is<Step>() || operation.is<Maximum>() || operation.is<Negate>()) return spread;
      double own = units;
      // The square's rounding, in the exponent.
      if (operation.is<ErfDerivative>())
        own += a[i] * a[i] * (engine_ == Engine::xla || ea[i] > 0.0 ? 1.0 : 0.0);
      // Operands that differ are rounded twice, once on each side.
      if (spread > 0.0) own = std::max(own, 1.0);
      return spread + own * std::max(format_.ulp * size, format_.smallest_subnormal);
    });
  }

  static double unary(const Operation& operation, double x, double e, double r) {
    if (e == 0.0) return 0.0;
    if (!std::isfinite(e) || !std::isfinite(x)) return infinity;
    const double nearest = std::max(0.0, std::fabs(x) - e);  // the interval's point nearest to 0
    if (operation.is<Negate>() || operation.is<Convert>()) return e;
    if (operation.is<Exp>()) return std::fabs(r) * std::expm1(e);
    if (operation.is<Log>()) return x > e ? -std::log1p(-e / x) : infinity;
    if (operation.is<Log1p>()) return 1.0 + x > e ? -std::log1p(-e / (1.0 + x)) : infinity;
    if (operation.is<Expm1>()) return std::exp(x) * std::expm1(e);
    if (operation.is<Sqrt>()) return x >= e ? std::sqrt(x) - std::sqrt(x - e) : infinity;
    if (operation.is<Tanh>()) return std::min(2.0, e / (std::cosh(nearest) * std::cosh(nearest)));
    if (operation.is<Sin>()) return std::min(2.0, e * (std::fabs(std::cos(x)) + e));
    if (operation.is<Cos>()) return std::min(2.0, e * (std::fabs(std::sin(x)) + e));
    const double bell = 1.1283791670955126 * std::exp(-nearest * nearest);
    if (operation.is<Erf>()) return std::min(2.0, e * bell);
    if (operation.is<ErfDerivative>()) return std::min(1.2, e * 2.0 * (std::fabs(x) + e) * bell);
    return infinity;  // no rule: nothing is claimed, and a test on claims fails
  }

  static double binary(const Operation& operation, double a, double ea, double b, double eb, double r,
                       bool same) {
    if (ea == 0.0 && eb == 0.0) return 0.0;
    if (operation.is<Step>()) {  // a value compared with itself is equal to it, whatever it is
      return same || std::fabs(a - b) > ea + eb ? 0.0 : 1.0;
    }
    // An infinite term, as a mask has, swallows what the other may be off by.
    const bool swallows = std::isinf(a) ? ea == 0.0 && std::isfinite(b) : std::isinf(b) && eb == 0.0;
    if (swallows && (operation.is<Add>() || operation.is<Subtract>())) return 0.0;
    if (!std::isfinite(ea + eb) || !std::isfinite(a) || !std::isfinite(b)) return infinity;
    if (operation.is<Add>()) return ea + eb;
    if (operation.is<Subtract>()) return same ? 0.0 : ea + eb;
    if (operation.is<Multiply>()) return std::fabs(a) * eb + std::fabs(b) * ea + ea * eb;
    if (operation.is<Divide>() && same) return 0.0;
    if (operation.is<Divide>())
      return std::fabs(b) > eb ? (ea + std::fabs(r) * eb) / (std::fabs(b) - eb) : infinity;
    if (operation.is<Maximum>()) return std::max(ea, eb);
    if (operation.is<Power>()) return power(a, ea, b, eb, r);
    return infinity;
  }

  // Monotone in each operand on a positive base, so the corners hold the extremes.
  static double power(double a, double ea, double b, double eb, double r) {
    const bool whole = eb == 0.0 && b >= 0.0 && b == std::floor(b);
    if (whole) return std::pow(std::fabs(a) + ea, b) - std::pow(std::fabs(a), b);
    if (a <= ea) return infinity;
    double most = 0.0;
    for (const double x : {a - ea, a + ea}) {
      for (const double y : {b - eb, b + eb}) most = std::max(most, std::fabs(std::pow(x, y) - r));
    }
    return most;
  }

  // --- sums ------------------------------------------------------------------------------------------------

  static T sizes(const T& x, const T& e) {
    const Elements<double> value = x.elements(), bound = e.elements();
    return map(x.shape(), [&](std::size_t i) { return std::fabs(value[i]) + bound[i]; });
  }
  static T nonzeros(const T& x) {
    const Elements<double> value = x.elements();
    return map(x.shape(), [&](std::size_t i) { return value[i] != 0.0 ? 1.0 : 0.0; });
  }

  // An operation that copies, adds or drops elements applies to bounds as it does to values. An element that
  // adds up n terms which are not zero is rounded n - 1 times by either side, each time by half a unit of at
  // most the sum of the terms' sizes.
  T linear(const Operation& operation, const std::vector<T>& x, const std::vector<T>& e, const T& r,
           double units) const {
    const Shape& shape = r.shape();
    const auto over = [&](const T& first) {
      return evaluate(operation, x.size() == 2 ? std::vector<T>{first, x[1]} : std::vector<T>{first}, shape);
    };
    const T all = sizes(x[0], e[0]);
    const T spreads = over(e[0]), magnitudes = over(all), counts = over(nonzeros(all));
    const Elements<double> spread = spreads.elements(), size = magnitudes.elements(),
                           count = counts.elements(), result = r.elements();
    return map(shape, [&](std::size_t i) {
      const double added = additions(count[i], spread[i]) * units * format_.accumulator_ulp * size[i];
      const bool exact = units == 0.0 || (engine_ == Engine::interpreter && spread[i] == 0.0 && added == 0.0);
      return rounded(spread[i] + added, result[i], exact);
    });
  }
  // Two equal terms have one sum, unless a raised operation adds them among others.
  double additions(double terms, double spread) const {
    const bool exact = engine_ == Engine::interpreter && spread == 0.0 && terms <= 2.0 && !raised_;
    return exact ? 0.0 : std::max(0.0, terms - 1.0);
  }

  // n products and their sum: n roundings a side, ours fused. One product is one multiplication.
  T matmul(const Operation& operation, const std::vector<T>& x, const std::vector<T>& e, const T& r,
           double units) const {
    const Shape& shape = r.shape();
    const T left = sizes(x[0], e[0]), right = sizes(x[1], e[1]);
    const T magnitudes = evaluate(operation, {left, right}, shape);
    const T from_left = evaluate(operation, {e[0], right}, shape);
    const T from_right = evaluate(operation, {left, e[1]}, shape);
    const T counts = evaluate(operation, {nonzeros(left), nonzeros(right)}, shape);
    const Elements<double> size = magnitudes.elements(), l = from_left.elements(), s = from_right.elements();
    const Elements<double> count = counts.elements(), result = r.elements();
    return map(shape, [&](std::size_t i) {
      const double spread = l[i] + s[i];
      const bool exact = engine_ == Engine::interpreter && spread == 0.0 && count[i] <= 1.0;
      return rounded(spread + (exact ? 0.0 : count[i] * units * format_.accumulator_ulp * size[i]), result[i],
                     exact);
    });
  }

  // --- softmax ---------------------------------------------------------------------------------------------

  // m + log(sum exp(x - m)) moves by at most the largest bound of its line, and log_softmax by that and the
  // element's own. Added: each exponential's own error and the rounding of its exponent, weighted by its
  // share of the total; the sum's roundings; the logarithm's error; the last operation's rounding.
  T softmax(const T& x, const T& e, const T& r, Axis axis, double units) const {
    const bool keeps_axis = r.rank() == x.rank();
    const reference::AroundAxis around(x.shape(), axis);
    const Elements<double> value = x.elements(), bound = e.elements(), result = r.elements();
    std::vector<double> out(result.size());
    for (Extent o = 0; o < around.outer; ++o) {
      for (Extent k = 0; k < around.inner; ++k) {
        const auto at = [&](Extent i) {
          return static_cast<std::size_t>((o * around.extent + i) * around.inner + k);
        };
        double peak = -infinity, widest = 0.0;
        for (Extent i = 0; i < around.extent; ++i) {
          peak = std::max(peak, value[at(i)]);
          widest = std::max(widest, bound[at(i)]);
        }
        double total = 0.0, weighted = 0.0;
        for (Extent i = 0; i < around.extent; ++i) {
          const double share = std::exp(value[at(i)] - peak);
          if (share == 0.0) continue;
          total += share;
          weighted += share * (units + std::fabs(value[at(i)] - peak));
        }
        const double terms = static_cast<double>(around.extent - 1);
        const double normalizer = format_.ulp * (weighted / total + (units + 1.0) * std::log(total)) +
                                  format_.accumulator_ulp * terms + (format_.widens ? format_.ulp : 0.0);
        const auto last = [&](std::size_t i, double spread) {
          const double whole = std::isfinite(result[i]) && std::isfinite(peak)
                                   ? spread + normalizer + format_.ulp * (std::fabs(result[i]) + spread)
                                   : infinity;
          return around.extent == 1 && spread == 0.0 && engine_ == Engine::interpreter ? 0.0 : whole;
        };
        if (!keeps_axis) {
          const auto i = static_cast<std::size_t>(o * around.inner + k);
          out[i] = last(i, widest);
          continue;
        }
        for (Extent i = 0; i < around.extent; ++i) {
          const bool masked = value[at(i)] == -infinity && bound[at(i)] == 0.0 && std::isfinite(peak);
          if (masked) {
            out[at(i)] = 0.0;
            continue;
          }
          const double centered = format_.ulp * std::fabs(value[at(i)] - peak);
          out[at(i)] = last(at(i), widest + bound[at(i)]) + (around.extent == 1 ? 0.0 : centered);
        }
      }
    }
    return T(r.shape(), std::move(out));
  }

  Engine engine_;
  Format format_ = format_of<E>();  // of the node at hand
  bool same_operand_ = false;       // both its operands are one node
  bool raised_ = false;             // and a named operation may stand for it
  std::vector<std::optional<T>> value_;
  std::vector<std::optional<T>> bound_;
};

}  // namespace topos::testing
