// The declaration of one function of a program: which nodes a caller will read.
#pragma once

#include "topos/plan/plan.hpp"

namespace topos {

/// Roots are what the function is for; observes are interior values to read as well. A builder: each call
/// adds.
template <class E>
class Entry {
 public:
  Entry(std::shared_ptr<const Program<E>> program, Symbols roots)
      : program_(std::move(program)), roots_(std::move(roots)) {}
  Entry(const Entry&) = default;  // moving copies, so that a moved-from entry stays good
  Entry& operator=(const Entry&) = default;
  ~Entry() = default;

  /// Interior values to read as well.
  Entry& observe(const Symbols& symbols) & {
    observes_.insert(observes_.end(), symbols.begin(), symbols.end());
    return *this;
  }
  Entry observe(const Symbols& symbols) && { return observe(symbols); }
  /// Keep what Run::backward reads.
  Entry& retain() & {
    memory_ = Memory::retain;
    return *this;
  }
  Entry retain() && { return retain(); }

  /// After a session's run, each parameter takes the value of its node, of the same shape; the value is a
  /// result, too.
  Entry& update(const std::vector<Update>& updates) & {
    updates_.insert(updates_.end(), updates.begin(), updates.end());
    return *this;
  }
  Entry update(const std::vector<Update>& updates) && { return update(updates); }
  /// How the engine works; no choice changes a bit of a result.
  Entry& engine(const EngineOptions& options) & {
    options_ = options;
    return *this;
  }
  Entry engine(const EngineOptions& options) && { return engine(options); }

  /// Finds the matches of a pattern of the program's own: they are candidates of the plan, before the
  /// library's and in the order of these calls, and leave as its text where it has one.
  template <Pattern P>
  Entry& pattern() & {
    if constexpr (SpelledPattern<P>) {
      patterns_.push_back(detail::matcher_of<P, &detail::spelling_of<P>>());
    } else {
      patterns_.push_back(detail::matcher_of<P>());
    }
    return *this;
  }
  template <Pattern P>
  Entry pattern() && {
    return pattern<P>();
  }

  // What was declared so far.
  const Symbols& roots() const { return roots_; }
  const Symbols& observes() const { return observes_; }
  Memory memory() const { return memory_; }

  /// Compiles a plan.
  Plan<E> lower() const;
  /// Evaluates the declared closure node by node with the reference loops: the definition of every bit. The
  /// run answers each node it evaluated.
  Run<E> interpret(const Parameters<E>& parameters, const Feeds<E>& feeds = {}) const;

 private:
  Symbols read_besides() const;

  std::shared_ptr<const Program<E>> program_;
  Symbols roots_;
  Symbols observes_;
  std::vector<Update> updates_;
  Memory memory_ = Memory::forward;
  EngineOptions options_;
  std::vector<detail::PatternMatcher> patterns_;
};

#define TOPOS_INSTANTIATE(E) extern template class Entry<E>;
TOPOS_FOR_EACH_ELEMENT(TOPOS_INSTANTIATE)
#undef TOPOS_INSTANTIATE

}  // namespace topos
