// Large constants: short where they repeat one element, blobs of their bytes where they do not.
#include "reports/readings.hpp"
#include "topos/emission/literal.hpp"
#include "topos/nn/initialize.hpp"

namespace topos::reports {
namespace {

template <class E>
class LargeConstants : public ::testing::Test {};
TYPED_TEST_SUITE(LargeConstants, ElementTypes);
template <class E>
class LargeConstantsText : public EmittedText {};
TYPED_TEST_SUITE(LargeConstantsText, ElementTypes);

const Shape large{1024, 1024};

template <class E>
Tensor<E> random_constant(const Shape& shape) {
  return Uniform(38, 1).tensor<E>(shape);
}

TYPED_TEST(LargeConstants, take_two_digits_a_byte_and_a_splat_takes_none) {
  using E = TypeParam;
  const std::string blob = dense_attribute(random_constant<E>(large));
  EXPECT_TRUE(blob.starts_with("dense<\"0x"));
  EXPECT_LT(blob.size(), 2 * sizeof(E) * (1 << 20) + 20);
  EXPECT_LT(dense_attribute(Tensor<E>::filled(large, E(0.5))).size(), 100u);
  EXPECT_LT(dense_attribute(Tensor<E>(large, std::vector<E>(1 << 20, E(0.5)))).size(), 100u)
      << "equal elements that are stored one by one";
}

TYPED_TEST(LargeConstants, are_never_elided) {
  using E = TypeParam;
  Tape<E> tape;
  const Symbol constant = tape.leaf(random_constant<E>({512, 512}));
  const std::string text = emit_stablehlo(std::move(tape).seal().entry({constant}).lower());
  EXPECT_EQ(text.find("dense_resource"), std::string::npos);
  EXPECT_EQ(text.find("__elided__"), std::string::npos);
  EXPECT_GT(text.size(), 2 * sizeof(E) * 512 * 512);
}

TYPED_TEST(LargeConstantsText, are_read_back_on_either_side_of_the_change_of_form) {
  using E = TypeParam;
  for (const Extent count :
       {largest_decimal_constant - 1, largest_decimal_constant, largest_decimal_constant + 1}) {
    const auto constant = random_constant<E>({count});
    EXPECT_EQ(dense_attribute(constant).starts_with("dense<\"0x"), count > largest_decimal_constant);
    Tape<E> tape;
    const Symbol root = tape.leaf(constant);
    EXPECT_TRUE(same(evaluate_text<E>(std::move(tape).seal().entry({root}).lower(), {})[0], constant))
        << count;
  }
  Tape<E> tape;
  const Symbol root = tape.leaf(random_constant<E>(large));
  EXPECT_TRUE(
      same(evaluate_text<E>(std::move(tape).seal().entry({root}).lower(), {})[0], random_constant<E>(large)));
}

}  // namespace
}  // namespace topos::reports
