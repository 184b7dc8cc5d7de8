// Modules one after another.
#pragma once

#include <concepts>
#include <memory>

#include "topos/nn/activation.hpp"

namespace topos {

/// Each stage on the output of the one before; without stages, the input itself. Paths begin with the stage's
/// position: "0.weights".
template <class E>
class Sequential : public Module<E> {
 public:
  /// Appends a copy of the module.
  template <std::derived_from<Module<E>> Stage>
  Sequential& then(Stage stage) & {
    stages_.push_back(std::make_shared<const Stage>(std::move(stage)));
    return *this;
  }
  template <std::derived_from<Module<E>> Stage>
  Sequential then(Stage stage) && {
    return then(std::move(stage));
  }
  Sequential& then(Activation activation) & { return then(ActivationLayer<E>(activation)); }
  Sequential then(Activation activation) && { return then(activation); }

  /// Number of stages.
  std::size_t size() const { return stages_.size(); }

  Value<E> express(const Value<E>& input, const Where& where = Where::current()) const override {
    Value<E> x = input;
    for (const auto& stage : stages_) x = stage->express(x, where);
    return x;
  }
  void visit(Visitor& visitor) const override {
    for (std::size_t i = 0; i < stages_.size(); ++i) visit_inside(visitor, std::to_string(i), *stages_[i]);
  }

 private:
  std::vector<std::shared_ptr<const Module<E>>> stages_;
};

}  // namespace topos
