#include "topos/emission/emit_impl.hpp"

namespace topos {

template std::string emit_stablehlo(const Plan<float>&);
template std::string emit_stablehlo(const Plan<double>&);

}  // namespace topos
