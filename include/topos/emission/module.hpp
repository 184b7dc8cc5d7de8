// The part of emission that does not depend on an element's payloads.
#pragma once

#include <functional>

#include "topos/emission/writer.hpp"
#include "topos/plan/candidate.hpp"
#include "topos/plan/schedule.hpp"

namespace topos::detail {

/// The module's text. `arguments` by node; `leaf` gives a leaf's "dense<...>".
std::string emit_module(const Graph& graph, const Schedule& schedule,
                        const std::vector<Candidate>& candidates, const std::vector<NodeIndex>& arguments,
                        const ElementTexts& elements, const std::function<std::string(NodeIndex)>& leaf);

}  // namespace topos::detail
