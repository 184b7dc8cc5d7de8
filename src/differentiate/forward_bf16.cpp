#include "topos/differentiate/forward_impl.hpp"

namespace topos {

template std::vector<Value<Bf16>> Tape<Bf16>::jvp(const Symbols&, const Tangents<Bf16>&, const Where&);
template Value<Bf16> Tape<Bf16>::jvp(const Symbol&, const Tangents<Bf16>&, const Where&);

}  // namespace topos
