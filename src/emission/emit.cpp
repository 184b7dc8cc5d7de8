#include "topos/emission/emit_impl.hpp"

namespace topos {

#define TOPOS_INSTANTIATE(E) template std::string emit_stablehlo(const Plan<E>&);
TOPOS_FOR_EACH_ELEMENT(TOPOS_INSTANTIATE)
#undef TOPOS_INSTANTIATE

}  // namespace topos
