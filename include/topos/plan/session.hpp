// A plan prepared to run again and again: its own parameters, and memory that is reused.
#pragma once

#include "topos/plan/engine.hpp"

namespace topos {

/// Owned by one thread at a time; many sessions of one plan may run at once. A run allocates no heap memory
/// (for f32 and f64, when every feed is contiguous or a selection, and no operation falls back to its
/// reference loop: see Plan::describe_engine). Move-only.
template <class E>
class Session {
 public:
  Session(std::shared_ptr<const Program<E>> program, std::vector<NodeIndex> results,
          std::unique_ptr<detail::SessionState<E>> state)
      : program_(std::move(program)), results_(std::move(results)), state_(std::move(state)) {}
  Session(Session&&) noexcept = default;
  Session& operator=(Session&&) noexcept = default;

  /// One pass; unfed inputs take their defaults. When it ends, each updated parameter holds its new value.
  /// When it throws (UsageError for a wrong feed), the parameters are as they were.
  void run(std::span<const Feed<E>> feeds = {});
  void run(std::initializer_list<Feed<E>> feeds) { run(std::span(feeds.begin(), feeds.size())); }

  /// The last run's value of a declared result, row-major; good until the next run. A new value of a
  /// parameter may be the parameter's own memory. Throws UsageError for another node, or before the first
  /// run.
  std::span<const E> value(const Symbol& symbol) const;
  /// The same, of one element.
  E item(const Symbol& symbol) const;

  /// A copy of the parameters as they are now.
  Parameters<E> parameters() const;
  /// Goes on from these. Throws UsageError for another program's.
  void set_parameters(const Parameters<E>& parameters) { live().set_parameters(parameters); }

 private:
  detail::SessionState<E>& live() const;

  std::shared_ptr<const Program<E>> program_;
  std::vector<NodeIndex> results_;
  std::unique_ptr<detail::SessionState<E>> state_;
  bool has_run_ = false;
};

#define TOPOS_INSTANTIATE(E) extern template class Session<E>;
TOPOS_FOR_EACH_ELEMENT(TOPOS_INSTANTIATE)
#undef TOPOS_INSTANTIATE

}  // namespace topos
