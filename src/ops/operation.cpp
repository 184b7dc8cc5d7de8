#include "topos/ops/operation.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "topos/base/error.hpp"
#include "topos/ops/op_list.hpp"

namespace topos {

void OperandShapes::refuse(const char* constraint) const {
  std::string shapes;
  for (const Shape* shape : shapes_) {
    shapes += shapes.empty() ? "" : " and ";
    shapes += describe(*shape);
  }
  const std::string attributes = describe_fields(operation_.fields());
  const bool meets_scalar = operation_.is_elementwise() && shapes_.size() == 2 &&
                            (shapes_[0]->volume() == 1 || shapes_[1]->volume() == 1);
  const std::string_view advice = meets_scalar ? "; operators never stretch: use broadcast(x, shape)" : "";
  throw ShapeError(fmt::format("[{}{}{}] {}; got {}{}; recorded at {}", operation_.name(),
                               attributes.empty() ? "" : " ", attributes, constraint, shapes, advice,
                               describe(where_)));
}

void Operation::require_arity(std::size_t operands, const std::source_location& where) const {
  if (operands == arity()) return;
  throw UsageError(fmt::format("[{}] takes {} operand{}; got {}; recorded at {}", name(), arity(),
                               arity() == 1 ? "" : "s", operands, describe(where)));
}

Shape Operation::infer_shape(std::span<const Shape* const> operands,
                             const std::source_location& where) const {
  const OperandShapes shapes(*this, operands, where);
  try {
    return info_->infer_shape(attributes_.get(), shapes);
  } catch (const ShapeError&) {
    throw;
  } catch (const UsageError& error) {  // the result is no shape: its volume overflows
    shapes.require(false, error.what());
    throw;
  }
}

bool Operation::operator==(const Operation& other) const {
  if (info_ != other.info_) return false;
  const std::vector<Field> mine = fields();
  const std::vector<Field> theirs = other.fields();
  return std::equal(mine.begin(), mine.end(), theirs.begin(), theirs.end(),
                    [](const Field& a, const Field& b) {
                      if (const auto* number = std::get_if<std::int64_t>(&a.value))
                        return *number == std::get<0>(b.value);
                      if (const auto* text = std::get_if<std::string_view>(&a.value))
                        return *text == std::get<2>(b.value);
                      return std::ranges::equal(std::get<1>(a.value), std::get<1>(b.value));
                    });
}

std::string describe_fields(std::span<const Field> fields) {
  std::string text;
  for (const Field& field : fields) {
    if (!text.empty()) text += ' ';
    text += field.name;
    text += '=';
    if (const auto* number = std::get_if<std::int64_t>(&field.value)) {
      text += fmt::format("{}", *number);
    } else if (const auto* word = std::get_if<std::string_view>(&field.value)) {
      text += *word;
    } else {
      text += describe(std::get<1>(field.value));
    }
  }
  return text;
}

namespace detail {
namespace {

template <class Op>
const Op& attributes_of(const void* attributes) {
  if constexpr (std::is_empty_v<Op>) {
    static constexpr Op only{};
    return only;
  } else {
    return *static_cast<const Op*>(attributes);
  }
}

}  // namespace

// Other sources link against the instantiations made below, so they must exist as functions.
template <class Op, class... Attributes>
[[gnu::used, gnu::noinline]] Operation construct_operation(Attributes... attributes) {
  return Operation(Op(std::move(attributes)...));
}
template <class Op>
[[gnu::used, gnu::noinline]] const OperationInfo& operation_info() {
  static_assert(Vocabulary<Op>, "an operation of OpList lacks one of its readings: see ops/op_list.hpp");
  static constexpr OperationInfo info{
      .name = Op::name,
      .arity = Op::arity,
      .is_source = Op::is_source,
      .is_elementwise = Op::is_elementwise,
      .reads = Op::reads,
      .opcode = index_in<Op, OpList>,
      .fields = [](const void* attributes) { return attributes_of<Op>(attributes).fields(); },
      .infer_shape =
          [](const void* attributes, const OperandShapes& shapes) {
            return attributes_of<Op>(attributes).infer_shape(shapes);
          },
      .result_precision =
          [](const void* attributes, Precision operands) {
            return attributes_of<Op>(attributes).result_precision(operands);
          },
  };
  return info;
}

namespace {
// Instantiates what is declared per operation for every operation of the list.
template <class... Ops>
std::array<const OperationInfo*, sizeof...(Ops)> all_infos(TypeList<Ops...>) {
  return {&operation_info<Ops>()...};
}
using AnyFunction = void (*)();
template <class Op, class... Attributes>
AnyFunction construction(TypeList<Attributes...>) {
  return reinterpret_cast<AnyFunction>(&construct_operation<Op, Attributes...>);
}
template <class... Ops>
std::array<AnyFunction, sizeof...(Ops)> all_constructions(TypeList<Ops...>) {
  return {construction<Ops>(typename Ops::Attributes{})...};
}
[[gnu::used]] const auto constructions = all_constructions(OpList{});
}  // namespace

std::span<const OperationInfo* const> vocabulary() {
  static const auto infos = all_infos(OpList{});
  return infos;
}

}  // namespace detail
}  // namespace topos
