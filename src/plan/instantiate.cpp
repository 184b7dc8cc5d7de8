#include "topos/plan/plan_impl.hpp"

namespace topos {

template class Gradients<float>;
template class Gradients<double>;
template class Run<float>;
template class Run<double>;
template class Plan<float>;
template class Plan<double>;
template class Session<float>;
template class Session<double>;
template class Entry<float>;
template class Entry<double>;
template Entry<float> Network<float>::entry(Symbols) const;
template Entry<double> Network<double>::entry(Symbols) const;
template Run<float> Network<float>::forward(const Parameters<float>&, const Feeds<float>&) const;
template Run<double> Network<double>::forward(const Parameters<double>&, const Feeds<double>&) const;

}  // namespace topos
