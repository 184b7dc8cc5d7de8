#include "topos/differentiate/reverse_impl.hpp"
#include "topos/ops/rules_impl.hpp"

namespace topos {

template std::array<std::optional<Value<Bf16>>, max_arity> vjp(const Operation&,
                                                               const Linearization<Value<Bf16>>&);
template Adjoints Tape<Bf16>::differentiate(const Symbol&, const Symbols&, const Where&);
template Adjoints Tape<Bf16>::vjp(const Symbol&, const Value<Bf16>&, const Symbols&, const Where&);

}  // namespace topos
