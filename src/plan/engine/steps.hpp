// Steps that more than one lowering uses.
#pragma once

#include "plan/engine/executable.hpp"

namespace topos::engine {

/// A value's elements, walked by `axes`, to a buffer of their own.
template <class F>
class CopyStep : public Step<F> {
 public:
  CopyStep(BufferIndex from, Extent offset, std::vector<StridedAxis> axes, BufferIndex to, Extent volume)
      : from_(from), offset_(offset), axes_(std::move(axes)), to_(to), volume_(volume) {}
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
