// Layer norm and RMS norm of rows with a large mean, of constant rows, and with the epsilon that is given.
#include "reports/readings.hpp"
#include "topos/nn/layer_norm.hpp"
#include "topos/nn/rms_norm.hpp"

namespace topos::reports {
namespace {

template <class E>
class NormedRows : public ::testing::Test {};
TYPED_TEST_SUITE(NormedRows, ElementTypes);
template <class E>
class NormedRowsText : public EmittedText {};
TYPED_TEST_SUITE(NormedRowsText, ElementTypes);

template <class E>
Function<E> layer_norm_of(double epsilon, Centering centering = Centering::once) {
  return [=](const std::vector<Value<E>>& v) {
    return layer_norm(v[0], v[1], v[2], v[0].leaf(Tensor<E>(static_cast<E>(epsilon))), centering);
  };
}
template <class E>
Function<E> rms_norm_of(double epsilon) {
  return [=](const std::vector<Value<E>>& v) {
    return rms_norm(v[0], v[1], v[0].leaf(Tensor<E>(static_cast<E>(epsilon))));
  };
}

template <class E>
std::vector<Tensor<E>> row(const std::vector<double>& elements) {
  const auto features = static_cast<Extent>(elements.size());
  return {tensor<E>({1, features}, elements), Tensor<E>::filled({features}, E(1)),
          Tensor<E>::filled({features}, E(0))};
}

/// The formula on the elements as they are rounded, in more precision than either has.
template <class E>
std::vector<double> expected_layer_norm(const Tensor<E>& x, double epsilon) {
  const Elements<E> elements = x.elements();
  const auto count = static_cast<long double>(elements.size());
  long double mean = 0.0, variance = 0.0;
  for (const E element : elements) mean += element / count;
  for (const E element : elements) variance += (element - mean) * (element - mean) / count;
  std::vector<double> expected;
  for (const E element : elements)
    expected.push_back(static_cast<double>((element - mean) / std::sqrt(variance + epsilon)));
  return expected;
}

TYPED_TEST(NormedRows, keep_their_accuracy_beside_a_large_mean) {
  using E = TypeParam;
  for (const double mean : {0.0, 100.0, 1000.0, 10000.0, -10000.0}) {
    std::vector<double> elements;
    for (int i = 0; i < 16; ++i) elements.push_back(mean + i * 1e-3);
    const auto at = row<E>(elements);
    const std::vector<double> expected = expected_layer_norm(at[0], 1e-5);
    for (const Centering centering : {Centering::once, Centering::twice}) {
      const Reading<E> reading = evaluate(layer_norm_of<E>(1e-5, centering), at);
      // Once: the mean is off by a rounding or two of its size; the deviation, near 5e-3, magnifies that.
      double bound = roundings<E>(16) + 1e-14;  // long double has 11 bits more than f64
      if (centering == Centering::once) bound += roundings<E>(2) * std::fabs(mean) / 5e-3;
      const Elements<E> got = reading.value.elements();
      for (std::size_t i = 0; i < got.size(); ++i) EXPECT_NEAR(got[i], expected[i], bound) << mean;
      for (const E element : reading.gradients[0].elements()) EXPECT_TRUE(std::isfinite(element));
    }
  }
}

TYPED_TEST(NormedRows, of_the_report_have_its_values) {
  using E = TypeParam;
  if constexpr (sizeof(E) == 4) {
    const std::vector<std::pair<double, double>> firsts{
        {0, -1.341641}, {100, -1.341528}, {1000, -1.341508}, {10000, -1.331333}};
    for (const auto& [mean, first] : firsts) {
      std::vector<double> elements;
      for (int i = 0; i < 16; ++i) elements.push_back(mean + i * 1e-3);
      const auto function = layer_norm_of<E>(1e-5, mean < 1e4 ? Centering::once : Centering::twice);
      EXPECT_NEAR(evaluate(function, row<E>(elements)).value.elements()[0], first, 2e-3) << mean;
    }
  }
  const Reading<E> large = evaluate(layer_norm_of<E>(1e-5), row<E>({40000, 40001, 40002, 40003}));
  EXPECT_TRUE(near(large.value, tensor<E>({1, 4}, {-1.341635, -.4472118, .4472118, 1.341635}), 1e-6))
      << "the report's seven digits";
}

TYPED_TEST(NormedRows, that_are_constant_are_the_shift_with_finite_gradients) {
  using E = TypeParam;
  for (const double value : {1234.0, 0.0, -16777216.0}) {
    const auto at = row<E>(std::vector<double>(256, value));
    const Reading<E> reading = evaluate(layer_norm_of<E>(1e-5), at);
    EXPECT_TRUE(same(reading.value, Tensor<E>::filled({1, 256}, E(0)))) << value;
    for (const Tensor<E>& gradient : reading.gradients) {
      for (const E element : gradient.elements()) EXPECT_TRUE(std::isfinite(element)) << value;
    }
  }
}

TYPED_TEST(NormedRows, use_the_epsilon_that_is_given) {
  using E = TypeParam;
  const auto four = row<E>(std::vector<double>(4, 1e-3));
  const std::vector<Tensor<E>> at{four[0], four[1]};
  for (const auto& [epsilon, expected] :
       {std::pair(1e-5, 0.30151134457776363), std::pair(1e-6, 0.70710678118654752)}) {
    const Reading<E> reading = evaluate(rms_norm_of<E>(epsilon), at);
    EXPECT_TRUE(near(reading.value, tensor<E>({1, 4}, std::vector<double>(4, expected)), roundings<E>(4)));
    // By the facade, which keeps it as a leaf
    Tape<E> tape;
    const RmsNorm<E> layer(tape, at[1], static_cast<E>(epsilon));
    const Value<E> output = layer.express(tape.leaf(at[0]));
    const Network<E> network = std::move(tape).seal();
    EXPECT_TRUE(same(network.forward(network.parameters()).of(output), reading.value));
  }
}

TYPED_TEST(NormedRows, of_zeros_are_zeros_with_finite_gradients) {
  using E = TypeParam;
  const auto zeros = row<E>(std::vector<double>(4, 0.0));
  const Reading<E> reading = evaluate(rms_norm_of<E>(1e-6), {zeros[0], zeros[1]});
  EXPECT_TRUE(same(reading.value, Tensor<E>::filled({1, 4}, E(0))));
  for (const E element : reading.gradients[0].elements()) EXPECT_NEAR(element, 1e3, roundings<E>(8) * 1e3);
}

TYPED_TEST(NormedRowsText, mean_the_same_in_the_text) {
  using E = TypeParam;
  for (const auto& elements :
       std::initializer_list<std::vector<double>>{{40000, 40001, 40002, 40003}, {1234, 1234, 1234, 1234}}) {
    // sums of four may go in another order there: a rounding at the size of the mean
    const Reading<E> home = evaluate(layer_norm_of<E>(1e-5), row<E>(elements));
    const Reading<E> abroad = evaluate_text(layer_norm_of<E>(1e-5), row<E>(elements));
    EXPECT_TRUE(near(abroad.value, home.value, roundings<E>(4)));
  }
}

}  // namespace
}  // namespace topos::reports
