// How a plan is carried out: compiled to kernels for the elements topos ships, node by node for any other.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "topos/graph/network.hpp"
#include "topos/plan/candidate.hpp"
#include "topos/plan/schedule.hpp"

namespace topos {

/// A parameter and the node whose value it takes when a session's run ends.
struct Update {
  Symbol parameter;
  Symbol value;
};

/// What distinguishes two engines for one schedule; none of it changes a bit of any result.
struct EngineOptions {
  bool fuse = true;                       ///< elementwise operations in groups, patterns as one step
  std::optional<unsigned char> poison{};  ///< fill fresh memory with this byte, for tests
};

namespace detail {

/// What a session holds: parameters, memory and the last run's results.
template <class E>
class SessionState {
 public:
  virtual ~SessionState() = default;
  virtual void run(std::span<const Feed<E>> feeds) = 0;
  /// Elements of the result at this position of the schedule's results.
  virtual std::span<const E> result(std::size_t position) const = 0;
  virtual std::vector<Tensor<E>> parameters() const = 0;
  virtual void set_parameters(const Parameters<E>& parameters) = 0;
};

/// A plan's engine; safe to use from many threads at once.
template <class E>
class Engine {
 public:
  virtual ~Engine() = default;
  /// The schedule's results, in order.
  virtual std::vector<Tensor<E>> forward(const Parameters<E>& parameters, const Feeds<E>& feeds) = 0;
  virtual std::unique_ptr<SessionState<E>> session(const Parameters<E>& parameters) = 0;
  /// Steps, buffers and kernels.
  virtual std::string describe() = 0;
};

using Candidates = std::shared_ptr<const std::vector<Candidate>>;

/// The schedule must be a forward one. Compiles nothing yet: the first run does.
template <class E>
std::shared_ptr<Engine<E>> make_engine(std::shared_ptr<const Program<E>> program, const Schedule& schedule,
                                       const Candidates& candidates, const std::vector<Update>& updates,
                                       const EngineOptions& options);
template <>
std::shared_ptr<Engine<float>> make_engine(std::shared_ptr<const Program<float>> program,
                                           const Schedule& schedule, const Candidates& candidates,
                                           const std::vector<Update>& updates, const EngineOptions& options);
template <>
std::shared_ptr<Engine<double>> make_engine(std::shared_ptr<const Program<double>> program,
                                            const Schedule& schedule, const Candidates& candidates,
                                            const std::vector<Update>& updates, const EngineOptions& options);

}  // namespace detail
}  // namespace topos
