// Random differentiable programs over every operation, the same ones on every machine.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <string_view>
#include <vector>

#include "topos/composites/axes.hpp"
#include "topos/differentiate/adjoints.hpp"
#include "topos/nn/initialize.hpp"
#include "topos/ops/functions.hpp"
#include "topos/ops/held_tensor.hpp"
#include "topos/plan/entry.hpp"

namespace topos::testing {

struct RandomGraphOptions {
  std::size_t operations = 20;  ///< drawn; repairs of domain and the loss add some
  bool deep = false;            ///< mostly a chain: depth near `operations`
  bool smooth = false;          ///< without kinks, so that differences can check the gradient
  bool mixed = false;           ///< some values are held in bf16; of float only
};

/// A program, its loss (rank 0) and the loss's gradient with respect to every parameter and input.
template <class E>
struct RandomGraph {
  Network<E> network;
  Symbol loss;
  Adjoints adjoints;
  Symbols observed;          ///< some interior values
  Feeds<E> feeds;            ///< for some of the inputs
  std::size_t forward_size;  ///< nodes before the gradient was recorded

  /// The loss, the gradients and the observed values: what a plan declares.
  Entry<E> entry() const { return network.entry(adjoints.roots()).observe(observed); }
};

namespace detail {

/// Draws a program while it is computed, so that each operation sees values of its domain: logarithms and
/// bases of powers stay above 0.25, divisors away from 0, exponents and all values moderate.
template <class E>
class RandomProgram {
 public:
  RandomProgram(std::uint64_t seed, const RandomGraphOptions& options) : random_(seed), options_(options) {
    const std::size_t sources = 2 + below(3);
    for (std::size_t i = 0; i < sources; ++i) source(shape());
  }

  RandomGraph<E> finish() && {
    const std::size_t target = pool_.size() + options_.operations;
    while (pool_.size() < target) step();
    const std::size_t last = pool_.size() - 1;
    std::size_t loss = scalar(last);
    std::size_t terms = 0;
    for (std::size_t i = last; i-- > 0 && terms < 8;) {
      if (pool_[i].readers > 0) continue;
      const std::size_t term = scalar(i);
      loss = record(make_operation<Add>(), {loss, term});
      ++terms;
    }
    Symbols observed;
    for (std::size_t i = 0; i < 3; ++i) observed.push_back(pool_[below(pool_.size())].value.symbol());
    const Symbol target_symbol = pool_[loss].value.symbol();
    const std::size_t forward_size = tape_.size();
    const Adjoints adjoints = tape_.differentiate(target_symbol, variables_);
    return {std::move(tape_).seal(), target_symbol, adjoints, observed, feeds_, forward_size};
  }

 private:
  struct Item {
    Value<E> value;
    Tensor<E> now;
    std::size_t depth = 0;
    std::size_t readers = 0;
  };

  // Draws.
  std::size_t below(std::size_t count) { return static_cast<std::size_t>(random_.next() % count); }
  bool chance(double probability) { return random_.unit() < probability; }
  Extent between(Extent low, Extent high) {
    return low + static_cast<Extent>(below(static_cast<std::size_t>(high - low + 1)));
  }
  Extent extent() {
    if (chance(0.02)) return 0;
    return chance(0.25) ? 1 : between(2, 4);
  }
  Shape shape() {
    const Extent rank = chance(0.1) ? 0 : between(1, 4);
    std::vector<Extent> extents;
    Extent volume = 1;
    for (Extent axis = 0; axis < rank; ++axis) {
      const Extent next = volume > 12 ? 1 : extent();
      extents.push_back(next);
      volume *= std::max<Extent>(next, 1);
    }
    return Shape(std::move(extents));
  }
  Axis axis_of(std::size_t x) { return between(0, rank(x) - 1); }
  Tensor<E> draw(const Shape& shape) {
    const bool whole = !options_.smooth && chance(0.15);  // ties and zeros of both signs
    std::vector<E> elements;
    for (Extent i = 0; i < shape.volume(); ++i) {
      const double u = 2.0 * random_.unit() - 1.0;
      elements.push_back(static_cast<E>(whole ? std::round(1.4 * u) : 2.0 * u));
    }
    return Tensor<E>(shape, std::move(elements));
  }

