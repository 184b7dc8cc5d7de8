// Batch norms abroad: XLA's operation against the plan. The reference interpreter has none.
#include <gtest/gtest.h>

#include "emission/written_norm.hpp"
#include "support/foreign.hpp"
#include "topos/nn/initialize.hpp"

namespace topos::testing {
namespace {

/// XLA takes its own order for the sums, and a reciprocal root for the division: a hundred roundings of the
/// largest element cover sums of 48 terms by far.
template <class E>
void expect_close(const Tensor<E>& theirs, const Tensor<E>& ours) {
  ASSERT_EQ(theirs.shape(), ours.shape());
  const Elements<E> a = theirs.elements(), b = ours.elements();
  double size = 0;
  for (const E e : b) size = std::max(size, std::fabs(static_cast<double>(e)));
  const double allowed = 100 * static_cast<double>(std::numeric_limits<E>::epsilon()) * size;
  for (std::size_t i = 0; i < b.size(); ++i) ASSERT_NEAR(a[i], b[i], allowed) << i;
}

template <class E>
void expect_conforms(NormWritten<E> norm, const Symbols& roots, Feeds<E> feeds, std::string_view operation) {
  feeds.push_back({norm.input, Normal(1, 3.0).tensor<E>({norm.rows, norm.features})});
  const Symbol scale = norm.scale, shift = norm.shift;
  const Network<E> network = std::move(norm.tape).seal();
  const Parameters<E> parameters = network.parameters()
                                       .with(scale, Uniform(2, 2.0).tensor<E>(Shape({norm.features})))
                                       .with(shift, Uniform(3, 2.0).tensor<E>(Shape({norm.features})));
  const Plan<E> plan = network.entry(roots).lower();
  EXPECT_NE(emit_stablehlo(plan).find(operation), std::string::npos);
  Foreign::instance().parse(emit_stablehlo(plan));
  const auto ours = plan.forward(parameters, feeds);
  const auto theirs = evaluate_abroad(Engine::xla, plan, parameters, feeds);
  for (std::size_t i = 0; i < theirs.size(); ++i) expect_close(theirs[i], ours.of(plan.results()[i]));
}

template <class E>
void expect_both_conform() {
  NormWritten<E> training(0x1p-17, 48, 5);
  training.train();
  const Symbols trained{training.result, training.mean, training.variance};
  expect_conforms(std::move(training), trained, {}, "batch_norm_training");
  NormWritten<E> inference(0x1p-17, 48, 5);
  inference.infer();
  const Symbols inferred{inference.result};
  const Feeds<E> statistics{{inference.mean, Normal(4, 1.0).tensor<E>(Shape({5}))},
                            {inference.variance, Tensor<E>::filled(Shape({5}), E{2})}};
  expect_conforms(std::move(inference), inferred, statistics, "batch_norm_inference");
}

TEST(BatchNorms, MeanTheSameToXla) {
  TOPOS_REQUIRE_ENGINE(Engine::interpreter);  // it parses
  TOPOS_REQUIRE_ENGINE(Engine::xla);
  expect_both_conform<float>();
  expect_both_conform<double>();
}

}  // namespace
}  // namespace topos::testing
