// Attention in blocks of queries, whose scores stay in the cache.
//
// Where a constant mask ends in -infinity, or in something as good, the keys behind it get the weight +0,
// which adds nothing; they are left out when that is certain: the scores are small beside the mask, the
// values are finite, and no result is -0 (which adding +0 could make +0).
#include "topos/plan/patterns/softmax_attention.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "kernels/inspect.hpp"
#include "kernels/map.hpp"
#include "plan/engine/axis_offsets.hpp"
#include "plan/engine/claimed_items.hpp"
#include "plan/engine/elementwise_step.hpp"
#include "plan/engine/pattern_lowering_list.hpp"

namespace topos::engine {
namespace {

using kernels::AxisOffsets;
using kernels::BinaryMap;

/// A matrix for each product, its rows and columns at strides.
struct Matrices {
  BufferIndex buffer = 0;
  Extent offset = 0;
  AxisOffsets products;
  Extent row_stride = 0;
  Extent column_stride = 0;

  template <class F>
  const F* at(const Memory<F>& memory, Extent product) const {
    return memory.at(buffer, offset + products(product));
  }
};

/// An operation on the scores: with one element, or with a part of a value for each block.
template <class F>
struct Link {
  BinaryMap function;
  BufferIndex buffer = 0;
  Layout layout;  // row-major where it could not be narrowed
  AxisOffsets products;
  bool is_uniform = false;
};

/// How many keys a block may see, and the two products over them.
template <class F>
struct Reach {
  Extent keys;
  kernels::Gemm<F> scores;
  kernels::Gemm<F> mix;
  struct Part {  // of a link's value
    Extent offset = 0;
    std::vector<StridedAxis> axes;
  };
  std::vector<Part> links;
  Part factor;
};

template <class F>
struct Block {
  Extent first_row;
  Extent rows;
  Reach<F> whole;
  std::optional<Reach<F>> shortened;  // by the mask
};

/// What is known of a constant mask, the last link.
struct Mask {
  std::vector<Extent> ends;  // by row: the keys from here on are hidden
  double magnitude = 0;      // of what the keys before get
  double hiding = 0;         // the least magnitude of what hides, which is negative
};

template <class F>
struct Problem {
  Extent products, queries, keys, width, columns;
  Matrices q, k, v;
  BufferIndex output;
  std::vector<Link<F>> links;
  std::optional<Link<F>> factor;
  std::optional<Mask> mask;
  OffsetTables tables;
};

template <class F>
class AttentionStep : public Step<F> {
 public:
  explicit AttentionStep(Problem<F> problem) : problem_(std::move(problem)) {
    constexpr Extent most_rows = 28;
    const Extent count = (problem_.queries + most_rows - 1) / most_rows;
    for (Extent i = 0; i < count; ++i) {
      const Extent first = problem_.queries * i / count;
      const Extent rows = problem_.queries * (i + 1) / count - first;
      Block<F> block{first, rows, reach(first, rows, problem_.keys), std::nullopt};
      if (problem_.mask) {
        const auto ends = problem_.mask->ends.begin() + first;
        const Extent end = *std::max_element(ends, ends + rows);
        if (end < problem_.keys) block.shortened = reach(first, rows, end);
      }
      rows_ = std::max(rows_, rows);
      product_bytes_ =
          std::max({product_bytes_, block.whole.scores.scratch_bytes(1), block.whole.mix.scratch_bytes(1)});
      if (block.shortened) {
        product_bytes_ = std::max({product_bytes_, block.shortened->scores.scratch_bytes(1),
                                   block.shortened->mix.scratch_bytes(1)});
      }
      blocks_.push_back(std::move(block));
    }
  }

  void run(const Memory<F>& memory) const override {
    const std::size_t threads = tasks(memory.pool->threads());
    // several parts a thread: a mask makes them unequal
    const auto wanted = static_cast<Extent>(4 * threads);
    const auto blocks = static_cast<Extent>(blocks_.size());
    const Extent parts = threads == 1 ? 1 : std::clamp<Extent>(wanted / problem_.products, 1, blocks);
    claim_items(*memory.pool, threads, problem_.products * parts, [&](std::size_t task, Extent part) {
      const Extent which = part % parts;
      run_blocks(memory, memory.scratch + task * slab_bytes(), part / parts, blocks * which / parts,
                 blocks * (which + 1) / parts);
    });
  }
  std::size_t scratch_bytes(std::size_t threads) const override { return tasks(threads) * slab_bytes(); }
  std::string describe() const override {
    return fmt::format(
        "attention in {} blocks of queries{}: {} x [{}, {}] [{}, {}] [{}, {}], b{} b{} b{} -> b{}; {}",
        blocks_.size(), problem_.mask ? ", masked keys left out" : "", problem_.products, problem_.queries,
        problem_.width, problem_.width, problem_.keys, problem_.keys, problem_.columns, problem_.q.buffer,
        problem_.k.buffer, problem_.v.buffer, problem_.output, blocks_[0].whole.scores.name());
  }

