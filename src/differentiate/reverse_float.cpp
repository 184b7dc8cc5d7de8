#include "topos/differentiate/reverse_impl.hpp"
#include "topos/ops/rules_impl.hpp"

namespace topos {

template std::array<std::optional<Value<float>>, max_arity> vjp(const Operation&,
                                                                const Linearization<Value<float>>&);
template Adjoints Tape<float>::differentiate(const Symbol&, const Symbols&, const Where&);
template Adjoints Tape<float>::vjp(const Symbol&, const Value<float>&, const Symbols&, const Where&);

}  // namespace topos
