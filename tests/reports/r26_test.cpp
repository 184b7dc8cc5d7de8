// Subnormal numbers take part in everything: arithmetic, functions, comparisons, gradients.
#include <thread>

#include "reports/readings.hpp"
#include "support/required_tool.hpp"
#include "topos/backends/pjrt.hpp"
#include "topos/base/error.hpp"
#include "topos/composites/activations.hpp"
#include "topos/ops/functions.hpp"

namespace topos::reports {
namespace {

template <class E>
class Subnormals : public ::testing::Test {};
TYPED_TEST_SUITE(Subnormals, ElementTypes);
template <class E>
class SubnormalsText : public EmittedText {};
TYPED_TEST_SUITE(SubnormalsText, ElementTypes);

/// Two normal numbers whose product is subnormal.
template <class E>
std::pair<double, double> factors() {
  return sizeof(E) == 4 ? std::pair{1e-30, 1e-10} : std::pair{1e-300, 1e-10};
}

/// Functions of a subnormal and their right values.
template <class E>
struct Case {
  Function<E> function;
  Tensor<E> at;
  Reading<E> right;
};

template <class E>
std::vector<Case<E>> cases() {
  const E tiny = static_cast<E>(sizeof(E) == 4 ? 1e-40 : 1e-310);
  const E least = std::numeric_limits<E>::denorm_min();
  const auto scalar = [](E x) { return Tensor<E>(x); };
  const auto zero = [](const Value<E>& x) { return x.constant(x.shape(), 0); };
  const E factor = static_cast<E>(factors<E>().second);
  return {
      {[=](const auto& v) { return v[0] * factor; },
       scalar(static_cast<E>(factors<E>().first)),
       {scalar(tiny), {scalar(factor)}}},
      {[=](const auto& v) { return step(zero(v[0]), v[0]); }, scalar(tiny), {scalar(0), {scalar(0)}}},
      {[](const auto& v) { return relu(v[0]); }, scalar(least), {scalar(least), {scalar(1)}}},
      {[=](const auto& v) { return maximum(v[0], zero(v[0])); }, scalar(least), {scalar(least), {scalar(1)}}},
      {[](const auto& v) { return abs(v[0]); }, scalar(-least), {scalar(least), {scalar(-1)}}},
      {[](const auto& v) { return v[0] + v[0]; }, scalar(least), {scalar(2 * least), {scalar(2)}}},
      {[](const auto& v) { return -v[0]; }, scalar(least), {scalar(-least), {scalar(-1)}}},
      {[=](const auto& v) { return v[0] / E(4); },
       scalar(std::numeric_limits<E>::min()),
       {scalar(std::numeric_limits<E>::min() / 4), {scalar(E(0.25))}}},
  };
}

template <class E>
::testing::AssertionResult all_kept() {
  for (const Case<E>& c : cases<E>()) {
    if (auto result = same(evaluate(c.function, {c.at}), c.right); !result)
      return result << " at " << describe(c.at);
  }
  return ::testing::AssertionSuccess();
}

TYPED_TEST(Subnormals, are_kept_by_arithmetic_and_gradients) { EXPECT_TRUE(all_kept<TypeParam>()); }

TYPED_TEST(Subnormals, have_their_own_logarithm) {
  using E = TypeParam;
  const E tiny = static_cast<E>(sizeof(E) == 4 ? 1e-40 : 1e-310);
  const Reading<E> reading = evaluate<E>([](const auto& v) { return log(v[0]); }, {Tensor<E>(tiny)});
  const double right = std::log(static_cast<double>(tiny));
  EXPECT_TRUE(near(reading.value, Tensor<E>(static_cast<E>(right)), roundings<E>(1)));
}

TYPED_TEST(Subnormals, are_kept_on_every_thread) {
  std::vector<std::thread> threads;
  std::vector<int> kept(8, 0);
  for (int& flag : kept) threads.emplace_back([&flag] { flag = all_kept<TypeParam>() ? 1 : 0; });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(kept, std::vector<int>(8, 1));
}

TYPED_TEST(Subnormals, are_kept_after_xla_has_run_in_the_process) {
  std::optional<backends::pjrt::Client> client;
  try {
    client.emplace();
  } catch (const EnvironmentError& error) {
    TOPOS_REQUIRE_TOOL(false, "no PJRT plugin: " << error.what());
  }
  Tape<float> tape;
  const Value<float> x = tape.input(Tensor<float>::filled({1024}, 1e-30f));
  const Symbol product = x * x;
  const Plan<float> plan = std::move(tape).seal().entry({product}).lower();
  const std::vector<backends::Array> arguments{array(Tensor<float>::filled({1024}, 1e-30f))};
  client->compile(emit_stablehlo(plan)).run(arguments);
  EXPECT_TRUE(all_kept<TypeParam>());
}

TYPED_TEST(SubnormalsText, are_kept_by_the_reference_interpreter) {
  using E = TypeParam;
  for (const Case<E>& c : cases<E>()) EXPECT_TRUE(same(evaluate_text(c.function, {c.at}), c.right));
}

// What a comparison with XLA's CPU backend has to allow for: f32 subnormals may read and write as zeros
// there.
TEST_F(EmittedText, has_subnormals_flushed_by_xla) {
  const Function<float> product = [](const auto& v) { return v[0] * 1e-10f; };
  const Tensor<float> at(1e-30f);
  EXPECT_EQ(evaluate(product, {at}).value.item(), 1e-40f);
  EXPECT_EQ(evaluate_text(product, {at}, Evaluator::xla).value.item(), 0.0f);
}

}  // namespace
}  // namespace topos::reports
