// Constants survive the text: what another parser reads back has the same bits.
#include "reports/readings.hpp"
#include "topos/nn/initialize.hpp"

namespace topos::reports {
namespace {

template <class E>
class ConstantsText : public EmittedText {};
TYPED_TEST_SUITE(ConstantsText, ElementTypes);

/// The constants by way of a module that returns them.
template <class E>
std::vector<Tensor<E>> read_back(const std::vector<Tensor<E>>& constants) {
  Tape<E> tape;
  Symbols roots;
  for (const Tensor<E>& constant : constants) roots.push_back(tape.leaf(constant));
  return evaluate_text<E>(std::move(tape).seal().entry(roots).lower(), {});
}

template <class E>
std::vector<E> special_elements() {
  using Limits = std::numeric_limits<E>;
  return {E(1e-5),
          E(1),
          E(0),
          E(-0.0),
          E(0.5),
          E(-0.5),
          E(0.1),
          E(16777217),
          Limits::max(),
          -Limits::max(),
          Limits::min(),
          Limits::denorm_min(),
          Limits::epsilon(),
          infinity<E>,
          -infinity<E>,
          not_a_number<E>,
          E(1e22),
          E(1e-310),
          E(1.4e-45),
          E(1.17549435e-38),
          E(3.4028235e38),
          E(123456789),
          E(1e16),
          E(9999999000000000.0)};
}

TYPED_TEST(ConstantsText, keep_the_bits_of_special_numbers) {
  using E = TypeParam;
  const std::vector<E> elements = special_elements<E>();
  std::vector<Tensor<E>> constants{Tensor<E>({static_cast<Extent>(elements.size())}, elements)};
  for (const E element : elements) {
    constants.push_back(Tensor<E>(element));
    constants.push_back(Tensor<E>::filled({2, 3}, element));
  }
  const auto read = read_back(constants);
  ASSERT_EQ(read.size(), constants.size());
  for (std::size_t i = 0; i < read.size(); ++i) EXPECT_TRUE(same(read[i], constants[i]));
}

TYPED_TEST(ConstantsText, keep_the_bits_of_random_patterns_in_decimals_and_in_blobs) {
  using E = TypeParam;
  SplitMix64 random(36);
  const auto pattern = [&] {
    if constexpr (sizeof(E) == 4)
      return std::bit_cast<float>(static_cast<std::uint32_t>(random.next() >> 32));
    else
      return std::bit_cast<double>(random.next());
  };
  std::vector<Tensor<E>> constants;
  for (const Extent count : {1000, 1000, 1000, 1000, 1000, 20'000}) {
    std::vector<E> elements;
    for (Extent i = 0; i < count; ++i) elements.push_back(pattern());
    constants.emplace_back(Shape({count / 10, 10}), elements);
  }
  const auto read = read_back(constants);
  for (std::size_t i = 0; i < read.size(); ++i) EXPECT_TRUE(same(read[i], constants[i])) << i;
}

TYPED_TEST(ConstantsText, keep_the_sign_of_each_zero_among_zeros) {
  using E = TypeParam;
  const std::vector<Tensor<E>> constants{tensor<E>({2}, {0.0, -0.0}), tensor<E>({3}, {-0.0, 0.0, -0.0})};
  const auto read = read_back(constants);
  for (std::size_t i = 0; i < read.size(); ++i) EXPECT_TRUE(same(read[i], constants[i]));
}

TYPED_TEST(ConstantsText, keep_their_shape) {
  using E = TypeParam;
  const std::vector<double> elements{1, 2, 3, 4, 5, 6};
  const std::vector<Tensor<E>> constants{
      tensor<E>({6}, elements),
      tensor<E>({1, 6}, elements),
      tensor<E>({2, 3}, elements),
      tensor<E>({3, 1, 2}, elements),
      tensor<E>({1}, {7}),
      tensor<E>({}, {7}),
      Tensor<E>::filled({0, 2}, E(1)),
      tensor<E>({2, 3}, elements).permuted(std::vector<Axis>{1, 0}),
  };
  const auto read = read_back(constants);
  for (std::size_t i = 0; i < read.size(); ++i) EXPECT_TRUE(same(read[i], constants[i])) << i;
}

}  // namespace
}  // namespace topos::reports
