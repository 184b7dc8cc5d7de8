#include "topos/differentiate/forward_impl.hpp"

namespace topos {

template std::vector<Value<float>> Tape<float>::jvp(const Symbols&, const Tangents<float>&, const Where&);
template Value<float> Tape<float>::jvp(const Symbol&, const Tangents<float>&, const Where&);

}  // namespace topos
