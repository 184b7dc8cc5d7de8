// Steps that more than one lowering uses.
#pragma once

#include "plan/engine/executable.hpp"

namespace topos::engine {

/// A value's elements to a buffer of their own, row-major.
template <class F>
class CopyStep : public Step<F> {
 public:
  CopyStep(BufferIndex from, const Layout& layout, BufferIndex to, Extent volume)
      : from_(from), offset_(layout.offset()), axes_(layout.flattened()), to_(to), volume_(volume) {}
  void run(const Memory<F>& memory) const override;
  std::string describe() const override;

 private:
  BufferIndex from_;
  Extent offset_;
  std::vector<StridedAxis> axes_;
  BufferIndex to_;
  Extent volume_;
};

extern template class CopyStep<float>;
extern template class CopyStep<double>;

}  // namespace topos::engine
