// THE list of elements that topos ships. Everything that depends on an element is instantiated for each of
// them, once, in the library; a program with an element of its own includes the *_impl.hpp headers.
#pragma once

#include "topos/element/bf16.hpp"

/// Expands `instantiate(E)` for each element E of the library; kernels exist for the first two.
#define TOPOS_FOR_EACH_ELEMENT(instantiate) instantiate(float) instantiate(double) instantiate(Bf16)
