// Inputs that their number determines, spread over where a function is neither constant nor undefined. A
// third is uniform in the bits of the number (every exponent as often as any other), a third uniform in its
// value, and a third lies near places that are likely to go wrong, 0 to 2^52 units in the last place away.
#pragma once

#include <cstdint>
#include <string>

namespace exhaustive {

/// An input of the f64 function of one argument.
double double_input(const std::string& function, std::uint64_t number);

template <class T>
struct Pair {
  T x, y;
};

/// An input of x^y; most results are neither 0 nor infinite. F: float, double.
template <class F>
Pair<F> power_input(std::uint64_t number);

}  // namespace exhaustive
