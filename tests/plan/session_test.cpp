// Sessions: updates, memory, and what they refuse.
#include "topos/plan/session.hpp"
#include "support/refusal.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <new>

#include "plan/programs.hpp"
#include "topos/composites/attention.hpp"
#include "topos/composites/axes.hpp"
#include "topos/composites/convolution.hpp"
#include "topos/composites/normalization.hpp"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define TOPOS_COUNTS_ALLOCATIONS 0
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define TOPOS_COUNTS_ALLOCATIONS 0
#endif
#endif
#ifndef TOPOS_COUNTS_ALLOCATIONS
#define TOPOS_COUNTS_ALLOCATIONS 1
#endif

namespace {
std::atomic<std::size_t> allocations{0};
}

#if TOPOS_COUNTS_ALLOCATIONS
// The sanitizers have their own; the forms for arrays and those that do not throw come here, too. Not inline,
// or g++ sees new beside free.
[[gnu::noinline]] void* operator new(std::size_t bytes) {
  allocations.fetch_add(1, std::memory_order_relaxed);
  if (void* memory = std::malloc(bytes > 0 ? bytes : 1)) return memory;
  throw std::bad_alloc();
}
[[gnu::noinline]] void* operator new(std::size_t bytes, std::align_val_t alignment) {
  allocations.fetch_add(1, std::memory_order_relaxed);
  const auto unit = static_cast<std::size_t>(alignment);
  if (void* memory = std::aligned_alloc(unit, (bytes + unit) / unit * unit)) return memory;
  throw std::bad_alloc();
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t, std::align_val_t) noexcept {
  std::free(memory);
}
#endif

