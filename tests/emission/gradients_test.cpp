// Differentiated programs. Where our derivative rules differ from the captured ones, the test edits our text
// back by the documented difference and compares with the capture to the byte, so that nothing else can
// differ; our own text is kept as a golden of its own.
#include <gtest/gtest.h>

#include <cctype>
#include <sstream>

#include "emission/module_text.hpp"
#include "support/captured_loss.hpp"
#include "support/golden.hpp"
#include "topos/composites/activations.hpp"
#include "topos/emission/emit.hpp"
#include "topos/ops/functions.hpp"
#include "topos/plan/entry.hpp"

namespace topos::testing {
namespace {

Tensor<float> zeros(Shape shape) { return Tensor<float>::filled(std::move(shape), 0.0f); }

std::string captured_file(const std::string& name) { return golden_text("stablehlo/captured/" + name); }

TEST(Gradients, a_batched_product_transposes_each_operand_for_the_other) {
  Tape<float> tape;
  const auto a = tape.input(zeros({2, 2, 3}));
  const auto b = tape.input(zeros({2, 3, 2}));
  const auto loss = sum(matmul(a, b));
  const Adjoints adjoints = tape.differentiate(loss, {a, b});
  const std::string text = emit_stablehlo(std::move(tape).seal().entry(adjoints.roots()).lower());
  EXPECT_TRUE(same_text(captured_file("gradient_batched_product.mlir"), text));
}

TEST(Gradients, gelu_differentiates_through_the_error_function) {
  Tape<float> tape;
  const auto weights = tape.parameter(zeros({2, 3}));
  const auto input = tape.input(zeros({2, 2}));
  const auto loss = sum(gelu(matmul(input, weights)));
  const Adjoints adjoints = tape.differentiate(loss, {weights});
  const std::string text = emit_stablehlo(std::move(tape).seal().entry(adjoints.roots()).lower());
  EXPECT_TRUE(same_text(captured_file("gradient_gelu.mlir"), text));
}

TEST(Gradients, a_rectifier_sends_ties_to_zero_and_differs_from_the_capture_in_nothing_else) {
  Tape<float> tape;
  const auto signal = tape.input(zeros({8}));
  const auto filter = tape.input(zeros({3, 3}));
  const auto table = tape.input(zeros({3, 2}));
  const auto selection = tape.input(zeros({3, 3}));
  const auto rectified = sum(relu(unfold(signal, 0, 3, 2) * filter));
  const auto loss = rectified + sum(gather(table, selection));
  const Adjoints adjoints = tape.differentiate(loss, {table, signal});
  const std::string text = emit_stablehlo(std::move(tape).seal().entry(adjoints.roots()).lower());
  expect_own_golden("stablehlo/own/gradient_relu_unfold_gather.mlir", text);

  // Ours asks whether the zero reaches the operand (26) and takes the complement (28, 29) of that; the
  // capture asks whether the operand reaches the zero and takes that itself. Both multiply the cotangent
  // (25): at 30 and at 27.
  EditedText edited(text);
  edited.replace("%v26_mask = stablehlo.compare GE, %v6, %v5,", "%v26_mask = stablehlo.compare GE, %v5, %v6,")
      .drop_line("%v28 = stablehlo.constant dense<1.0>")
      .drop_line("%v29 = stablehlo.subtract %v28, %v26 ")
      .replace("%v30 = stablehlo.multiply %v25, %v29 ", "%v27 = stablehlo.multiply %v25, %v26 ")
      .replace("%v32 = stablehlo.add %v31, %v30 ", "%v32 = stablehlo.add %v31, %v27 ");
  EXPECT_TRUE(same_text(captured_file("gradient_relu_unfold_gather.mlir"), edited.text()));
}

/// The training step of a character model: an embedding of three characters, a hidden layer, cross-entropy.
struct TrainingStep {
  Tape<float> tape;
  Value<float> embeddings = tape.parameter(zeros({27, 10}));
  Value<float> hidden_weights = tape.parameter(zeros({30, 100}));
  Value<float> hidden_bias = tape.parameter(zeros({100}));
  Value<float> output_weights = tape.parameter(zeros({100, 27}));
  Value<float> output_bias = tape.parameter(zeros({27}));
  Value<float> contexts = tape.input(zeros({192, 27}));
  Value<float> targets = tape.input(zeros({64, 27}));
  Adjoints adjoints = record();

