#include "functions.hpp"

#include <algorithm>
#include <cmath>

namespace exhaustive {

using topos::kernels::UnaryMap;

const std::vector<Function> functions = {
    {"exp", UnaryMap::exp, std::exp, std::exp, mpfr_exp},
    {"log", UnaryMap::log, std::log, std::log, mpfr_log},
    {"log1p", UnaryMap::log1p, std::log1p, std::log1p, mpfr_log1p},
    {"expm1", UnaryMap::expm1, std::expm1, std::expm1, mpfr_expm1},
    {"tanh", UnaryMap::tanh, std::tanh, std::tanh, mpfr_tanh},
    {"sin", UnaryMap::sin, std::sin, std::sin, mpfr_sin},
    {"cos", UnaryMap::cos, std::cos, std::cos, mpfr_cos},
    {"erf", UnaryMap::erf, std::erf, std::erf, mpfr_erf},
    {"sqrt", UnaryMap::sqrt, std::sqrt, std::sqrt, mpfr_sqrt},
    {"power", {}, nullptr, nullptr, nullptr},
};

const Function& function_named(const std::string& name) {
  return *std::find_if(functions.begin(), functions.end(),
                       [&](const Function& function) { return function.name == name; });
}

}  // namespace exhaustive