namespace topos {
namespace {

using testing::expect_refusal;
using testing::refusal;

using testing::classifier;
using testing::Classifier;
using testing::Machine;
using testing::same_parameters;
using testing::scattered;
using testing::tensor_of;
using T = Tensor<float>;

template <class E>
void expect_descent_as_by_hand() {
  Machine machine;
  for (const std::size_t threads : {1, 2}) {
    for (const bool fuse : {true, false}) {
      machine.use(threads, std::nullopt);
      const Classifier<E> program = classifier<E>(24);
      const Plan<E> gradients = program.network.entry(program.adjoints.roots()).lower();
      Session<E> session =
          program.training().engine({.fuse = fuse}).lower().session(program.network.parameters());
      Parameters<E> by_hand = program.network.parameters();
      for (std::uint64_t i = 0; i < 20; ++i) {
        const E rate = static_cast<E>(i < 10 ? 0.5 : 0.05);
        Feeds<E> feeds = program.feeds(i);
        const auto run = gradients.forward(by_hand, feeds);
        by_hand = by_hand.step(run.gradients(program.adjoints), sgd<E>(rate));
        feeds.push_back({program.rate, Tensor<E>(rate)});
        session.run(feeds);
        EXPECT_EQ(bits_of(session.item(program.loss)), bits_of(run.of(program.loss).item()));
        ASSERT_TRUE(same_parameters(session.parameters(), by_hand)) << "step " << i;
      }
    }
  }
}

TEST(Sessions, DescendInTheBitsOfStepsTakenByHand) {
  expect_descent_as_by_hand<float>();
  expect_descent_as_by_hand<double>();
}

TEST(Sessions, SwapParametersWhoseNewValuesAreEachOther) {
  Tape<float> tape;
  const auto a = tape.parameter(scattered<float>(Shape({3, 5}), 1));
  const auto b = tape.parameter(scattered<float>(Shape({3, 5}), 2));
  const auto c = tape.parameter(scattered<float>(Shape({3, 5}), 3));
  const auto negated = negate(b);
  const auto total = sum(a);
  const Network<float> network = std::move(tape).seal();
  const Parameters<float> start = network.parameters();
  Session<float> session = network.entry(total).update({{a, b}, {b, c}, {c, negated}}).lower().session(start);
  session.run();
  const Parameters<float> once = session.parameters();
  EXPECT_TRUE(same_bits(once.of(a), start.of(b)));
  EXPECT_TRUE(same_bits(once.of(b), start.of(c)));
  EXPECT_TRUE(same_bits(once.of(c), negate(start.of(b))));
  session.run();
  EXPECT_TRUE(same_bits(session.parameters().of(a), start.of(c)));
  EXPECT_TRUE(same_bits(session.parameters().of(c), negate(start.of(c))));
}

TEST(Sessions, CrossParametersWhoseNewValuesReadEachOther) {
  Tape<float> tape;
  const auto a = tape.parameter(scattered<float>(Shape({700}), 1));
  const auto b = tape.parameter(scattered<float>(Shape({700}), 2));
  const auto sum_of_both = a + b;
  const auto difference_of_both = a - b;
  const Network<float> network = std::move(tape).seal();
  for (const bool fuse : {true, false}) {
    Session<float> session = network.entry(Symbols{})
                                 .update({{a, sum_of_both}, {b, difference_of_both}})
                                 .engine({.fuse = fuse})
                                 .lower()
                                 .session(network.parameters());
    T x = network.parameters().of(a), y = network.parameters().of(b);
    for (int i = 0; i < 3; ++i) {
      session.run();
      const T next = x + y;
      y = x - y;
      x = next;
      EXPECT_TRUE(same_bits(session.parameters().of(a), x));
      EXPECT_TRUE(same_bits(session.parameters().of(b), y));
    }
  }
}

TEST(Sessions, GiveTwoParametersOneNewValue) {
  Tape<float> tape;
  const auto a = tape.parameter(T({2}, {1.0f, 2.0f}));
  const auto b = tape.parameter(T({2}, {5.0f, 6.0f}));
  const auto both = a * b;
  const Network<float> network = std::move(tape).seal();
  Session<float> session =
      network.entry(Symbols{}).update({{a, both}, {b, both}}).lower().session(network.parameters());
  session.run();
  EXPECT_TRUE(same_bits(session.parameters().of(a), T({2}, {5.0f, 12.0f})));
  EXPECT_TRUE(same_bits(session.parameters().of(b), T({2}, {5.0f, 12.0f})));
}

TEST(Sessions, AnswerAnUpdatedParameterWithTheValueItHadDuringTheRun) {
  Tape<float> tape;
  const auto x = tape.parameter(T({3}, {1.0f, 2.0f, 3.0f}));
  const auto doubled = x + x;
  const Network<float> network = std::move(tape).seal();
  const Plan<float> plan = network.entry({x}).update({{x, doubled}}).lower();
  Session<float> session = plan.session(network.parameters());
  session.run();
  EXPECT_TRUE(same_bits(tensor_of(session, plan, x), T({3}, {1.0f, 2.0f, 3.0f})));
  EXPECT_TRUE(same_bits(tensor_of(session, plan, doubled), T({3}, {2.0f, 4.0f, 6.0f})));
  session.run();
  EXPECT_TRUE(same_bits(tensor_of(session, plan, x), T({3}, {2.0f, 4.0f, 6.0f})));
  EXPECT_TRUE(same_bits(session.parameters().of(x), T({3}, {4.0f, 8.0f, 12.0f})));
}

/// A plan whose new values are only passed through: something reads them, and they are no results.
template <class E>
Plan<E> plan_reading(const Network<E>& network, const Symbol& reader, std::vector<Update> updates,
                     const EngineOptions& options = {}) {
  return Plan<E>(network.program(), Schedule(network.graph(), {reader}, {}, Memory::forward),
                 std::move(updates), options);
}

int count(const std::string& text, const std::string& part) {
  int found = 0;
  for (std::size_t at = 0; (at = text.find(part, at)) != std::string::npos; ++at) ++found;
  return found;
}

TEST(Sessions, UpdateInPlaceJustWhenNothingReadsTheOldValueLater) {
  Tape<float> tape;
  const auto x = tape.parameter(scattered<float>(Shape({60, 60}), 1));
  const auto y = tape.parameter(scattered<float>(Shape({60, 60}), 2));
  const auto gradient = tape.input(scattered<float>(Shape({60, 60}), 3));
  const auto stepped = x - gradient * x;
  const auto total = sum(stepped);
  const auto later = matmul(stepped, x);  // reads the old one after the new one is there
  const auto turned = x + transpose(x);
  const auto turned_total = sum(turned);
  const auto both = x + y, apart = x - y;
  const auto crossed = sum(both * apart);
  const Network<float> network = std::move(tape).seal();
  const Parameters<float> start = network.parameters();
  const T fixed = *network.payload(gradient);
  using Next = std::function<Parameters<float>(const Parameters<float>&)>;
  const Next descend = [&](const Parameters<float>& p) { return p.with(x, p.of(x) - fixed * p.of(x)); };
  const Next turn = [&](const Parameters<float>& p) { return p.with(x, p.of(x) + transpose(p.of(x))); };
  const Next cross = [&](const Parameters<float>& p) {
    return p.with(x, p.of(x) + p.of(y)).with(y, p.of(x) - p.of(y));
  };
  struct Case {
    Symbol reader;
    std::vector<Update> updates;
    Next next;
    int in_place;
  };
  for (const bool fuse : {true, false}) {
    for (const Case& one :
         {Case{total, {{x, stepped}}, descend, 1}, Case{later, {{x, stepped}}, descend, 0},
          Case{turned_total, {{x, turned}}, turn, 0}, Case{crossed, {{x, both}, {y, apart}}, cross, 1}}) {
      const Plan<float> plan = plan_reading(network, one.reader, one.updates, {.fuse = fuse, .poison = 0xFF});
      EXPECT_EQ(count(plan.describe_engine(), " in place\n"), one.in_place) << plan.describe_engine();
      const Plan<float> declared = network.entry(one.reader).update(one.updates).lower();
      Session<float> session = plan.session(start), other = declared.session(start);
      Parameters<float> expected = start;
      for (int i = 0; i < 3; ++i) {
        session.run();
        other.run();
        const auto run = network.entry(one.reader).interpret(expected);
        expected = one.next(expected);
        EXPECT_TRUE(same_bits(tensor_of(session, plan, one.reader), run.of(one.reader)));
        EXPECT_TRUE(same_parameters(session.parameters(), expected));
        EXPECT_TRUE(same_parameters(other.parameters(), expected));
        for (const Update& update : one.updates)
          EXPECT_TRUE(same_bits(tensor_of(other, declared, update.value), expected.of(update.parameter)));
      }
      plan.forward(start);  // has memory of its own for the new values
      EXPECT_TRUE(same_parameters(network.parameters(), start));
      EXPECT_TRUE(same_parameters(session.parameters(), expected));
    }
  }
}

TEST(Sessions, TrainInPlaceInTheBitsOfACopy) {
  const Classifier<float> program = classifier<float>(24);
  for (const bool fuse : {true, false}) {
    const Plan<float> in_place =
        plan_reading(program.network, program.witness, program.updates, {.fuse = fuse, .poison = 0xFF});
    EXPECT_GT(count(in_place.describe_engine(), " in place\n"), 0) << in_place.describe_engine();
    Session<float> first = in_place.session(program.network.parameters());
    const Plan<float> declared = program.training().lower();
    EXPECT_GT(count(declared.describe_engine(), " in place\n"), 0) << declared.describe_engine();
    Session<float> second = declared.session(program.network.parameters());
    for (std::uint64_t i = 0; i < 20; ++i) {
      first.run(program.feeds(i));
      second.run(program.feeds(i));
      ASSERT_TRUE(same_parameters(first.parameters(), second.parameters())) << "step " << i;
    }
  }
}

TEST(Sessions, LeaveTheParametersOfForwardAndOfOtherSessionsAlone) {
  const Classifier<float> program = classifier<float>(8);
  const Parameters<float> start = program.network.parameters();
  const Plan<float> plan = program.training().lower();
  Session<float> first = plan.session(start), second = plan.session(start);
  for (std::uint64_t i = 0; i < 3; ++i) first.run(program.feeds(i));
  plan.forward(start, program.feeds(1));
  EXPECT_FALSE(same_parameters(first.parameters(), start));
  EXPECT_TRUE(same_parameters(second.parameters(), start));
  EXPECT_TRUE(same_parameters(program.network.parameters(), start));
  first.set_parameters(start);
  EXPECT_TRUE(same_parameters(first.parameters(), start));
}

TEST(Sessions, AllocateNothingAfterTheirFirstRun) {
  if (!TOPOS_COUNTS_ALLOCATIONS) GTEST_SKIP() << "the sanitizers replace the heap";
  Machine machine;
  for (const Precision precision : {Precision::working, Precision::bf16}) {
    const Classifier<float> program = classifier<float>(256, 27, 8, 48, precision);
    std::vector<Feeds<float>> feeds;
    for (std::uint64_t i = 0; i < 8; ++i) feeds.push_back(program.feeds(i));
    for (const std::size_t threads : {1, 2}) {
      machine.use(threads, std::nullopt);
      Session<float> session = program.training().lower().session(program.network.parameters());
      session.run(feeds[0]);
      const std::size_t before = allocations.load();
      for (int i = 0; i < 24; ++i) {
        session.run(feeds[static_cast<std::size_t>(i % 8)]);
        session.item(program.loss);
      }
      EXPECT_EQ(allocations.load() - before, 0u) << threads << " threads";
    }
  }
  const std::size_t before = allocations.load();
  void* volatile kept = ::operator new(1);  // a new expression is one that a compiler may leave out
  ::operator delete(kept);
  EXPECT_GT(allocations.load(), before);  // the counter counts
}

TEST(Sessions, AllocateNothingInTheStepsOfPatterns) {
  if (!TOPOS_COUNTS_ALLOCATIONS) GTEST_SKIP() << "the sanitizers replace the heap";
  Machine machine;
  Tape<float> tape;
  const auto image = tape.parameter(testing::spread_by<float>(1, {4, 3, 40, 40}, 1));
  const auto kernel = tape.parameter(testing::spread_by<float>(1, {8, 3, 3, 3}, 2));
  const auto bias = tape.parameter(testing::spread_by<float>(1, Shape({8}), 3));
  const auto pooled = max_pool(conv2d(image, kernel, bias, 1, 1), 2, 2);
  const Adjoints adjoints = tape.differentiate(sum(pooled * pooled), {image, kernel, bias});
  const auto x = tape.parameter(testing::spread_by<float>(1, {96, 64}, 4));
  const auto row = tape.parameter(testing::spread_by<float>(1, Shape({64}), 5));
  const auto normal = layer_norm(x, row, row, tape.leaf(Tensor<float>(1e-5f)));
  const auto columns = batch_norm(x, row, row, tape.leaf(Tensor<float>(1e-5f))).output;
  const auto mixed =
      scaled_dot_product(x, normal, x, tape.leaf(causal_mask<float>(96)), tape.leaf(Tensor<float>(0.1f)));
  const Network<float> network = std::move(tape).seal();
  for (const std::size_t threads : {1, 2}) {
    machine.use(threads, std::nullopt);
    const Plan<float> plan = network.entry(adjoints.roots()).observe({mixed, columns}).lower();
    const std::string steps = plan.describe_engine();
    for (const char* step : {"attention in", "layer_norm [", "batch_norm [", "maximum of",
                             "gradient of the maximum", "filters, "})
      EXPECT_NE(steps.find(step), std::string::npos) << step;
    Session<float> session = plan.session(network.parameters());
    session.run({});
    const std::size_t before = allocations.load();
    for (int i = 0; i < 5; ++i) session.run({});
    EXPECT_EQ(allocations.load() - before, 0u) << threads << " threads";
  }
}

TEST(Sessions, RefuseWrongFeedsAndKeepTheirParameters) {
  const Classifier<float> program = classifier<float>(8);
  const Classifier<float> other = classifier<float>(8);
  Session<float> session = program.training().lower().session(program.network.parameters());
  session.run(program.feeds(0));
  const Parameters<float> before = session.parameters();
  const float loss = session.item(program.loss);
  const T targets = program.feeds(1)[1].value;
  expect_refusal([&] { session.run({{program.characters, targets}}); }, "the feed has shape");
  expect_refusal([&] { session.run({{program.targets, targets}, {program.targets, targets}}); }, "fed twice");
  expect_refusal([&] { session.run({{program.loss, T(1.0f)}}); }, "only an input can be fed");
  EXPECT_NE(refusal([&] { session.run({{other.targets, targets}}); }), "accepted");
  EXPECT_NE(refusal([&] {
              session.run({{program.targets, T::filled({8, 27}, 0.5f)}, {program.rate, T({2}, {1, 2})}});
            }),
            "accepted");
  EXPECT_TRUE(same_parameters(session.parameters(), before));
  EXPECT_EQ(session.item(program.loss), loss);
  // And the session goes on as if nothing had been asked of it.
  Session<float> fresh = program.training().lower().session(before);
  session.run(program.feeds(1));
  fresh.run(program.feeds(1));
  EXPECT_TRUE(same_parameters(session.parameters(), fresh.parameters()));
}

TEST(Sessions, RefuseRowsThatSelectNothingAndKeepTheirParameters) {
  const Classifier<float> program = classifier<float>(8);
  Session<float> session = program.training().lower().session(program.network.parameters());
  session.run(program.feeds(0));
  const Parameters<float> before = session.parameters();
  EXPECT_NE(refusal([&] { session.run({{program.characters, T::filled({24, 27}, 0.5f)}}); }), "accepted");
  EXPECT_TRUE(same_parameters(session.parameters(), before));
}

TEST(Sessions, AnswerWhatWasDeclaredOnceTheyHaveRun) {
  const Classifier<float> program = classifier<float>(8);
  Session<float> session = program.training().lower().session(program.network.parameters());
  expect_refusal([&] { session.value(program.loss); }, "has not run yet");
  session.run();
  expect_refusal([&] { session.value(program.logits); }, "declare it as a root or observe it");
  expect_refusal([&] { session.item(program.updates[0].value); }, "only a value of one element");
  const Session<float> taken = std::move(session);
  taken.item(program.loss);
  // NOLINTNEXTLINE(bugprone-use-after-move): this is what is tested
  expect_refusal([&] { session.run(); }, "this session was moved from");
}

TEST(Sessions, RefuseUpdatesThatDoNotFit) {
  const Classifier<float> program = classifier<float>(8);
  const auto lower = [&](const std::vector<Update>& updates) {
    return [&program, updates] { program.network.entry(program.loss).update(updates).lower(); };
  };
  const Update good = program.updates[0];
  expect_refusal(lower({{program.loss, program.loss}}), "only a parameter can be updated");
  expect_refusal(lower({{program.rate, program.loss}}), "only a parameter can be updated");
  expect_refusal(lower({{good.parameter, program.loss}}), "its new value");
  expect_refusal(lower({good, good}), "is updated twice");
}

TEST(Sessions, RefuseParametersOfAnotherProgramAndPlansThatRetain) {
  const Classifier<float> program = classifier<float>(8);
  const Classifier<float> other = classifier<float>(8);
  const Plan<float> plan = program.training().lower();
  expect_refusal([&] { plan.session(other.network.parameters()); }, "of another program");
  Session<float> session = plan.session(program.network.parameters());
  expect_refusal([&] { session.set_parameters(other.network.parameters()); }, "of another program");
  const Plan<float> retaining = program.network.entry(program.loss).retain().lower();
  expect_refusal([&] { retaining.session(program.network.parameters()); }, "it is interpreted");
  expect_refusal([&] { retaining.describe_engine(); }, "it is interpreted");
}

TEST(Sessions, KeepEveryBitOver20000StepsOnAnyThreads) {
  Machine machine;
  const Classifier<float> program = classifier<float>(16, 11, 3, 16);
  std::vector<Feeds<float>> feeds;
  for (std::uint64_t i = 0; i < 64; ++i) feeds.push_back(program.feeds(i));
  const auto trained = [&](std::size_t threads, std::optional<std::string_view> set, EngineOptions options) {
    machine.use(threads, set);
    Session<float> session = program.training().engine(options).lower().session(program.network.parameters());
    for (std::size_t i = 0; i < 20000; ++i) session.run(feeds[i * i % 64]);
    return session.parameters();
  };
  const Parameters<float> expected = trained(1, std::nullopt, {});
  EXPECT_FALSE(same_parameters(expected, program.network.parameters()));
  for (const Tensor<float>& payload : expected.payloads()) {
    for (const float element : payload.elements()) ASSERT_TRUE(std::isfinite(element));
  }
  EXPECT_TRUE(same_parameters(trained(2, std::nullopt, {.fuse = false, .poison = 0xFF}), expected));
}

}  // namespace
}  // namespace topos
