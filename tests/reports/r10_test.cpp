// Derivatives of recorded derivatives.
#include "reports/readings.hpp"
#include "support/finite_differences.hpp"
#include "topos/composites/activations.hpp"
#include "topos/ops/functions.hpp"

namespace topos::reports {
namespace {

template <class E>
class Hessians : public ::testing::Test {};
TYPED_TEST_SUITE(Hessians, ElementTypes);
template <class E>
class HessiansText : public EmittedText {};
TYPED_TEST_SUITE(HessiansText, ElementTypes);

/// The product of the Hessian of sum(f) with `vector`, as a function of its own: a gradient of it is a third
/// derivative.
template <class E>
struct HessianProduct {
  Network<E> network;
  Symbol product;
  Tensor<E> at_home() const { return network.forward(network.parameters(), {}).of(product); }
};

template <class E>
HessianProduct<E> hessian_product(const Function<E>& f, const Tensor<E>& at, const Tensor<E>& vector) {
  Tape<E> tape;
  const Value<E> x = tape.parameter(at);
  const Adjoints first = tape.differentiate(sum(f({x})), {x});
  const Adjoints second = tape.vjp(first.of(x), tape.leaf(vector), {x});
  return {std::move(tape).seal(), second.of(x)};
}

/// Row by row, at a point of rank 1.
template <class E>
std::vector<Tensor<E>> hessian(const Function<E>& f, const Tensor<E>& at) {
  std::vector<Tensor<E>> rows;
  for (Extent row = 0; row < at.volume(); ++row) {
    std::vector<double> unit(static_cast<std::size_t>(at.volume()), 0.0);
    unit[static_cast<std::size_t>(row)] = 1;
    rows.push_back(hessian_product(f, at, tensor<E>(at.shape(), unit)).at_home());
  }
  return rows;
}

TYPED_TEST(Hessians, of_a_polynomial_are_exact) {
  using E = TypeParam;
  const Function<E> f = [](const auto& v) {
    const Value<E> a = narrow(v[0], 0, 0, 1);
    return a * a * narrow(v[0], 0, 1, 1);
  };
  const auto rows = hessian(f, tensor<E>({2}, {2, 3}));
  EXPECT_EQ(describe(rows[0]), "[6, 4]");
  EXPECT_EQ(describe(rows[1]), "[4, 0]");
}

TYPED_TEST(Hessians, of_a_cube_are_the_same_by_products_and_by_a_power) {
  using E = TypeParam;
  const std::vector<Function<E>> cubes{
      [](const auto& v) { return v[0] * v[0] * v[0]; },
      [](const auto& v) { return pow(v[0], v[0].constant(v[0].shape(), 3)); },
  };
  for (const Function<E>& cube : cubes) {
    const auto rows = hessian(cube, tensor<E>({3}, {1, 2, 3}));
    EXPECT_EQ(describe(rows[0]), "[6, 0, 0]");
    EXPECT_EQ(describe(rows[1]), "[0, 12, 0]");
    EXPECT_EQ(describe(rows[2]), "[0, 0, 18]");
    const auto product = hessian_product(cube, tensor<E>({3}, {1, 2, 3}), Tensor<E>::filled({3}, E(1)));
    EXPECT_EQ(describe(product.at_home()), "[6, 12, 18]");
    EXPECT_EQ(
        describe(hessian_product(cube, tensor<E>({2}, {0, -2}), Tensor<E>::filled({2}, E(1))).at_home()),
        "[0, -12]");
  }
}

TYPED_TEST(Hessians, of_logsumexp_are_its_softmax_covariance) {
  using E = TypeParam;
  const auto rows = hessian<E>([](const auto& v) { return logsumexp(v[0], 0); }, tensor<E>({2}, {0, 0}));
  EXPECT_TRUE(near(rows[0], tensor<E>({2}, {0.25, -0.25}), roundings<E>(4)));
  EXPECT_TRUE(near(rows[1], tensor<E>({2}, {-0.25, 0.25}), roundings<E>(4)));
}

TYPED_TEST(Hessians, of_a_squared_rectifier_are_zero_at_zero) {
  using E = TypeParam;
  const Function<E> squared = [](const auto& v) { return relu(v[0]) * relu(v[0]); };
  const auto product = hessian_product(squared, tensor<E>({3}, {-1, 0, 1}), Tensor<E>::filled({3}, E(1)));
  EXPECT_EQ(describe(product.at_home()), "[0, 0, 2]");
}

TYPED_TEST(Hessians, across_two_variables_are_smooth_where_they_meet) {
  using E = TypeParam;
  const auto ones = Tensor<E>::filled({2}, E(1));
  for (Extent row = 0; row < 2; ++row) {
    Tape<E> tape;
    const Value<E> p = tape.parameter(ones);
    const Value<E> q = tape.parameter(ones);
    const Value<E> apart = p - q;
    const Adjoints by_p = tape.differentiate(exp(-sum(apart * apart)), {p});
    const Adjoints by_q = tape.differentiate(sum(narrow(tape.resolve(by_p.of(p)), 0, row, 1)), {q});
    const Network<E> network = std::move(tape).seal();
    EXPECT_TRUE(same(network.forward(network.parameters(), {}).of(by_q.of(q)),
                     row == 0 ? tensor<E>({2}, {2, 0}) : tensor<E>({2}, {0, 2})));
  }
}

TEST(HessiansByDifferences, agree_for_the_smooth_functions) {
  const std::vector<Function<double>> functions{
      [](const auto& v) { return tanh(v[0]); },
      [](const auto& v) { return sin(v[0]) * exp(v[0]); },
      [](const auto& v) { return erf(v[0]); },
      [](const auto& v) { return gelu(v[0]); },
      [](const auto& v) { return softplus(v[0]); },
      [](const auto& v) { return softmax(v[0], 0) * v[0]; },
      [](const auto& v) { return logsumexp(v[0] * v[0], 0); },
      [](const auto& v) { return sqrt(v[0] * v[0] + v[0].constant(v[0].shape(), 1)); },
  };
  const auto at = tensor<double>({3}, {0.5, -0.75, 1.25});
  const auto vector = tensor<double>({3}, {1, -2, 0.5});
  for (const Function<double>& f : functions) {
    const auto slope_along_vector = [&](const Tensor<double>& point) {
      const Elements<double> gradient = evaluate(f, {point}).gradients[0].elements();
      return gradient[0] * 1 + gradient[1] * -2 + gradient[2] * 0.5;
    };
    EXPECT_TRUE(testing::near_differences(hessian_product(f, at, vector).at_home(),
                                          testing::central_differences(slope_along_vector, at)));
  }
}

TYPED_TEST(HessiansText, are_the_same_in_the_text) {
  using E = TypeParam;
  const std::vector<Function<E>> functions{
      [](const auto& v) { return v[0] * v[0] * v[0]; },
      [](const auto& v) { return relu(v[0]) * relu(v[0]); },
      [](const auto& v) { return pow(v[0], v[0].constant(v[0].shape(), 3)); },
  };
  for (const Function<E>& f : functions) {
    const auto product = hessian_product(f, tensor<E>({3}, {-2, 0, 3}), tensor<E>({3}, {1, 1, 2}));
    const Plan<E> plan = product.network.entry({product.product}).lower();
    EXPECT_TRUE(same(evaluate_text(plan, product.network.parameters().payloads())[0], product.at_home()));
  }
}

}  // namespace
}  // namespace topos::reports