  // What is there.
  const Shape& shape_of(std::size_t x) const { return pool_[x].now.shape(); }
  Axis rank(std::size_t x) const { return shape_of(x).rank(); }
  double lowest(std::size_t x) const {
    double low = INFINITY;
    for (const E e : pool_[x].now.elements()) low = std::min(low, static_cast<double>(e));
    return low;
  }
  double largest(std::size_t x) const {
    double high = 0.0;
    for (const E e : pool_[x].now.elements()) high = std::max(high, std::fabs(static_cast<double>(e)));
    return high;
  }

  // Recording.
  std::size_t keep(const Value<E>& value, Tensor<E> now) {
    pool_.push_back({value, std::move(now)});
    return pool_.size() - 1;
  }
  Precision held_in(std::size_t x) const { return pool_[x].value.precision(); }
  std::size_t converted(std::size_t x, Precision to) { return record(make_operation<Convert>(to), {x}); }
  std::size_t record(const Operation& operation, std::vector<std::size_t> operands) {
    if (operands.size() == 2 && held_in(operands[0]) != held_in(operands[1])) {
      const std::size_t changed = below(2);
      operands[changed] = converted(operands[changed], held_in(operands[1 - changed]));
    }
    std::vector<Value<E>> values;
    std::vector<HeldTensor<E>> tensors;
    for (const std::size_t x : operands) {
      ++pool_[x].readers;
      values.push_back(pool_[x].value);
      tensors.push_back({pool_[x].now, held_in(x)});
    }
    std::size_t depth = 0;
    for (const std::size_t x : operands) depth = std::max(depth, pool_[x].depth + 1);
    const Where where = Where::current();
    const Value<E> value = Value<E>::apply(operation, values, where);
    const std::size_t result = keep(value, HeldTensor<E>::apply(operation, tensors, where).tensor);
    pool_[result].depth = depth;
    if (depth > pool_[deepest_].depth) deepest_ = result;
    return result;
  }
  std::size_t leaf(Tensor<E> payload) { return keep(tape_.leaf(payload), payload); }
  std::size_t filled(const Shape& shape, double element) {
    return leaf(Tensor<E>::filled(shape, static_cast<E>(element)));
  }
  std::size_t input(Tensor<E> fallback, Tensor<E> fed) {
    const Value<E> value = tape_.input(std::move(fallback));
    variables_.push_back(value.symbol());
    feeds_.push_back({value.symbol(), fed});
    return keep(value, std::move(fed));
  }
  std::size_t source(const Shape& shape) {
    const std::size_t kind = below(4);
    if (kind == 0) return leaf(draw(shape));
    if (kind == 1) return input(draw(shape), draw(shape));
    const Tensor<E> initial = draw(shape);
    const Value<E> value = kind == 2 ? tape_.parameter(initial) : tape_.input(initial);
    variables_.push_back(value.symbol());
    return keep(value, initial);
  }

  // Repairs of domain.
  std::size_t scaled(std::size_t x, double factor) {
    return record(make_operation<Multiply>(), {x, filled(shape_of(x), factor)});
  }
  std::size_t moderate(std::size_t x, double limit = 4.0) {
    const double high = largest(x);
    if (high <= limit) return x;
    return limit >= 1.0 && chance(0.5) ? record(make_operation<Tanh>(), {x})
                                       : scaled(x, std::exp2(std::floor(std::log2(limit / high))));
  }
  std::size_t positive(std::size_t x) {
    if (lowest(x) >= 0.25 && largest(x) <= 8.0) return x;
    const std::size_t bounded = moderate(x, 2.0);
    const std::size_t squared = record(make_operation<Multiply>(), {bounded, bounded});
    return record(make_operation<Add>(), {squared, filled(shape_of(x), 0.5)});
  }
  std::size_t scalar(std::size_t x) {
    const std::size_t weighted =
        chance(0.5) ? record(make_operation<Multiply>(), {x, leaf(draw(shape_of(x)))}) : x;
    return rank(weighted) == 0 ? weighted : record(make_operation<Sum>(), {weighted});
  }