  Adjoints record() {
    const auto embedded = reshape(gather(embeddings, contexts), {64, 30});
    const auto projected = matmul(embedded, hidden_weights);
    const auto hidden = tanh(projected + broadcast_along(hidden_bias, 0, 64));
    const auto scores = matmul(hidden, output_weights);
    const auto logits = scores + broadcast_along(output_bias, 0, 64);
    const auto loss = captured_cross_entropy(logits, targets);
    return tape.differentiate(loss, {embeddings, hidden_weights, hidden_bias, output_weights, output_bias});
  }
};

// The derivative rule of LogSumExp first records the lowest finite number (59) and the larger of it and the
// result (60), which stands in for the result. Without the two, 60 is 17 again and what follows moves up by
// two.
unsigned long before_the_bound(unsigned long index) {
  return index == 60 ? 17 : index > 60 ? index - 2 : index;
}

TEST(Gradients, the_training_step_differs_from_the_capture_in_logsumexp_and_in_nothing_else) {
  TrainingStep step;
  const Symbols roots = step.adjoints.roots();
  const std::string text = emit_stablehlo(std::move(step.tape).seal().entry(roots).lower());
  expect_own_golden("stablehlo/own/training_step.mlir", text);
  EditedText edited(text);
  without_logsumexp_guard(edited, 17)
      .drop_line("%v59 = stablehlo.constant dense<-3.4028235e38> : tensor<64xf32>")
      .drop_line("%v60 = stablehlo.maximum %v17, %v59 : tensor<64xf32>")
      .renumber(before_the_bound);
  EXPECT_TRUE(same_text(captured_file("seed_training_step.mlir"), edited.text()));
}

/// Of a describe: the line of each node, its columns, as one word after another, so that a renumbering that
/// changes a column's width changes nothing else.
std::string words_of(const std::string& text) {
  std::istringstream lines(text);
  std::string result;
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    for (std::string word; words >> word;) result += word + " ";
    result += '\n';
  }
  return result;
}

/// The nodes of a describe without the bound, renumbered, with everything that refers to them.
std::string without_the_bound(const std::string& described) {
  std::istringstream lines(words_of(described));
  std::string result;
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string edited;
    unsigned long index = 0;
    bool is_node = false;
    bool in_operands = false;
    bool after_word = false;
    for (std::string word; words >> word;) {
      const bool is_first = edited.empty();
      const bool is_number = std::isdigit(static_cast<unsigned char>(word[0])) != 0;
      if (is_first && is_number) {
        index = std::stoul(word);
        is_node = in_operands = true;
        word = std::to_string(before_the_bound(index));
      } else if (is_node && is_number && (in_operands || after_word)) {
        const bool comma = word.back() == ',';
        const unsigned long number = std::stoul(word);
        // what the bound released, the node that now reads in its place releases
        const unsigned long moved = !in_operands && number == 60 ? 59 : before_the_bound(number);
        word = std::to_string(moved) + (comma ? "," : "");
      } else if (is_node && (word[0] == '[' || word.find('=') != std::string::npos)) {
        in_operands = false;
      }
      after_word = word == "after";
      edited += word + " ";
    }
    if (!is_node || (index != 59 && index != 60)) result += edited + '\n';
  }
  return result;
}

TEST(Gradients, the_recorded_training_step_is_the_captured_one_but_for_the_bound) {
  TrainingStep step;
  const Network<float> network = std::move(step.tape).seal();
  EditedText edited(without_the_bound(network.describe()));
  edited.replace("network: 111 nodes,", "network: 109 nodes,");
  EXPECT_TRUE(same_text(words_of(captured_file("seed_training_step.describe.txt")), edited.text()));
}

TEST(Gradients, the_planned_training_step_is_the_captured_one_but_for_the_bound) {
  TrainingStep step;
  const Symbols roots = step.adjoints.roots();
  const Plan<float> plan = std::move(step.tape).seal().entry(roots).lower();
  EditedText edited(without_the_bound(plan.describe()));
  // The bound adds two values of 64 elements, dead before the peak.
  edited.replace("96 of 111 nodes evaluated", "94 of 109 nodes evaluated")
      .replace("at node 81, retain-all 204758 ", "at node 79, retain-all 204630 ");
  EXPECT_TRUE(same_text(words_of(captured_file("seed_training_step.plan.txt")), edited.text()));
}

}  // namespace
}  // namespace topos::testing