 private:
  bool keys_in_place() const { return problem_.k.column_stride == 1; }
  Extent keys_row_stride() const { return keys_in_place() ? problem_.k.row_stride : problem_.keys; }

  // A slab: the keys of one product with contiguous columns, a block's scores, one operand of theirs, and
  // what the products need.
  Extent keys_elements() const {
    return keys_in_place() ? 0 : whole_lines<F>(problem_.width * problem_.keys);
  }
  Extent score_elements() const { return whole_lines<F>(rows_ * problem_.keys); }
  std::size_t slab_bytes() const {
    const auto elements = static_cast<std::size_t>(keys_elements() + 2 * score_elements());
    return elements * sizeof(F) + whole_lines(product_bytes_);
  }
  std::size_t tasks(std::size_t threads) const {
    const double work = static_cast<double>(problem_.products * problem_.queries) *
                        static_cast<double>(problem_.keys * (problem_.width + problem_.columns));
    return threads_for_products(work, threads);
  }

  Reach<F> reach(Extent first, Extent rows, Extent keys) const {
    kernels::GemmProblem scores;
    scores.rows = rows;
    scores.columns = keys;
    scores.depth = problem_.width;
    scores.a_rows = {problem_.q.row_stride};
    scores.a_depth = {problem_.q.column_stride};
    scores.b_depth = {keys_row_stride()};
    scores.b_columns = {1};
    scores.c_row_stride = keys;
    kernels::GemmProblem mix;
    mix.rows = rows;
    mix.columns = problem_.columns;
    mix.depth = keys;
    mix.a_rows = {keys};
    mix.a_depth = {1};
    mix.b_depth = {problem_.v.row_stride};
    mix.b_columns = {problem_.v.column_stride};
    mix.c_row_stride = problem_.columns;
    Reach<F> result{keys, kernels::Gemm<F>(scores), kernels::Gemm<F>(mix), {}, {}};
    const auto part_of = [&](const Link<F>& link) -> typename Reach<F>::Part {
      const Axis rank = link.layout.rank();
      const auto part = link.layout.narrowed(rank - 2, first, rows)->narrowed(rank - 1, 0, keys);
      return {part->offset(), part->flattened(std::vector<Axis>{rank - 2, rank - 1})};
    };
    for (const Link<F>& link : problem_.links) result.links.push_back(part_of(link));
    if (problem_.factor) result.factor = part_of(*problem_.factor);
    return result;
  }

  void run_blocks(const Memory<F>& memory, std::byte* slab, Extent product, Extent first, Extent last) const {
    const F* keys = problem_.k.at(memory, product);
    F* const scratch = reinterpret_cast<F*>(slab);
    if (!keys_in_place()) {
      const std::array<StridedAxis, 2> axes{StridedAxis{problem_.width, problem_.k.row_stride},
                                            StridedAxis{problem_.keys, problem_.k.column_stride}};
      kernels::copy_strided(keys, std::span<const StridedAxis>(axes), 0, problem_.width * problem_.keys,
                            scratch);
      keys = scratch;
    }
    const bool shortens = problem_.mask && is_harmless(memory, product, keys);
    for (Extent i = first; i < last; ++i) {
      const Block<F>& block = blocks_[static_cast<std::size_t>(i)];
      F* const out =
          memory.buffers[problem_.output] + (product * problem_.queries + block.first_row) * problem_.columns;
      const bool is_short = shortens && block.shortened;
      run_block(memory, scratch + keys_elements(), product, keys, block,
                is_short ? *block.shortened : block.whole, out);
      if (is_short && kernels::has_negative_zero(out, block.rows * problem_.columns))
        run_block(memory, scratch + keys_elements(), product, keys, block, block.whole, out);
    }
  }