  // Operands.
  std::size_t any() {
    if (options_.deep && chance(0.9)) return deepest_;
    const std::size_t recent = std::min<std::size_t>(pool_.size(), 12);
    return chance(0.8) ? pool_.size() - 1 - below(recent) : below(pool_.size());
  }
  std::size_t with_rank(Axis least, Axis most = 5) {
    for (int attempt = 0; attempt < 4; ++attempt) {
      const std::size_t x = any();
      if (rank(x) >= least && rank(x) <= most) return x;
    }
    const std::size_t x = any();
    if (shape_of(x).volume() == 1) {
      return record(make_operation<Broadcast>(Shape(std::vector<Extent>(static_cast<std::size_t>(least), 2))),
                    {x});
    }
    std::vector<Extent> extents(static_cast<std::size_t>(least), 1);
    extents[below(static_cast<std::size_t>(least))] = shape_of(x).volume();
    return record(make_operation<Reshape>(Shape(std::move(extents))), {x});
  }
  std::size_t like(std::size_t x) {
    if (chance(0.1)) return x;
    for (int attempt = 0; attempt < 6; ++attempt) {
      const std::size_t y = any();
      if (y != x && shape_of(y) == shape_of(x)) return y;
    }
    const std::size_t y = any();
    if (shape_of(y).volume() == 1) return record(make_operation<Broadcast>(shape_of(x)), {y});
    return chance(0.3) ? record(make_operation<Broadcast>(shape_of(x)),
                                {moderate(record(make_operation<Sum>(), {y}))})
                       : source(shape_of(x));
  }
  bool small(std::size_t x, Extent factor) const { return shape_of(x).volume() * factor <= 64; }

