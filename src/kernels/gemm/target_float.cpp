#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/gemm/target_float.cpp"
#include <hwy/foreach_target.h>  // includes this file once for every instruction set

#include "kernels/gemm/table.hpp"
#include "kernels/instruction_set.hpp"

HWY_BEFORE_NAMESPACE();
namespace topos::kernels::HWY_NAMESPACE {

const GemmTarget<float>& gemm_target_float() { return target_of<float>; }

}  // namespace topos::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace topos::kernels {

HWY_EXPORT(gemm_target_float);

template <>
const GemmTarget<float>& gemm_target() {
  instruction_set();
  return HWY_DYNAMIC_DISPATCH(gemm_target_float)();
}

}  // namespace topos::kernels
#endif