  void run_block(const Memory<F>& memory, F* scores, Extent product, const F* keys, const Block<F>& block,
                 const Reach<F>& reach, F* out) const {
    F* const operand = scores + score_elements();
    std::byte* const scratch = reinterpret_cast<std::byte*>(operand + score_elements());
    const F* const q = problem_.q.at(memory, product) + block.first_row * problem_.q.row_stride;
    reach.scores.run_alone(q, keys, scores, scratch);
    const Extent count = block.rows * reach.keys;
    const auto apply = [&](const Link<F>& link, const typename Reach<F>::Part& part) {
      const F* const from = memory.at(link.buffer, part.offset + link.products(product));
      if (link.is_uniform) return apply_one(link.function, *from, scores, count, operand);
      kernels::copy_strided(from, std::span<const StridedAxis>(part.axes), 0, count, operand);
      kernels::map(link.function, scores, operand, scores, static_cast<std::size_t>(count));
    };
    for (std::size_t i = 0; i < problem_.links.size(); ++i) apply(problem_.links[i], reach.links[i]);
    kernels::log_softmax(scores, {block.rows, reach.keys, 1}, scores, *memory.pool);
    kernels::map(kernels::UnaryMap::exp, scores, scores, static_cast<std::size_t>(count));
    if (problem_.factor) apply(*problem_.factor, reach.factor);
    reach.mix.run_alone(scores, problem_.v.at(memory, product), out, scratch);
  }

  static void apply_one(BinaryMap function, F value, F* scores, Extent count, F* operand) {
    constexpr Extent piece = 1024;
    kernels::copy_strided(&value, std::array{StridedAxis{piece, 0}}, 0, std::min(piece, count), operand);
    for (Extent i = 0; i < count; i += piece) {
      kernels::map(function, scores + i, operand, scores + i,
                   static_cast<std::size_t>(std::min(piece, count - i)));
    }
  }

  /// Whether every score of the product is finite, those that the mask hides lie so far below a row's maximum
  /// that the exponential of the difference is +0, and every value is finite. NaN in any of them makes a
  /// bound NaN, and the comparisons false.
  bool is_harmless(const Memory<F>& memory, Extent product, const F* keys) const {
    const auto largest = [](const F* x, Extent rows, Extent columns, Extent row_stride) {
      return static_cast<double>(kernels::largest_magnitude(x, rows, row_stride, columns));
    };
    const double q =
        largest(problem_.q.at(memory, product), problem_.queries, problem_.width, problem_.q.row_stride);
    const double k = largest(keys, problem_.width, problem_.keys, keys_row_stride());
    const double v =
        largest(problem_.v.at(memory, product), problem_.keys, problem_.columns, problem_.v.row_stride);
    double bound = q * k * static_cast<double>(problem_.width);
    double most = bound;
    for (std::size_t i = 0; i + 1 < problem_.links.size(); ++i) {
      const Link<F>& link = problem_.links[i];
      const double operand = std::abs(
          static_cast<double>(*memory.at(link.buffer, link.layout.offset() + link.products(product))));
      bound = link.function == BinaryMap::multiply ? bound * operand : bound + operand;
      most = std::max(most, bound);
    }
    constexpr double vanishing = 1000;  // exp(-746) is less than half of the least f64
    const double seen = bound + problem_.mask->magnitude;
    const double limit = static_cast<double>(std::numeric_limits<F>::max()) / 4;  // for what rounding adds
    return most < limit && seen < limit && v < limit &&
           problem_.mask->hiding > 4 * (seen + bound) + vanishing;
  }

