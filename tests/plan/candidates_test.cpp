// Candidates: the compositions that a backend may take as one operation, found by their structure.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include "support/op_cases.hpp"
#include "topos/composites/attention.hpp"
#include "topos/composites/convolution.hpp"
#include "topos/composites/losses.hpp"
#include "topos/composites/normalization.hpp"
#include "topos/differentiate/adjoints.hpp"
#include "topos/ops/functions.hpp"
#include "topos/plan/entry.hpp"
#include "topos/plan/patterns/election.hpp"
#include "topos/plan/patterns/pattern_list.hpp"

namespace topos {
namespace {

using T = Tensor<float>;

T zeros(const Shape& shape) { return T::filled(shape, 0.0f); }

std::vector<std::string> names(const Plan<float>& plan) {
  std::vector<std::string> found;
  for (const Candidate& candidate : plan.candidates()) found.emplace_back(candidate.pattern);
  return found;
}
using Names = std::vector<std::string>;

/// The attributes of the plan's only candidate of a pattern.
template <class Pattern>
Pattern only(const Plan<float>& plan) {
  const auto is_it = [](const Candidate& candidate) { return candidate.pattern == Pattern::name; };
  EXPECT_EQ(std::count_if(plan.candidates().begin(), plan.candidates().end(), is_it), 1) << plan.describe();
  const auto found = std::find_if(plan.candidates().begin(), plan.candidates().end(), is_it);
  if (found == plan.candidates().end()) throw std::runtime_error("no candidate");
  return std::any_cast<Pattern>(found->attributes);
}

/// A convolution of an image [2, 3, 9, 8] with kernels [4, 3, 3, 2], and its gradients.
struct Convolved {
  Symbol image, weights, bias, result;
  Adjoints adjoints;
  Network<float> network;
};

Convolved convolve(Extent stride, Extent padding, Extent dilation) {
  Tape<float> tape;
  const auto image = tape.parameter(testing::scattered<float>(Shape({2, 3, 9, 8}), 1));
  const auto weights = tape.parameter(testing::scattered<float>(Shape({4, 3, 3, 2}), 2));
  const auto bias = tape.parameter(testing::scattered<float>(Shape({4}), 3));
  const auto result = conv2d(image, weights, bias, stride, padding, dilation);
  const Adjoints adjoints = tape.differentiate(sum(result * result), {image, weights, bias});
  return {image, weights, bias, result, adjoints, std::move(tape).seal()};
}

void expect_axis(const WindowAxis& axis, Extent size, Extent stride, Extent dilation, Extent padding) {
  EXPECT_EQ(axis.size, size);
  EXPECT_EQ(axis.stride, stride);
  EXPECT_EQ(axis.dilation, dilation);
  EXPECT_EQ(axis.pad_low, padding);
  EXPECT_EQ(axis.pad_high, padding);
}

TEST(WindowProducts, CarryStridePaddingAndDilation) {
  struct WindowCase {
    Extent stride, padding, dilation;
  };
  for (const auto& [stride, padding, dilation] :
       std::initializer_list<WindowCase>{{1, 0, 1}, {2, 1, 1}, {1, 2, 2}, {3, 1, 2}}) {
    const Convolved program = convolve(stride, padding, dilation);
    const Plan<float> plan = program.network.entry({program.result}).lower();
    EXPECT_EQ(names(plan), Names{"WindowProduct"});
    const auto product = only<WindowProduct>(plan);
    EXPECT_EQ(product.windows.source, program.image.index());
    EXPECT_EQ(product.windows.batch, 2);
    EXPECT_EQ(product.windows.channels, 3);
    EXPECT_EQ(product.windows.counts,
              (std::array<Extent, 2>{window_count(9 + 2 * padding, 3, stride, dilation),
                                     window_count(8 + 2 * padding, 2, stride, dilation)}));
    expect_axis(product.windows.axes[0], 3, stride, dilation, padding);
    expect_axis(product.windows.axes[1], 2, stride, dilation, padding);
    const Candidate& candidate = plan.candidates()[0];
    EXPECT_TRUE(plan.graph()[candidate.root].operation.is<MatMul>());
    EXPECT_EQ(candidate.reads, (std::vector<NodeIndex>{program.image.index(), product.kernel}));
    EXPECT_EQ(plan.graph()[product.kernel].shape, Shape({18, 4}));
    // Pads, unfolds, the permute and the reshape: what the operation stands for.
    EXPECT_EQ(candidate.interiors.size(), padding > 0 ? 6u : 4u);
    EXPECT_TRUE(std::is_sorted(candidate.interiors.begin(), candidate.interiors.end()));
  }
}

TEST(WindowProducts, TakeUnequalStridesAndDilationsOfTheTwoAxes) {
  Tape<float> tape;
  const auto image = tape.input(zeros({2, 3, 11, 13}));
  const auto padded = pad(image, 3, 2, 16);
  const auto rows = unfold(padded, 2, 3, 2, 1);   // 5 windows
  const auto windows = unfold(rows, 4, 2, 3, 4);  // 4 windows
  const auto patches = reshape(permute(windows, {0, 2, 4, 1, 3, 5}), {2 * 5 * 4, 3 * 3 * 2});
  const auto product = matmul(patches, tape.parameter(zeros({18, 4})));
  const Plan<float> plan = std::move(tape).seal().entry({product}).lower();
  const auto found = only<WindowProduct>(plan).windows;
  expect_axis(found.axes[0], 3, 2, 1, 0);
  EXPECT_EQ(found.axes[1].size, 2);
  EXPECT_EQ(found.axes[1].stride, 3);
  EXPECT_EQ(found.axes[1].dilation, 4);
  EXPECT_EQ(found.axes[1].pad_low, 2);
  EXPECT_EQ(found.axes[1].pad_high, 1);
  EXPECT_EQ(found.counts, (std::array<Extent, 2>{5, 4}));
}

TEST(WindowProducts, AreNoneWhenThePatchesAreArrangedOtherwise) {
  // Channels last in the patch, or windows merged with them: a product, but not one of patches.
  for (const std::vector<Axis>& order :
       {std::vector<Axis>{0, 2, 4, 3, 5, 1}, std::vector<Axis>{0, 4, 2, 1, 3, 5}}) {
    Tape<float> tape;
    const auto image = tape.input(zeros({1, 2, 5, 5}));
    const auto windows = unfold(unfold(image, 2, 2, 1, 1), 4, 2, 1, 1);
    const auto patches = reshape(permute(windows, order), {16, 8});
    const auto product = matmul(patches, tape.parameter(zeros({8, 3})));
    EXPECT_EQ(names(std::move(tape).seal().entry({product}).lower()), Names{});
  }
}

TEST(WindowProducts, AreBarredWhenAnInteriorIsAResult) {
  const Convolved program = convolve(1, 1, 1);
  const Graph& graph = program.network.graph();
  const Plan<float> plan = program.network.entry({program.result}).lower();
  ASSERT_EQ(names(plan), Names{"WindowProduct"});
  for (const NodeIndex interior : plan.candidates()[0].interiors) {
    const Plan<float> observed =
        program.network.entry({program.result}).observe({graph.symbol(interior)}).lower();
    if (!graph[interior].operation.is<Pad>()) {
      EXPECT_EQ(names(observed), Names{}) << describe(graph, interior);
      continue;
    }
    // An observed pad stays itself, and is then what the windows slide over.
    EXPECT_EQ(only<WindowProduct>(observed).windows.source, interior);
  }
  const Plan<float> root =
      program.network.entry({program.result}).observe({graph.symbol(plan.candidates()[0].root)}).lower();
  EXPECT_EQ(names(root), Names{"WindowProduct"});
}

TEST(GradientPatterns, AreFoundInADifferentiatedConvolution) {
  struct WindowCase {
    Extent stride, padding, dilation;
  };
  for (const auto& [stride, padding, dilation] :
       std::initializer_list<WindowCase>{{1, 0, 1}, {2, 1, 1}, {1, 2, 2}, {3, 1, 2}}) {
    const Convolved program = convolve(stride, padding, dilation);
    const Plan<float> plan = program.network.entry(program.adjoints.roots()).lower();
    EXPECT_EQ(names(plan),
              (Names{"WindowProduct", "WindowProductKernelGradient", "WindowProductInputGradient"}));
    const auto kernel = only<WindowProductKernelGradient>(plan);
    EXPECT_EQ(kernel.windows.source, program.image.index());
    expect_axis(kernel.windows.axes[0], 3, stride, dilation, padding);
    expect_axis(kernel.windows.axes[1], 2, stride, dilation, padding);
    EXPECT_EQ(plan.graph()[kernel.cotangent].shape[1], 4);
    const auto input = only<WindowProductInputGradient>(plan);
    expect_axis(input.windows.axes[0], 3, stride, dilation, 0);
    expect_axis(input.windows.axes[1], 2, stride, dilation, 0);
    EXPECT_EQ(input.cotangent, kernel.cotangent);
    EXPECT_EQ(input.kernel, only<WindowProduct>(plan).kernel);
  }
}

// Candidates are listed pattern by pattern.
static_assert(index_in<WindowProduct, PatternList> < index_in<ReduceWindow, PatternList>);

TEST(GradientPatterns, AreFoundInATrainedNetworkOfConvolutionsAndPools) {
  Tape<float> tape;
  const auto image = tape.input(zeros({2, 1, 12, 12}));
  const auto first = tape.parameter(zeros({3, 1, 3, 3}));
  const auto first_bias = tape.parameter(zeros({3}));
  const auto second = tape.parameter(zeros({4, 3, 2, 2}));
  const auto second_bias = tape.parameter(zeros({4}));
  const auto pooled = max_pool(relu(conv2d(image, first, first_bias, 1, 1)), 2, 2);
  const auto deeper = max_pool(relu(conv2d(pooled, second, second_bias, 1, 0)), 2, 2);
  const auto loss = sum(deeper * deeper);
  const Adjoints adjoints = tape.differentiate(loss, {first, first_bias, second, second_bias});
  const Network<float> network = std::move(tape).seal();
  const Plan<float> forward = network.entry({loss}).lower();
  EXPECT_EQ(names(forward), (Names{"WindowProduct", "WindowProduct", "ReduceWindow", "ReduceWindow"}));
  const Plan<float> training = network.entry(adjoints.roots()).lower();
  // The image is data, so the first convolution has no input gradient.
  EXPECT_EQ(names(training),
            (Names{"WindowProduct", "WindowProduct", "ReduceWindow", "ReduceWindow",
                   "WindowProductKernelGradient", "WindowProductKernelGradient", "WindowProductInputGradient",
                   "ReduceWindowGradient", "ReduceWindowGradient"}));
  for (const Candidate& candidate : training.candidates()) {
    for (const NodeIndex index : candidate.interiors) {
      EXPECT_FALSE(training.schedule().is_result(index));
      EXPECT_NE(index, candidate.root);
    }
    for (const NodeIndex index : candidate.reads) EXPECT_LT(index, candidate.root);
  }
}

TEST(Pools, AreFoundWithTheirGradientAtEverySizeAndStride) {
  struct WindowCase {
    Extent size, stride;
  };
  for (const auto& [size, stride] : std::initializer_list<WindowCase>{{2, 2}, {2, 1}, {3, 2}, {3, 3}}) {
    Tape<float> tape;
    const auto image = tape.parameter(zeros({2, 3, 7, 8}));
    const auto pooled = max_pool(image, size, stride);
    const Adjoints adjoints = tape.differentiate(sum(pooled * pooled), {image});
    const Network<float> network = std::move(tape).seal();
    const Plan<float> plan = network.entry(adjoints.roots()).lower();
    EXPECT_EQ(names(plan), (Names{"ReduceWindow", "ReduceWindowGradient"})) << size << "/" << stride;
    const auto pool = only<ReduceWindow>(plan);
    EXPECT_EQ(pool.windows.source, image.index());
    expect_axis(pool.windows.axes[0], size, stride, 1, 0);
    expect_axis(pool.windows.axes[1], size, stride, 1, 0);
    const auto gradient = only<ReduceWindowGradient>(plan);
    EXPECT_EQ(gradient.windows.source, image.index());
    expect_axis(gradient.windows.axes[1], size, stride, 1, 0);
    EXPECT_EQ(plan.graph()[gradient.cotangent].shape,
              Shape({2, 3, pool.windows.counts[0], pool.windows.counts[1], 1}));
  }
}

TEST(Pools, AreBarredWhenALaneIsObserved) {
  Tape<float> tape;
  const auto image = tape.parameter(zeros({1, 1, 4, 4}));
  const auto pooled = max_pool(image, 2, 2);
  const Network<float> network = std::move(tape).seal();
  const Plan<float> plan = network.entry({pooled}).lower();
  ASSERT_EQ(names(plan), Names{"ReduceWindow"});
  for (const NodeIndex interior : plan.candidates()[0].interiors) {
    EXPECT_EQ(names(network.entry({pooled}).observe({network.graph().symbol(interior)}).lower()), Names{});
  }
}

/// Rows normalized with their statistics over an axis, all of them results.
Plan<float> normalized(const std::function<Value<float>(Tape<float>&, const Value<float>&)>& normalize) {
  Tape<float> tape;
  const auto x = tape.input(zeros({4, 3}));
  const auto result = normalize(tape, x);
  return std::move(tape).seal().entry({result}).lower();
}

TEST(Norms, CarryTheNodesOfTheirTail) {
  const auto leaves = [](Tape<float>& tape) {
    return std::array{tape.parameter(zeros({3})), tape.parameter(zeros({3})), tape.leaf(T(1e-5f))};
  };
  const Plan<float> rows = normalized([&](Tape<float>& tape, const Value<float>& x) {
    const auto [scale, shift, epsilon] = leaves(tape);
    return layer_norm(x, scale, shift, epsilon);
  });
  const NormTail tail = only<RowNorm>(rows).tail;
  EXPECT_EQ(tail.input, 0u);
  EXPECT_EQ((std::array{tail.scale, tail.shift, tail.epsilon}), (std::array<NodeIndex, 3>{1, 2, 3}));
  EXPECT_EQ(rows.graph()[tail.mean].shape, Shape({4}));
  EXPECT_TRUE(rows.graph()[tail.centered].operation.is<Subtract>());

  const Plan<float> batch = normalized([&](Tape<float>& tape, const Value<float>& x) {
    const auto [scale, shift, epsilon] = leaves(tape);
    return batch_norm(x, scale, shift, epsilon).output;
  });
  const auto training = only<BatchNormTraining>(batch);
  EXPECT_EQ(batch.graph()[training.tail.variance].shape, Shape({3}));
  // The operation answers the statistics, too.
  EXPECT_EQ(training.gives(), (std::vector<NodeIndex>{training.tail.mean, training.tail.variance}));
  EXPECT_EQ(batch.candidates()[0].gives, training.gives());

  const Plan<float> inference = normalized([&](Tape<float>& tape, const Value<float>& x) {
    const auto [scale, shift, epsilon] = leaves(tape);
    const auto mean = tape.parameter(zeros({3}));
    const auto variance = tape.parameter(zeros({3}));
    return batch_norm_with(x, mean, variance, scale, shift, epsilon);
  });
  EXPECT_EQ(only<BatchNormInference>(inference).reads(), (std::vector<NodeIndex>{0, 1, 2, 4, 5}));
}

TEST(Attention, CarriesWhatIsDoneToItsScoresInOrder) {
  Tape<float> tape;
  const auto queries = tape.input(zeros({5, 4}));
  const auto keys = tape.input(zeros({6, 4}));
  const auto values = tape.input(zeros({6, 3}));
  const auto mask = tape.input(zeros({5, 6}));
  const auto result = scaled_dot_product(queries, keys, values, mask, tape.leaf(T(0.5f)));
  const Plan<float> plan = std::move(tape).seal().entry({result}).lower();
  const auto attention = only<SoftmaxAttention>(plan);
  EXPECT_EQ(attention.queries, queries.index());
  EXPECT_EQ(plan.graph()[attention.keys].shape, Shape({4, 6}));
  EXPECT_EQ(attention.values, values.index());
  ASSERT_EQ(attention.links.size(), 2u);
  const SoftmaxAttention::Link& scale = attention.links[0];
  const SoftmaxAttention::Link& masked = attention.links[1];
  EXPECT_TRUE(plan.graph()[scale.node].operation.is<Multiply>());
  EXPECT_TRUE(plan.graph()[masked.node].operation.is<Add>());
  EXPECT_EQ(masked.operand, mask.index());
  EXPECT_FALSE(attention.factor.has_value());
}

TEST(CrossEntropies, CarryTheLogProbabilitiesThatAGradientReads) {
  Tape<float> tape;
  const auto logits = tape.parameter(zeros({4, 3}));
  const auto targets = tape.input(T::selection({0, 2, 1, 1}, 3));
  const auto loss = cross_entropy(logits, targets);
  const Plan<float> plan = std::move(tape).seal().entry({loss}).lower();
  const auto selected = only<SelectedLogSoftmax>(plan);
  EXPECT_EQ(selected.logits, logits.index());
  EXPECT_EQ(selected.targets, targets.index());
  EXPECT_TRUE(plan.graph()[selected.log_softmax].operation.is<LogSoftmax>());
  EXPECT_EQ(plan.candidates()[0].gives, std::vector<NodeIndex>{selected.log_softmax});
  EXPECT_TRUE(SelectedLogSoftmax::is_closed);  // else somebody would read an interior that is gone
}

TEST(Windows, HaveAnArea) {
  const Convolved program = convolve(2, 1, 1);
  const Windows windows = only<WindowProduct>(program.network.entry({program.result}).lower()).windows;
  EXPECT_EQ(windows.area(), 3 * 2);
}

/// A backend of a test, which has one operation: what it takes and what it computes itself.
TEST(Elections, LeaveABackendWhatItsOperationsDoNotCover) {
  const Convolved program = convolve(1, 0, 1);
  const Plan<float> plan = program.network.entry({program.result}).lower();
  const auto election = [&](std::string_view supported) {
    return elect(plan.graph(), plan.schedule(), plan.candidates(),
                 [&](const Candidate& candidate) { return candidate.pattern == supported; });
  };
  const Candidate& product = plan.candidates()[0];
  const Election covered = election(WindowProduct::name);
  EXPECT_EQ(covered.elected[product.root], &product);
  EXPECT_TRUE(covered.needed[product.root]);
  for (const NodeIndex interior : product.interiors) EXPECT_FALSE(covered.needed[interior]);

  const Election uncovered = election("SoftmaxAttention");
  EXPECT_EQ(uncovered.elected[product.root], nullptr);
  for (const NodeIndex interior : product.interiors) EXPECT_TRUE(uncovered.needed[interior]);
}

TEST(Candidates, ChangeNothingOfWhatAPlanComputes) {
  const Convolved program = convolve(2, 1, 1);
  const Parameters<float> parameters = program.network.parameters();
  const Plan<float> plan = program.network.entry(program.adjoints.roots()).lower();
  const auto run = plan.forward(parameters, {});
  const auto interpreted = program.network.forward(parameters, {});
  for (const Symbol& result : plan.results()) EXPECT_TRUE(same_bits(run.of(result), interpreted.of(result)));
  EXPECT_TRUE(program.network.entry({program.image}).lower().candidates().empty());
}

}  // namespace
}  // namespace topos
