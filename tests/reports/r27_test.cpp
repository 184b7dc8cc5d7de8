// Long sums in f32, and means whose count f32 cannot hold.
#include "reports/readings.hpp"
#include "topos/composites/axes.hpp"

namespace topos::reports {
namespace {

constexpr Extent past_exact = (Extent{1} << 24) + 1;

TEST(LongSums, of_ones_are_exact_flat_and_along_either_axis) {
  constexpr Extent count = Extent{17} << 20;
  EXPECT_EQ(sum(Tensor<float>::filled({count}, 1.0f)).item(), 17825792.0f);
  EXPECT_EQ(describe(sum_along(Tensor<float>::filled({count / 4, 4}, 1.0f), 0)),
            "[4456448, 4456448, 4456448, 4456448]");
  EXPECT_EQ(describe(sum_along(Tensor<float>::filled({4, count / 4}, 1.0f), 1)),
            "[4456448, 4456448, 4456448, 4456448]");
}

TEST(LongSums, of_a_rounded_fraction_stay_near_the_real_sum) {
  constexpr Extent count = 1'000'000;
  const auto part = static_cast<float>(1.0 / 255);
  const double right = count * static_cast<double>(part);
  EXPECT_NEAR(right, 3921.5689, 1e-4);
  // the error grows with the logarithm of the count: a running sum is off by 12
  EXPECT_NEAR(sum(Tensor<float>::filled({count}, part)).item(), right, 0.01);
  EXPECT_NEAR(sum_along(Tensor<float>::filled({count, 2}, part), 0).elements()[1], right, 0.01);
}

TEST(LongSums, have_the_same_bits_flat_strided_and_permuted) {
  std::vector<float> elements;
  for (Extent i = 0; i < 30'000; ++i) elements.push_back(1.0f / static_cast<float>(i * i % 977 + 1));
  const Tensor<float> line({30'000, 1}, elements);
  const float flat = sum(line).item();
  EXPECT_EQ(sum_along(line, 0).item(), flat);
  std::vector<float> doubled;
  for (const float element : elements) doubled.insert(doubled.end(), {element, -1.0f});
  const Tensor<float> columns({30'000, 2}, doubled);
  EXPECT_EQ(sum_along(columns, 0).elements()[0], flat);
  EXPECT_EQ(sum_along(columns.permuted(std::vector<Axis>{1, 0}), 1).elements()[0], flat);
}

TEST(LongMeans, divide_by_the_count_up_to_2_to_the_24_and_multiply_by_its_reciprocal_beyond) {
  std::vector<float> elements(static_cast<std::size_t>(past_exact), 0.0f);
  elements[0] = 16777215.0f;
  EXPECT_EQ(mean_along(Tensor<float>({past_exact}, std::move(elements)), 0).item(), 0.99999988f);
  for (const Extent count : {past_exact - 1, past_exact}) {
    Tape<float> tape;
    const Symbol mean = mean_along(tape.input(Tensor<float>::filled({count}, 1.0f)), 0);
    const std::string text = emit_stablehlo(std::move(tape).seal().entry({mean}).lower());
    EXPECT_EQ(text.find("stablehlo.divide") != std::string::npos, count < past_exact);
    EXPECT_EQ(text.find("stablehlo.multiply") != std::string::npos, count == past_exact);
  }
}

TEST(LongMeans, spread_their_gradient_evenly) {
  const Reading<float> reading = evaluate<float>([](const auto& v) { return mean_along(v[0], 0); },
                                                 {Tensor<float>::filled({past_exact}, 1.0f)});
  EXPECT_TRUE(
      same(reading.gradients[0], Tensor<float>::filled({past_exact}, static_cast<float>(1.0 / 16777217))));
}

}  // namespace
}  // namespace topos::reports
