// A program's parameters by name, and the state of its optimizer beside them.
#include "topos/io/parameters.hpp"

#include <gmock/gmock.h>

#include "io/support.hpp"
#include "topos/graph/network.hpp"
#include "topos/nn/adam.hpp"

namespace topos::io_tests {
namespace {

using Named = std::vector<std::pair<std::string, Tensor<float>>>;

class NamedState : public Files {
 protected:
  NamedState() : network_(record()), parameters_(network_.parameters()) {}

  Network<float> record() {
    Tape<float> tape;
    names_ = {{"0.weights", tape.parameter(Tensor<float>({2, 2}, {1, 2, 3, 4}))},
              {"0.bias", tape.parameter(Tensor<float>({2}, {5, 6}))}};
    return std::move(tape).seal();
  }
  Checkpoint checkpoint(const std::string& prefix = "") const {
    Checkpoint saved;
    add_parameters(saved, parameters_, names_, prefix);
    return saved;
  }
  Parameters<float> zeros() const {
    return parameters_.step(parameters_, [](const Tensor<float>& current, const Tensor<float>&) {
      return Tensor<float>::filled(current.shape(), 0);
    });
  }
  std::string refusal(const Checkpoint& saved, const RestoreOptions& options = {}) const {
    return misuse_of([&] { restore_parameters(zeros(), names_, saved, options); });
  }
  void expect_all_restored(const Parameters<float>& restored) const {
    for (std::size_t slot = 0; slot < parameters_.size(); ++slot) {
      EXPECT_TRUE(same_bits(restored.payloads()[slot], parameters_.payloads()[slot])) << slot;
    }
  }

  std::vector<NamedParameter> names_;
  Network<float> network_;
  Parameters<float> parameters_;
};

TEST_F(NamedState, comes_back_from_a_file_with_the_optimizers) {
  Checkpoint saved = checkpoint();
  add_tensors(saved, Named{{"optimizer.step", Tensor<float>(3)},
                           {"optimizer.first.0.bias", Tensor<float>({2}, {7, 8})}});
  saved.metadata["step"] = "3";
  save_checkpoint(path("run.safetensors"), saved);
  const Checkpoint loaded = load_checkpoint(path("run.safetensors"));
  EXPECT_TRUE(same(loaded, saved));
  expect_all_restored(restore_parameters(zeros(), names_, loaded));
  const Named state = tensors_with_prefix<float>(loaded);
  ASSERT_EQ(state.size(), 2u);
  EXPECT_EQ(loaded.entries().size(), parameters_.size() + state.size());
  for (const Checkpoint::Entry& entry : loaded.entries()) {
    const bool is_state = entry.name.starts_with(optimizer_prefix);
    EXPECT_EQ(entry.tensor.dtype(), "F32") << entry.name;
    EXPECT_TRUE(is_state || entry.name.starts_with("0.")) << entry.name;
  }
  EXPECT_TRUE(loaded.has("0.bias"));
  EXPECT_FALSE(loaded.has("1.bias"));
  EXPECT_EQ(state[0].first, "optimizer.step");
  EXPECT_EQ(describe(state[1].second), "[7, 8]");
}

TEST_F(NamedState, resumes_training_with_the_bits_of_a_run_that_was_not_interrupted) {
  const auto train = [](Adam<float>& adam, Parameters<float> parameters) {
    for (int step = 0; step < 10; ++step)
      parameters = adam.step(parameters, parameters, 0.1f);  // of sum(p p) / 2
    return parameters;
  };
  Adam<float> adam;
  parameters_ = train(adam, parameters_);
  Checkpoint saved = checkpoint();
  add_tensors(saved, adam.state(parameters_, names_));
  save_checkpoint(path("run.safetensors"), saved);
  parameters_ = train(adam, parameters_);

  const Checkpoint loaded = load_checkpoint(path("run.safetensors"));
  const Parameters<float> restored = restore_parameters(zeros(), names_, loaded);
  Adam<float> resumed;
  resumed.restore(restored, names_, tensors_with_prefix<float>(loaded));
  expect_all_restored(train(resumed, restored));
}

TEST_F(NamedState, is_found_under_a_prefix_among_other_tensors) {
  Checkpoint saved = checkpoint("model.");
  saved.add("other", Tensor<float>(1));
  expect_all_restored(restore_parameters(zeros(), names_, saved, {.prefix = "model."}));
  EXPECT_EQ(refusal(saved), "the checkpoint has no tensor for these parameters: 0.weights, 0.bias");
}

TEST_F(NamedState, lists_all_missing_names_before_anything_else) {
  Checkpoint saved;
  saved.add("odd", Tensor<float>(1));
  EXPECT_EQ(refusal(saved), "the checkpoint has no tensor for these parameters: 0.weights, 0.bias");
}

TEST_F(NamedState, lists_all_unexpected_names_before_shapes) {
  Checkpoint saved;
  saved.add("0.weights", Tensor<float>({4}, {1, 2, 3, 4}));
  saved.add("0.bias", Tensor<float>({1}, {1}));
  EXPECT_EQ(refusal(saved),
            "the checkpoint has tensors of another shape: 0.weights [4] instead of [2, 2], 0.bias [1] "
            "instead of [2]");
  saved.add("1.weights", Tensor<float>(1));
  saved.add("1.bias", Tensor<float>(1));
  EXPECT_EQ(refusal(saved), "the checkpoint has tensors that are no parameter's: 1.weights, 1.bias");
}

TEST_F(NamedState, ignores_unexpected_names_when_told_so) {
  Checkpoint saved = checkpoint();
  saved.add("mask", Tensor<float>(1));
  expect_all_restored(restore_parameters(zeros(), names_, saved, {.ignore_unexpected = true}));
}

TEST_F(NamedState, is_not_narrowed_unless_asked) {
  Checkpoint saved;
  saved.add("0.weights", Tensor<double>({2, 2}, {1, 2, 3, 4}));
  saved.add("0.bias", Tensor<double>({2}, {5, 6}));
  EXPECT_THAT(refusal(saved), ::testing::HasSubstr("tensor '0.weights' holds F64 elements"));
  expect_all_restored(restore_parameters(zeros(), names_, saved, {.narrowing = Narrowing::round}));
}

TEST_F(NamedState, of_a_tied_parameter_is_the_last_names) {
  names_.push_back({"tied", names_[1].symbol});
  Checkpoint saved;
  saved.add("0.weights", Tensor<float>({2, 2}, {1, 2, 3, 4}));
  saved.add("0.bias", Tensor<float>({2}, {0, 0}));
  saved.add("tied", Tensor<float>({2}, {5, 6}));
  expect_all_restored(restore_parameters(zeros(), names_, saved));
  EXPECT_EQ(checkpoint().entries().size(), 3u);
}

}  // namespace
}  // namespace topos::io_tests
