// The compiled engine behind Plan and Session.
#include "topos/plan/engine.hpp"

#include <fmt/format.h>

#include <mutex>

#include "kernels/instruction_set.hpp"
#include "plan/engine/workspace.hpp"
#include "topos/plan/checks.hpp"

namespace topos {
namespace engine {
namespace {

template <class F>
class CompiledSession : public topos::detail::SessionState<F> {
 public:
  CompiledSession(const std::shared_ptr<const Executable<F>>& executable, const Parameters<F>& parameters,
                  std::optional<unsigned char> poison)
      : workspace_(executable, poison) {
    const std::vector<Tensor<F>>& initial = executable->program->parameters;
    for (std::size_t slot = 0; slot < initial.size(); ++slot) {
      const auto volume = static_cast<std::size_t>(initial[slot].volume());
      storage_.push_back(allocate_aligned(volume * sizeof(F), poison));
      workspace_.bind_parameter(slot, elements(slot));
    }
    for (const auto& update : executable->updates) {
      if (update.in_place) workspace_.bind_update(update.buffer, elements(update.slot));
    }
    take(parameters);
  }

  void run(std::span<const Feed<F>> feeds) override {
    workspace_.bind_feeds(feeds);
    workspace_.run();
    workspace_.release_feeds();
    for (const auto& update : workspace_.executable().updates) {
      if (!update.in_place) {
        const F* from = workspace_.buffer(update.buffer);
        std::copy(from, from + volume(update.slot), elements(update.slot));
      }
    }
  }
  std::span<const F> result(std::size_t position) const override {
    const Result& result = workspace_.executable().results[position];
    return {workspace_.buffer(result.buffer),
            static_cast<std::size_t>(workspace_.executable().program->graph[result.node].shape.volume())};
  }
  std::vector<Tensor<F>> parameters() const override {
    std::vector<Tensor<F>> payloads;
    for (std::size_t slot = 0; slot < storage_.size(); ++slot) {
      const F* first = elements(slot);
      payloads.emplace_back(workspace_.executable().program->parameters[slot].shape(),
                            std::vector<F>(first, first + volume(slot)));
    }
    return payloads;
  }
  void set_parameters(const Parameters<F>& parameters) override { take(parameters); }

 private:
  void take(const Parameters<F>& parameters) {
    topos::detail::check_parameters(*workspace_.executable().program, parameters);
    for (std::size_t slot = 0; slot < storage_.size(); ++slot) {
      const Elements<F> from = parameters.payloads()[slot].elements();
      std::copy(from.begin(), from.end(), elements(slot));
    }
  }
  F* elements(std::size_t slot) const { return reinterpret_cast<F*>(storage_[slot].get()); }
  Extent volume(std::size_t slot) const { return workspace_.executable().program->parameters[slot].volume(); }

  Workspace<F> workspace_;
  std::vector<AlignedBytes> storage_;  // by slot
};

template <class F>
class CompiledEngine : public topos::detail::Engine<F> {
 public:
  CompiledEngine(std::shared_ptr<const Program<F>> program, const Schedule& schedule,
                 const topos::detail::Candidates& candidates, const std::vector<Update>& updates,
                 const EngineOptions& options)
      : program_(std::move(program)),
        schedule_(schedule),
        candidates_(candidates),
        updates_(updates),
        options_(options) {}

  std::vector<Tensor<F>> forward(const Parameters<F>& parameters, const Feeds<F>& feeds) override {
    topos::detail::check_parameters(*program_, parameters);
    const Borrowed workspace(*this);
    std::vector<Elements<F>> bound;
    for (std::size_t slot = 0; slot < program_->parameters.size(); ++slot) {
      bound.push_back(parameters.payloads()[slot].elements());
      workspace->bind_parameter(slot, bound.back().data());
    }
    workspace->bind_feeds(feeds);
    workspace->run();
    workspace->release_feeds();
    std::vector<Tensor<F>> values;
    for (const Result& result : workspace->executable().results) {
      const Shape& shape = program_->graph[result.node].shape;
      const F* first = workspace->buffer(result.buffer);
      values.emplace_back(shape, std::vector<F>(first, first + shape.volume()));
    }
    return values;
  }
  std::unique_ptr<topos::detail::SessionState<F>> session(const Parameters<F>& parameters) override {
    return std::make_unique<CompiledSession<F>>(executable(), parameters, options_.poison);
  }
  std::string describe() override { return executable()->describe(); }

 private:
  // A workspace for one call: one that an earlier call left, or a new one.
  class Borrowed {
   public:
    explicit Borrowed(CompiledEngine& engine) : engine_(engine) {
      const auto executable = engine.executable();
      const std::lock_guard lock(engine.guard_);
      if (engine.idle_.empty()) {
        workspace_ = std::make_unique<Workspace<F>>(executable, engine.options_.poison);
      } else {
        workspace_ = std::move(engine.idle_.back());
        engine.idle_.pop_back();
      }
    }
    ~Borrowed() {
      const std::lock_guard lock(engine_.guard_);
      engine_.idle_.push_back(std::move(workspace_));
    }
    Borrowed(const Borrowed&) = delete;
    Borrowed& operator=(const Borrowed&) = delete;
    Workspace<F>* operator->() const { return workspace_.get(); }

   private:
    CompiledEngine& engine_;
    std::unique_ptr<Workspace<F>> workspace_;
  };

  std::shared_ptr<const Executable<F>> executable() {
    const std::lock_guard lock(guard_);
    if (!executable_) {
      kernels::instruction_set();  // refuses a bad TOPOS_ISA here, where the caller can see it
      executable_ = compile<F>(program_, schedule_, *candidates_, updates_, options_);
    }
    return executable_;
  }

  std::shared_ptr<const Program<F>> program_;
  Schedule schedule_;
  topos::detail::Candidates candidates_;
  std::vector<Update> updates_;
  EngineOptions options_;
  std::mutex guard_;
  std::shared_ptr<const Executable<F>> executable_;
  std::vector<std::unique_ptr<Workspace<F>>> idle_;
};

}  // namespace
}  // namespace engine

namespace detail {

template <>
std::shared_ptr<Engine<float>> make_engine(std::shared_ptr<const Program<float>> program,
                                           const Schedule& schedule, const Candidates& candidates,
                                           const std::vector<Update>& updates, const EngineOptions& options) {
  return std::make_shared<engine::CompiledEngine<float>>(std::move(program), schedule, candidates, updates,
                                                         options);
}
template <>
std::shared_ptr<Engine<double>> make_engine(std::shared_ptr<const Program<double>> program,
                                            const Schedule& schedule, const Candidates& candidates,
                                            const std::vector<Update>& updates,
                                            const EngineOptions& options) {
  return std::make_shared<engine::CompiledEngine<double>>(std::move(program), schedule, candidates, updates,
                                                          options);
}

}  // namespace detail
}  // namespace topos
