// Constants abroad: emit, parse, return: the same bits, for every way in which a constant is written.
#include <gtest/gtest.h>

#include <bit>

#include "support/foreign.hpp"
#include "support/op_cases.hpp"
#include "topos/nn/initialize.hpp"

namespace topos::testing {
namespace {

template <class E>
using Bits = decltype(bits_of(E()));

/// Any bit pattern: a quarter of them near a special one.
template <class E>
std::vector<E> patterns(Extent count, SplitMix64& random) {
  const std::vector<E> special = special_elements<E>();
  std::vector<E> elements;
  for (Extent i = 0; i < count; ++i) {
    Bits<E> bits = static_cast<Bits<E>>(random.next() >> (64 - 8 * sizeof(E)));
    if (random.next() % 4 == 0) {
      bits = static_cast<Bits<E>>(bits_of(special[random.next() % special.size()]) + random.next() % 3);
    }
    elements.push_back(std::bit_cast<E>(bits));
  }
  return elements;
}

template <class E>
class Constants : public ::testing::Test {
 protected:
  /// Each tensor a constant of one module and its result.
  static void expect_returned(const std::vector<Tensor<E>>& tensors) {
    for (const Engine engine : engines) TOPOS_REQUIRE_ENGINE(engine);
    Tape<E> tape;
    Symbols results;
    for (const Tensor<E>& tensor : tensors) results.push_back(tape.leaf(tensor).symbol());
    const Network<E> network = std::move(tape).seal();
    const Plan<E> plan = network.entry(results).lower();
    for (const Engine engine : engines) {
      const std::vector<Tensor<E>> returned = evaluate_abroad(engine, plan, network.parameters(), {});
      ASSERT_EQ(returned.size(), tensors.size());
      for (std::size_t i = 0; i < tensors.size(); ++i) {
        EXPECT_TRUE(equal_bits(returned[i], tensors[i])) << name(engine) << ", constant " << i;
      }
    }
  }
};
using ElementTypes = ::testing::Types<float, double, Bf16>;
TYPED_TEST_SUITE(Constants, ElementTypes);

TYPED_TEST(Constants, of_100_000_random_patterns_in_decimals_come_back_with_equal_bits) {
  SplitMix64 random(36);
  std::vector<Tensor<TypeParam>> tensors;
  for (int i = 0; i < 100; ++i) tensors.emplace_back(Shape{1000}, patterns<TypeParam>(1000, random));
  this->expect_returned(tensors);
}

TYPED_TEST(Constants, of_100_000_random_patterns_in_a_blob_come_back_with_equal_bits) {
  SplitMix64 random(37);
  this->expect_returned({Tensor<TypeParam>({50, 2, 1000}, patterns<TypeParam>(100000, random))});
}

TYPED_TEST(Constants, of_special_values_and_shapes_come_back_with_equal_bits) {
  using E = TypeParam;
  std::vector<Tensor<E>> tensors;
  for (const E element : special_elements<E>()) {
    tensors.emplace_back(element);
    tensors.push_back(Tensor<E>::filled({2, 3}, element));
    tensors.push_back(Tensor<E>::filled({2000}, element));
    tensors.emplace_back(Shape{1, 2}, std::vector<E>{element, E(1)});
    tensors.emplace_back(Shape{2}, std::vector<E>{element, -element});
  }
  for (const double element : {1e-5, 0.1, 16777217.0, 1.17549435e-38, 1.4e-45, 1e300, 4.9e-324}) {
    tensors.emplace_back(static_cast<E>(element));
  }
  tensors.emplace_back(Shape{0}, std::vector<E>{});
  tensors.emplace_back(Shape{2, 0, 3}, std::vector<E>{});
  tensors.push_back(Tensor<E>::filled({0, 2}, E(1)));
  tensors.push_back(Tensor<E>::selection({2, 0, 2}, 3));
  tensors.push_back(Tensor<E>::selection({}, 3));
  this->expect_returned(tensors);
}

TYPED_TEST(Constants, and_arguments_that_are_results_come_back_with_equal_bits) {
  using E = TypeParam;
  for (const Engine engine : engines) TOPOS_REQUIRE_ENGINE(engine);
  SplitMix64 random(38);
  Tape<E> tape;
  const Value<E> x = tape.parameter(Tensor<E>({500}, patterns<E>(500, random)));
  const Value<E> y = tape.input(Tensor<E>({20, 25}, patterns<E>(500, random)));
  const Symbols results{y, x};
  const Network<E> network = std::move(tape).seal();
  const Plan<E> plan = network.entry(results).lower();
  const Tensor<E> fed({20, 25}, patterns<E>(500, random));
  for (const Engine engine : engines) {
    const std::vector<Tensor<E>> returned =
        evaluate_abroad<E>(engine, plan, network.parameters(), {{results[0], fed}});
    EXPECT_TRUE(equal_bits(returned[0], fed)) << name(engine);
    EXPECT_TRUE(equal_bits(returned[1], network.parameters().of(results[1]))) << name(engine);
  }
}

}  // namespace
}  // namespace topos::testing