  // One draw each.
  void unary(const Operation& operation, double limit) {
    moderate(record(operation, {moderate(any(), limit)}));
  }
  void binary(const Operation& operation) {
    const std::size_t x = any();
    moderate(record(operation, {x, like(x)}));
  }
  void divide() {
    const std::size_t x = any();
    const std::size_t divisor = positive(like(x));
    moderate(record(make_operation<Divide>(),
                    {x, chance(0.3) ? record(make_operation<Negate>(), {divisor}) : divisor}));
  }
  void power() {
    const std::size_t base = positive(any());
    static constexpr double constants[] = {0.0, 0.5, 1.0, 2.0, 3.0, -1.0, -0.5};
    const std::size_t exponent =
        chance(0.4) ? filled(shape_of(base), constants[below(7)]) : moderate(like(base), 2.0);
    moderate(record(make_operation<Power>(), {base, exponent}));
  }
  void log1p() {
    const std::size_t x = any();
    moderate(record(make_operation<Log1p>(), {lowest(x) > -0.75 && largest(x) < 8.0 ? x : positive(x)}));
  }
  void matmul() {
    const std::size_t x = with_rank(2, 4);
    const Axis last = rank(x) - 1;
    if (chance(0.2)) {
      std::vector<Axis> order;
      for (Axis axis = 0; axis < rank(x); ++axis) order.push_back(axis);
      std::swap(order[order.size() - 2], order[order.size() - 1]);
      const std::size_t swapped = record(make_operation<Permute>(std::move(order)), {x});
      moderate(record(make_operation<MatMul>(), {x, swapped}));
      return;
    }
    const Shape right = shape_of(x).with_extent(last - 1, shape_of(x)[last]).with_extent(last, extent());
    std::size_t y = source(right);
    if (chance(0.3)) y = record(make_operation<Tanh>(), {y});
    moderate(record(make_operation<MatMul>(), {x, y}));
  }
  void sum_along() {
    const std::size_t x = with_rank(1);
    moderate(record(make_operation<SumAlong>(axis_of(x)), {x}));
  }
  void broadcast() {
    const std::size_t x = any();
    const std::size_t one = shape_of(x).volume() == 1 ? x : moderate(record(make_operation<Sum>(), {x}));
    record(make_operation<Broadcast>(shape()), {one});
  }
  void broadcast_along() {
    const std::size_t x = any();
    const Extent count = chance(0.03) ? 0 : between(1, 3);
    if (rank(x) < 5 && small(x, count))
      record(make_operation<BroadcastAlong>(between(0, rank(x)), count), {x});
  }
  void reshape() {
    const std::size_t x = any();
    std::vector<Extent> rest(shape_of(x).extents().begin(), shape_of(x).extents().end());
    if (chance(0.4)) rest = {shape_of(x).volume()};
    std::vector<Extent> target;
    for (const Extent e : rest) {
      if (e == 1 && chance(0.5)) continue;
      const Extent factor = e > 0 && e % 2 == 0 ? 2 : e > 0 && e % 3 == 0 ? 3 : 1;
      if (factor > 1 && chance(0.5)) target.push_back(factor);
      target.push_back(factor > 1 && !target.empty() && target.back() == factor ? e / factor : e);
      if (chance(0.2)) target.push_back(1);
    }
    Shape wanted(target);
    if (wanted.rank() > 5 || wanted.volume() != shape_of(x).volume()) wanted = Shape({shape_of(x).volume()});
    record(make_operation<Reshape>(wanted), {x});
  }
  void permute() {
    const std::size_t x = any();
    std::vector<Axis> order(static_cast<std::size_t>(rank(x)));
    for (std::size_t i = 0; i < order.size(); ++i) {
      order[i] = static_cast<Axis>(i);
      std::swap(order[i], order[below(i + 1)]);
    }
    record(make_operation<Permute>(std::move(order)), {x});
  }
  void narrow() {
    const std::size_t x = with_rank(1);
    const Axis axis = axis_of(x);
    const Extent full = shape_of(x)[axis];
    const Extent length = full == 0 || chance(0.03) ? 0 : between(1, full);
    record(make_operation<Narrow>(axis, between(0, full - length), length), {x});
  }
  void pad() {
    const std::size_t x = with_rank(1);
    const Axis axis = axis_of(x);
    const Extent before = between(0, 2), after = between(0, 2);
    const Extent full = before + shape_of(x)[axis] + after;
    if (shape_of(x).with_extent(axis, full).volume() <= 64)
      record(make_operation<Pad>(axis, before, full), {x});
  }
  void unfold() {
    const std::size_t x = with_rank(1, 4);
    const Axis axis = axis_of(x);
    const Extent full = shape_of(x)[axis];
    if (full == 0) return;
    const Extent size = between(1, std::min<Extent>(full, 3));
    const Extent dilation =
        size > 1 ? between(1, std::min<Extent>((full - 1) / (size - 1), 2)) : between(1, 3);
    if (small(x, size)) record(make_operation<Unfold>(axis, size, between(1, 3), dilation), {x});
  }
  void fold() {
    const std::size_t x = with_rank(2);
    const Axis axis = between(0, rank(x) - 2);
    const Extent count = shape_of(x)[axis], size = shape_of(x)[axis + 1];
    if (count == 0 || size == 0) return;
    const Extent step = between(1, 3), dilation = between(1, 2);
    const Extent full = dilation * (size - 1) + 1 + (count - 1) * step + between(0, step - 1);
    moderate(record(make_operation<Fold>(axis, size, step, dilation, full), {x}));
  }
  std::size_t selection(Extent count, Extent classes) {
    const auto rows = [&] {
      std::vector<std::int64_t> indices;
      for (Extent i = 0; i < count; ++i) indices.push_back(between(0, classes - 1));
      return Tensor<E>::selection(std::move(indices), classes);
    };
    return chance(0.7) ? leaf(rows()) : input(rows(), rows());
  }
  void gather() {
    const std::size_t x = with_rank(1);
    const Extent classes = shape_of(x)[0];
    const Extent count = classes == 0 ? 0 : between(1, 4);
    if (shape_of(x).with_extent(0, count).volume() <= 64)
      record(make_operation<Gather>(), {x, selection(count, classes)});
  }
  void scatter() {
    const std::size_t x = with_rank(1);
    const Extent classes = between(1, 4);
    if (shape_of(x).with_extent(0, classes).volume() > 64) return;
    moderate(record(make_operation<Scatter>(), {x, selection(shape_of(x)[0], classes)}));
  }
  template <class Softmax>
  void along_lines() {
    const std::size_t x = with_rank(1);
    const Axis axis = axis_of(x);
    if (shape_of(x)[axis] > 0) moderate(record(make_operation<Softmax>(axis), {moderate(x)}));
  }

