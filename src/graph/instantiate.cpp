#include "topos/graph/graph_impl.hpp"

namespace topos {

template class Value<float>;
template class Value<double>;
template class Tape<float>;
template class Tape<double>;
template class Network<float>;
template class Network<double>;
template class Parameters<float>;
template class Parameters<double>;

}  // namespace topos
