// What layers have in common: they record nodes for an input, and name their parameters.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "topos/graph/tape.hpp"

namespace topos {

/// Told the parameters of a layer in a fixed order, each by its name there; enter() and leave() enclose those
/// of a layer inside it.
class Visitor {
 public:
  virtual ~Visitor() = default;
  /// `segment` is what the inside layer's paths begin with, before a dot.
  virtual void enter(const std::string& segment) = 0;
  /// A parameter of the layer entered last.
  virtual void parameter(const std::string& name, const Symbol& symbol) = 0;
  virtual void leave() = 0;
};

/// What has named parameters.
class Parameterized {
 public:
  virtual ~Parameterized() = default;
  /// Tells the visitor every parameter, each time in the same order.
  virtual void visit(Visitor& visitor) const = 0;
};

/// A layer of one input and one output. It holds symbols, not values, and finds them on the input's tape: so
/// it can be copied freely and stays good when its network is reopened. Beside an input held in bf16 its
/// parameters are converted; they stay, and are trained, in f32.
template <class E>
class Module : public Parameterized {
 public:
  /// Records the layer's output. Throws ShapeError for an input that does not fit, UsageError for an input of
  /// another tape than the layer's.
  virtual Value<E> express(const Value<E>& input, const Where& where = Where::current()) const = 0;
};

namespace detail {
/// A layer's parameter or constant on the input's tape, held as the input is.
template <class E>
Value<E> beside(const Value<E>& input, const Symbol& symbol, const Where& where) {
  return convert(input.resolve(symbol, where), input.precision(where), where);
}
}  // namespace detail

/// The visit of a layer inside another one.
inline void visit_inside(Visitor& visitor, const std::string& segment, const Parameterized& inside) {
  visitor.enter(segment);
  inside.visit(visitor);
  visitor.leave();
}

/// A parameter and its path: "0.weights" is the weights of stage 0.
struct NamedParameter {
  std::string name;  ///< its path
  Symbol symbol;     ///< its node
};

/// Every path in visiting order. A parameter that several layers share has a path in each.
inline std::vector<NamedParameter> named_parameters(const Parameterized& module) {
  struct Collector : Visitor {
    void enter(const std::string& segment) override { path.push_back(segment + "."); }
    void parameter(const std::string& name, const Symbol& symbol) override {
      std::string full;
      for (const std::string& segment : path) full += segment;
      found.push_back({full + name, symbol});
    }
    void leave() override { path.pop_back(); }
    std::vector<std::string> path;
    std::vector<NamedParameter> found;
  };
  Collector collector;
  module.visit(collector);
  return collector.found;
}

/// The parameters in visiting order, each once, as Tape::differentiate takes them.
inline Symbols parameters(const Parameterized& module) {
  Symbols symbols;
  for (const NamedParameter& parameter : named_parameters(module)) {
    if (std::find(symbols.begin(), symbols.end(), parameter.symbol) == symbols.end())
      symbols.push_back(parameter.symbol);
  }
  return symbols;
}

}  // namespace topos
