// What an operation is made of: the parts of one that a test writes, and how the library reads its own.
#include <gtest/gtest.h>

#include "support/refusal.hpp"
#include "topos/ops/elementwise.hpp"
#include "topos/ops/op_list.hpp"
#include "topos/ops/rules.hpp"

namespace topos {
namespace {

using T = Tensor<float>;

/// x^3 of a vector of at least `least` elements.
struct Cube : OperationDefaults {
  Extent least = 1;

  explicit Cube(Extent count) : least(count) {}
  using Attributes = TypeList<Extent>;
  static constexpr std::string_view name = "Cube";
  static constexpr std::size_t arity = 1;
  static constexpr Reads reads = Reads::left;
  static constexpr bool accumulates = false;
  std::vector<Field> fields() const { return {{"least", least}}; }
  Shape infer_shape(const OperandShapes& in) const {
    in.require(in[0].rank() == 1, "C1: the operand must be a vector");
    in.require(in[0].volume() >= least, "C2: the vector is too short");
    return in[0];
  }
  template <class E>
  Tensor<E> evaluate(std::span<const Tensor<E>> in, const Shape&) const {
    return reference::map(in[0], [](const E& x) -> E { return x * x * x; });
  }
  // d x^3 = 3 x^2 dx
  template <Recordable R>
  Cotangents<R, 1> vjp(const Linearization<R>& at) const {
    const R squared = multiply(at.operand(), at.operand());
    const R ones = at.ones_like(squared);
    const R threes = add(ones, add(ones, ones));
    return {multiply(at.cotangent, multiply(threes, squared))};
  }
  template <class Writer>
  void spell(Writer& out) const {
    out.elementwise("own.cube");
  }
};
static_assert(std::is_same_v<Cube::Attributes, TypeList<Extent>>);
static_assert(Vocabulary<Cube> && !Cube::accumulates && TypeList<Cube, Tanh>::size == 2);

/// The same without a rule: the concept of what is missing names it.
struct NoRule : Cube {
  using Cube::Cube;
  void vjp() = delete;
};
static_assert(HasName<NoRule> && HasArity<NoRule> && HasReads<NoRule> && HasFields<NoRule>);
static_assert(HasShapeRule<NoRule> && HasEvaluation<NoRule> && !HasDerivativeRule<NoRule>);
static_assert(!Vocabulary<NoRule>);

// What families of operations have in common.
static_assert(ElementwiseUnary::arity == 1 && ElementwiseBinary::is_elementwise &&
              SourceOperation::is_source);

Shape inferred(const Operation& in_messages, const Cube& cube, const Shape& operand) {
  const std::array shapes{&operand};
  return cube.infer_shape(OperandShapes(in_messages, shapes, Where::current()));
}

TEST(OwnOperation, ChecksItsOperandsInTheWordsOfItsConstraints) {
  const Operation tanh = make_operation<Tanh>();
  EXPECT_EQ(inferred(tanh, Cube(2), Shape({3})), Shape({3}));
  testing::expect_refusal([&] { inferred(tanh, Cube(2), Shape({1, 3})); },
                          "C1: the operand must be a vector");
  testing::expect_refusal([&] { inferred(tanh, Cube(4), Shape({3})); }, "C2: the vector is too short");
  EXPECT_EQ(describe_fields(Cube(2).fields()), "least=2");
}

TEST(OwnOperation, EvaluatesAndHasTheDerivativeThatItsRuleSays) {
  const Cube cube(1);
  const std::array operands{T({3}, {1, -2, 0.5f})};
  const T output = cube.evaluate<float>(operands, operands[0].shape());
  EXPECT_EQ(describe(output), "[1, -8, 0.125]");
  const T cotangent({3}, {1, 10, 100});
  const Linearization<T> at{operands, output, cotangent};
  EXPECT_EQ(describe(*cube.vjp(at)[0]), "[3, 120, 75]");
}

TEST(Operations, AreReadByTheirOpcode) {
  const Operation product = make_operation<Multiply>();
  EXPECT_EQ(product.opcode(), (index_in<Multiply, OpList>));
  const std::array operands{T(3.0f), T(5.0f)};
  const T output = evaluate<float>(product, operands, Shape());
  EXPECT_EQ(output.item(), 15.0f);

  const T cotangent(10.0f);
  const Linearization<T> at{operands, output, cotangent};
  EXPECT_EQ(at.left().item(), 3.0f);
  EXPECT_EQ(at.right().item(), 5.0f);
  const std::array<std::optional<T>, max_arity> cotangents = vjp<T>(product, at);
  EXPECT_EQ(cotangents[0]->item(), 50.0f);
  EXPECT_EQ(cotangents[1]->item(), 30.0f);
}

TEST(Operations, SayWhichValuesTheirRulesRead) {
  EXPECT_EQ(make_operation<Add>().reads(), Reads::nothing);
  EXPECT_EQ(make_operation<Multiply>().reads(), Reads::both);
  const Reads quotient = make_operation<Divide>().reads();
  EXPECT_EQ(quotient, Reads::right | Reads::output);
  EXPECT_TRUE(includes(quotient, Reads::right));
  EXPECT_FALSE(includes(quotient, Reads::left));
}

TEST(Operations, KeepTheAttributesThatTheirFunctionsAreGiven) {
  const Operation part = make_operation<Narrow>(Axis{1}, Extent{2}, Extent{3});
  EXPECT_EQ(part.get<Narrow>().length, 3);
  EXPECT_EQ(describe_fields(part.fields()), "axis=1 start=2 len=3");
  EXPECT_EQ(make_operation<Pad>(0, 1, 9).get<Pad>().full_extent, 9);
  const Operation swapped = make_operation<Permute>(std::vector<Axis>{1, 0});
  EXPECT_EQ(swapped.get_if<Permute>()->order, (std::vector<Axis>{1, 0}));
  EXPECT_EQ(swapped.get_if<Pad>(), nullptr);
}

TEST(Operations, InferShapesAndRefuseAWrongNumberOfOperands) {
  const Operation product = make_operation<MatMul>();
  const Shape left({2, 3}), right({3, 4});
  const std::array shapes{&left, &right};
  EXPECT_EQ(product.infer_shape(shapes, Where::current()), Shape({2, 4}));
  testing::expect_refusal([&] { product.require_arity(1, Where::current()); }, "MatMul");
}

TEST(Operations, AreNeverEvaluatedWhenTheirValueIsAPayload) {
  EXPECT_THROW(make_operation<Leaf>().infer_shape({}, Where::current()), InternalError);
  EXPECT_THROW(evaluate<float>(make_operation<Input>(), {}, Shape()), Error);
}

}  // namespace
}  // namespace topos
