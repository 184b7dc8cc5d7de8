// Recording, differentiating and running again and again keeps nothing.
#include <unistd.h>

#include <fstream>

#include "reports/readings.hpp"
#include "topos/ops/functions.hpp"

namespace topos::reports {
namespace {

/// Resident bytes of this process; 0 where the system does not say.
double resident_bytes() {
  std::ifstream file("/proc/self/statm");
  double total = 0, resident = 0;
  file >> total >> resident;
  return file ? resident * static_cast<double>(sysconf(_SC_PAGESIZE)) : 0;
}

/// Resident memory after 5000 iterations, over that after 500. A sanitizer keeps freed memory, and looks for
/// leaks on its own when the program ends: it gets a few iterations to look at.
double growth(const std::function<void()>& iteration) {
  if (is_sanitized) {
    for (int i = 0; i < 50; ++i) iteration();
    return 0;
  }
  double after_500 = 0;
  for (int i = 1; i <= 5000; ++i) {
    iteration();
    if (i == 500) after_500 = resident_bytes();
  }
  return resident_bytes() - after_500;
}

constexpr double allowed = 2 << 20;

class Memory : public ::testing::Test {
 protected:
  void SetUp() override {
    if (resident_bytes() == 0) GTEST_SKIP() << "no /proc/self/statm";
  }
};

TEST_F(Memory, of_recording_gradients_and_hessian_products_is_given_back) {
  const Tensor<float> weights = Tensor<float>::filled({64, 64}, 0.01f);
  const Tensor<float> point = Tensor<float>::filled({64, 1}, 0.5f);
  const double grown = growth([&] {
    Tape<float> tape;
    const Value<float> x = tape.parameter(point);
    const Value<float> hidden = tanh(matmul(tape.parameter(weights), x));
    const Adjoints first = tape.differentiate(sum(hidden * hidden), {x});
    const Adjoints second = tape.vjp(first.of(x), tape.leaf(point), {x});
    const Network<float> network = std::move(tape).seal();
    const auto run = network.entry({second.of(x)}).lower().forward(network.parameters(), {});
    ASSERT_TRUE(std::isfinite(run.of(second.of(x)).elements()[0]));
  });
  EXPECT_LT(grown, allowed);
}

TEST_F(Memory, of_runs_of_one_plan_is_given_back) {
  const Recording<float> recording =
      record<float>([](const auto& v) { return tanh(matmul(v[0], v[1])); },
                    {Tensor<float>::filled({64, 64}, 0.01f), Tensor<float>::filled({64, 1}, 0.5f)});
  const Plan<float> plan = recording.network.entry(recording.roots()).lower();
  const Parameters<float> parameters = recording.network.parameters();
  double total = 0;  // losses summed as numbers, with nothing of their runs attached
  const double grown =
      growth([&] { total += plan.forward(parameters, {}).of(recording.value).elements()[0]; });
  EXPECT_TRUE(std::isfinite(total));
  EXPECT_LT(grown, allowed);
}

TEST_F(Memory, of_values_and_runs_that_outlive_their_tape_is_given_back) {
  const double grown = growth([] {
    std::vector<Value<float>> kept;
    {
      Tape<float> tape;
      kept.push_back(
          tanh(tape.parameter(Tensor<float>::filled({1000}, 0.5f).permuted(std::vector<Axis>{0}))));
      kept.push_back(kept[0] * kept[0]);
    }
    ASSERT_THROW(kept[1].shape(), UsageError);
  });
  EXPECT_LT(grown, allowed);
}

}  // namespace
}  // namespace topos::reports
