// What script/exhaustive checks. Each prints a line, and the first few results that are wrong; true when none
// is.
#pragma once

#include <cstdint>
#include <string>

namespace exhaustive {

/// Which inputs, both ends among them: by their bits where every float is tried, else by their number.
struct Range {
  std::uint64_t from, to;
};

/// An f32 kernel: is the result the float nearest to the exact value? The functions of one argument are tried
/// on floats by their bits, "power" on pairs that their numbers determine.
bool check_floats(const std::string& function, Range range, unsigned threads);

/// An f64 kernel, over inputs that their numbers determine: is the error at most 1 ulp, and how large is it?
bool check_doubles(const std::string& function, Range range, unsigned threads);

}  // namespace exhaustive
