// An operation as a value: which one, with which attributes. What an operation means is told in its own
// header (ops/tanh.hpp, ...); this file is how the graph holds any of them without including them all.
#pragma once

#include <cstdint>
#include <memory>
#include <source_location>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <variant>
#include <vector>

#include "topos/base/type_list.hpp"
#include "topos/element/precision.hpp"
#include "topos/tensor/shape.hpp"

namespace topos {

/// Values that an operation's derivative rule reads; a plan that keeps values for a reverse scan keeps these.
/// Combined by |.
enum class Reads : std::uint8_t { nothing = 0, left = 1, right = 2, both = 3, output = 4 };
constexpr Reads operator|(Reads a, Reads b) {
  return static_cast<Reads>(static_cast<std::uint8_t>(a) | static_cast<std::uint8_t>(b));
}
/// Whether any of `one` is among `all`.
constexpr bool includes(Reads all, Reads one) {
  return (static_cast<std::uint8_t>(all) & static_cast<std::uint8_t>(one)) != 0;
}

/// An attribute as it prints and compares: "axis=1", "shape=[2, 3]", "to=bf16".
struct Field {
  std::string_view name;  ///< "axis"
  std::variant<std::int64_t, std::span<const std::int64_t>, std::string_view>
      value;  ///< a list is the operation's own
};

class Operation;

/// Operand shapes under check. `require` throws a ShapeError naming the operation, its attributes, the broken
/// constraint, the shapes and the caller's place.
class OperandShapes {
 public:
  OperandShapes(const Operation& operation, std::span<const Shape* const> shapes,
                const std::source_location& where)
      : operation_(operation), shapes_(shapes), where_(where) {}
  const Shape& operator[](std::size_t i) const { return *shapes_[i]; }
  /// `constraint` reads "C1: the operand shapes must be equal".
  void require(bool holds, const char* constraint) const {
    if (!holds) refuse(constraint);
  }

 private:
  [[noreturn]] void refuse(const char* constraint) const;

  const Operation& operation_;
  std::span<const Shape* const> shapes_;
  const std::source_location& where_;
};

namespace detail {

/// The readings of an operation that do not depend on an element type, as functions of its attributes.
struct OperationInfo {
  std::string_view name;
  std::size_t arity;
  bool is_source;
  bool is_elementwise;
  Reads reads;
  std::size_t opcode;
  std::vector<Field> (*fields)(const void* attributes);
  Shape (*infer_shape)(const void* attributes, const OperandShapes& shapes);
  Precision (*result_precision)(const void* attributes, Precision operands);
};

/// Defined, for every operation of OpList and for nothing else, by src/ops/operation.cpp.
template <class Op>
const OperationInfo& operation_info();

/// Every operation of OpList, by opcode.
std::span<const OperationInfo* const> vocabulary();

}  // namespace detail

/// Defaults of an operation's declared facts; an operation hides the ones that differ.
struct OperationDefaults {
  static constexpr bool is_source = false;       // no operands: a payload stands for it
  static constexpr bool is_elementwise = false;  // the operands' shape, element by element
  static constexpr bool accumulates = false;    // adds many terms: in the element's accumulator, rounded once
  static constexpr bool rounds_inside = false;  // several steps, each of which rounds to the element
  using Attributes = TypeList<>;                // what the constructor takes
  std::vector<Field> fields() const { return {}; }  // the attributes
  /// What the result is held in, given what all operands are.
  static Precision result_precision(Precision operands) { return operands; }
};

/// A copyable, type-erased operation.
class Operation {
 public:
  template <class Op>
    requires std::is_base_of_v<OperationDefaults, Op>
  Operation(Op op)  // NOLINT(google-explicit-constructor): an Op is an Operation
      : info_(&detail::operation_info<Op>()) {
    if constexpr (!std::is_empty_v<Op>) attributes_ = std::make_shared<const Op>(std::move(op));
  }

  // What its header declares: see OperationDefaults and op_list.hpp.
  std::string_view name() const { return info_->name; }
  std::size_t arity() const { return info_->arity; }
  bool is_source() const { return info_->is_source; }
  bool is_elementwise() const { return info_->is_elementwise; }
  Reads reads() const { return info_->reads; }
  std::vector<Field> fields() const { return info_->fields(attributes_.get()); }

  /// Position in OpList.
  std::size_t opcode() const { return info_->opcode; }
  /// Throws UsageError unless `operands` is the arity.
  void require_arity(std::size_t operands, const std::source_location& where) const;
  /// The result's shape; throws ShapeError when the operands break a constraint or the result is too large.
  Shape infer_shape(std::span<const Shape* const> operands, const std::source_location& where) const;
  /// What the result is held in, given what all operands are.
  Precision result_precision(Precision operands) const {
    return info_->result_precision(attributes_.get(), operands);
  }

  /// Whether it is an Op, with any attributes.
  template <class Op>
  bool is() const {
    return info_ == &detail::operation_info<Op>();
  }
  /// The operation itself when it is an Op, else null.
  template <class Op>
  const Op* get_if() const {
    return is<Op>() ? &get<Op>() : nullptr;
  }
  /// The operation itself, which must be an Op.
  template <class Op>
  const Op& get() const {
    if constexpr (std::is_empty_v<Op>) {
      static constexpr Op only{};
      return only;
    } else {
      return *static_cast<const Op*>(attributes_.get());
    }
  }

  /// Same operation with equal attributes.
  bool operator==(const Operation& other) const;

 private:
  const detail::OperationInfo* info_;
  std::shared_ptr<const void> attributes_;  // null for an operation without attributes
};

namespace detail {
/// Defined, for every operation of OpList with its Attributes, where operation_info is.
template <class Op, class... Attributes>
Operation construct_operation(Attributes... attributes);
template <class Attribute>
using StoredAttribute = std::conditional_t<std::is_integral_v<Attribute>, std::int64_t, Attribute>;
}  // namespace detail

/// The operation Op, which may be an incomplete type, from what its constructor takes.
template <class Op, class... Attributes>
Operation make_operation(Attributes... attributes) {
  return detail::construct_operation<Op, detail::StoredAttribute<Attributes>...>(std::move(attributes)...);
}

/// "axis=1 start=0 len=2"; empty for an operation without attributes.
std::string describe_fields(std::span<const Field> fields);

}  // namespace topos