  void step() {
    if (options_.mixed && chance(0.2)) {
      const std::size_t x = any();
      converted(x, held_in(x) == Precision::bf16 ? Precision::working : Precision::bf16);
      return;
    }
    switch (below(options_.smooth ? 31 : 34)) {
      case 0:
        return void(source(shape()));
      case 1:
        return binary(make_operation<Add>());
      case 2:
        return binary(make_operation<Subtract>());
      case 3:
        return binary(make_operation<Multiply>());
      case 4:
        return divide();
      case 5:
        return unary(make_operation<Negate>(), 4.0);
      case 6:
        return unary(make_operation<Exp>(), 1.5);
      case 7:
        return void(record(make_operation<Log>(), {positive(any())}));
      case 8:
        return void(record(make_operation<Sqrt>(), {positive(any())}));
      case 9:
        return unary(make_operation<Tanh>(), 4.0);
      case 10:
        return unary(make_operation<Sin>(), 4.0);
      case 11:
        return unary(make_operation<Cos>(), 4.0);
      case 12:
        return log1p();
      case 13:
        return unary(make_operation<Expm1>(), 1.5);
      case 14:
        return unary(make_operation<Erf>(), 3.0);
      case 15:
        return unary(make_operation<ErfDerivative>(), 3.0);
      case 16:
        return power();
      case 17:
        return matmul();
      case 18:
        return void(moderate(record(make_operation<Sum>(), {any()})));
      case 19:
        return sum_along();
      case 20:
        return broadcast();
      case 21:
        return broadcast_along();
      case 22:
        return reshape();
      case 23:
        return permute();
      case 24:
        return narrow();
      case 25:
        return pad();
      case 26:
        return unfold();
      case 27:
        return fold();
      case 28:
        return gather();
      case 29:
        return scatter();
      case 30:
        return chance(0.5) ? along_lines<LogSoftmax>() : along_lines<LogSumExp>();
      case 31:
        return binary(make_operation<Maximum>());
      case 32:
        return binary(make_operation<Step>());
      default:
        return binary(make_operation<Maximum>());
    }
  }

  Tape<E> tape_;
  SplitMix64 random_;
  RandomGraphOptions options_;
  std::vector<Item> pool_;
  std::size_t deepest_ = 0;
  Symbols variables_;
  Feeds<E> feeds_;
};

}  // namespace detail

/// The program of a seed.
template <class E>
RandomGraph<E> random_graph(std::uint64_t seed, const RandomGraphOptions& options) {
  return detail::RandomProgram<E>(seed, options).finish();
}

/// The options of the suite's graph number `seed`: most hold 4 to 20 operations, some up to 200, a third are
/// chains.
inline RandomGraphOptions suite_options(std::uint64_t seed, bool mixed = false) {
  if (seed % 100 == 99) return {.operations = 200, .deep = true, .mixed = mixed};
  SplitMix64 random(seed ^ 0x746F706F73u);
  const std::uint64_t size = seed % 25 == 24 ? 40 + random.next() % 161 : 4 + random.next() % 17;
  return {.operations = static_cast<std::size_t>(size), .deep = random.next() % 3 == 0, .mixed = mixed};
}

}  // namespace topos::testing