  Problem<F> problem_;
  std::vector<Block<F>> blocks_;
  Extent rows_ = 0;  // of the largest block
  std::size_t product_bytes_ = 0;
};

std::vector<Axis> product_axes(Axis rank) { return identity_order(rank - 2); }

template <class F>
Matrices matrices(Compiler<F>& compiler, NodeIndex index, OffsetTables& tables) {
  auto value = compiler.value(index);
  const Axis rank = value.layout.rank();
  if (!value.layout.merged(rank - 2) || !value.layout.merged(rank - 1)) value = compiler.row_major(index);
  return {value.buffer, value.layout.offset(), tables.along(value.layout.flattened(product_axes(rank))),
          value.layout.merged(rank - 2)->stride, value.layout.merged(rank - 1)->stride};
}

template <class F>
Link<F> link_of(Compiler<F>& compiler, BinaryMap function, NodeIndex operand, OffsetTables& tables) {
  auto value = compiler.value(operand);
  const Axis rank = value.layout.rank();
  const bool is_uniform = value.layout.is_uniform();
  if (!is_uniform && !(value.layout.merged(rank - 2) && value.layout.merged(rank - 1)))
    value = compiler.row_major(operand);
  const AxisOffsets products = tables.along(value.layout.flattened(product_axes(rank)));
  return {function, value.buffer, std::move(value.layout), products, is_uniform};
}

/// Whether the link is a constant matrix, the same for every product.
template <class F>
bool is_constant(const Compiler<F>& compiler, const Link<F>& link) {
  return !link.is_uniform && compiler.buffer(link.buffer).storage == Storage::leaf && !link.products.table &&
         link.products.stride == 0;
}

/// body(row, key, element) for a constant link.
template <class F, class Body>
void for_elements(const Compiler<F>& compiler, const Problem<F>& problem, const Link<F>& link,
                  const Body& body) {
  const Elements<F> elements = compiler.constant(compiler.buffer(link.buffer)).elements();
  const Axis rank = link.layout.rank();
  const StridedAxis row = *link.layout.merged(rank - 2);
  const StridedAxis column = *link.layout.merged(rank - 1);
  for (Extent r = 0; r < problem.queries; ++r) {
    for (Extent k = 0; k < problem.keys; ++k) {
      body(r, k,
           elements[static_cast<std::size_t>(link.layout.offset() + r * row.stride + k * column.stride)]);
    }
  }
}

/// Reads the mask if it is a constant, the same for every product, and added last to scores whose magnitude
/// can be bounded; none if leaving keys out would not be safe or would save nothing.
template <class F>
std::optional<Mask> mask_of(const Compiler<F>& compiler, const Problem<F>& problem) {
  if (problem.links.empty() || problem.links.back().function != BinaryMap::add ||
      !is_constant(compiler, problem.links.back()))
    return std::nullopt;
  for (std::size_t i = 0; i + 1 < problem.links.size(); ++i) {
    if (!problem.links[i].is_uniform || problem.links[i].function == BinaryMap::divide) return std::nullopt;
  }
  if (problem.q.column_stride != 1 || problem.v.column_stride != 1) return std::nullopt;

  constexpr F hiding = F{-1e29};  // at most this hides, if the scores are small enough
  Mask mask;
  mask.ends.assign(static_cast<std::size_t>(problem.queries), 0);
  mask.hiding = std::numeric_limits<double>::infinity();
  bool is_safe = true;
  for_elements(compiler, problem, problem.links.back(), [&](Extent row, Extent key, F element) {
    const double magnitude = std::abs(static_cast<double>(element));
    if (element <= hiding) {
      mask.hiding = std::min(mask.hiding, magnitude);
    } else {
      is_safe = is_safe && std::isfinite(element);
      mask.magnitude = std::max(mask.magnitude, magnitude);
      mask.ends[static_cast<std::size_t>(row)] = key + 1;
    }
  });
  // a row that sees nothing is not all +0
  for (Extent& end : mask.ends) end = end == 0 ? problem.keys : end;
  // a hidden weight stays +0 under a factor that is positive or zero, and finite
  if (problem.factor) {
    if (!is_constant(compiler, *problem.factor)) return std::nullopt;
    for_elements(compiler, problem, *problem.factor, [&](Extent, Extent, F element) {
      is_safe = is_safe && std::isfinite(element) && !std::signbit(element);
    });
  }
  const bool shortens =
      std::any_of(mask.ends.begin(), mask.ends.end(), [&](Extent end) { return end < problem.keys; });
  return is_safe && shortens ? std::optional(std::move(mask)) : std::nullopt;
}

bool supports(const Graph&, const Candidate&) { return true; }

template <class F>
void lower(Compiler<F>& compiler, const Candidate& candidate) {
  const auto& attention = std::any_cast<const SoftmaxAttention&>(candidate.attributes);
  const Shape& shape = compiler.node(candidate.root).shape;
  const Axis rank = shape.rank();
  Problem<F> problem;
  problem.queries = shape[rank - 2];
  problem.columns = shape[rank - 1];
  problem.products = shape.volume() / (problem.queries * problem.columns);
  problem.width = compiler.node(attention.queries).shape[rank - 1];
  problem.keys = compiler.node(attention.values).shape[rank - 2];
  problem.q = matrices(compiler, attention.queries, problem.tables);
  problem.k = matrices(compiler, attention.keys, problem.tables);
  problem.v = matrices(compiler, attention.values, problem.tables);
  std::vector<BufferIndex> reads{problem.q.buffer, problem.k.buffer, problem.v.buffer};
  for (const SoftmaxAttention::Link& link : attention.links) {
    const auto function = std::get<BinaryMap>(*map_function(compiler.node(link.node).operation));
    problem.links.push_back(link_of(compiler, function, link.operand, problem.tables));
    reads.push_back(problem.links.back().buffer);
  }
  if (attention.factor) {
    problem.factor = link_of(compiler, BinaryMap::multiply, *attention.factor, problem.tables);
    reads.push_back(problem.factor->buffer);
  }
  problem.mask = mask_of(compiler, problem);
  problem.output = compiler.define_output(candidate.root, Layout::row_major(shape));
  const BufferIndex output = problem.output;
  compiler.append(std::make_unique<AttentionStep<F>>(std::move(problem)), std::move(reads), {output});
}

}  // namespace

template <class F>
PatternLowering<F> attention_lowering() {
  return {supports, lower<F>};
}

template PatternLowering<float> attention_lowering();
template PatternLowering<double> attention_lowering();

}  // namespace topos::engine
