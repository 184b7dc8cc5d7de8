// What is checked: the kernels by name, and the C library's and MPFR's functions beside them.
#pragma once

#include <mpfr.h>

#include <string>
#include <vector>

#include "kernels/map.hpp"

namespace exhaustive {

/// A function of one argument; x^y has only its name.
struct Function {
  const char* name;
  topos::kernels::UnaryMap kernel;
  double (*twice)(double);
  long double (*extended)(long double);
  int (*arbitrary)(mpfr_ptr, mpfr_srcptr, mpfr_rnd_t);

  bool is_power() const { return arbitrary == nullptr; }

  /// out[i] = f(x[i]) or x[i]^y[i] by the kernel. F: float, double.
  template <class F>
  void run(const std::vector<F>& x, const std::vector<F>& y, std::vector<F>& out) const {
    if (is_power())
      return topos::kernels::map(topos::kernels::BinaryMap::power, x.data(), y.data(), out.data(),
                                 out.size());
    topos::kernels::map(kernel, x.data(), out.data(), out.size());
  }

  /// By MPFR, rounded to nearest; gives the direction as MPFR does.
  int exact(mpfr_ptr result, mpfr_srcptr x, mpfr_srcptr y) const {
    return is_power() ? mpfr_pow(result, x, y, MPFR_RNDN) : arbitrary(result, x, MPFR_RNDN);
  }
};

/// In the order in which they are checked; power last.
extern const std::vector<Function> functions;

/// One of them by its name, which must be among theirs.
const Function& function_named(const std::string& name);

}  // namespace exhaustive
