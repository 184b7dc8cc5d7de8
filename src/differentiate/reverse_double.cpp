#include "topos/differentiate/reverse_impl.hpp"
#include "topos/ops/rules_impl.hpp"

namespace topos {

template std::array<std::optional<Value<double>>, max_arity> vjp(const Operation&,
                                                                 const Linearization<Value<double>>&);
template Adjoints Tape<double>::differentiate(const Symbol&, const Symbols&, const Where&);
template Adjoints Tape<double>::vjp(const Symbol&, const Value<double>&, const Symbols&, const Where&);

}  // namespace topos
