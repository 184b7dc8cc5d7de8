// A fact of some operations, found by their opcode.
#pragma once

#include <vector>

#include "topos/ops/operation.hpp"

namespace topos::engine {

/// One T an operation; T{} for those that are not set.
template <class T>
class OpcodeTable {
 public:
  OpcodeTable() : values_(detail::vocabulary().size()) {}
  template <class Op>
  void set(T value) {
    values_[detail::operation_info<Op>().opcode] = value;
  }
  void set(const detail::OperationInfo& operation, T value) { values_[operation.opcode] = value; }
  const T& operator[](const Operation& operation) const { return values_[operation.opcode()]; }

 private:
  std::vector<T> values_;
};

}  // namespace topos::engine
