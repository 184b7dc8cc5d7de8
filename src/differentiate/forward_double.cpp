#include "topos/differentiate/forward_impl.hpp"

namespace topos {

template std::vector<Value<double>> Tape<double>::jvp(const Symbols&, const Tangents<double>&, const Where&);
template Value<double> Tape<double>::jvp(const Symbol&, const Tangents<double>&, const Where&);

}  // namespace topos
