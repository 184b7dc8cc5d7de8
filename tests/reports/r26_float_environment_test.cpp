// R26: another library in the process may set flush-to-zero on the calling thread; it changes no bit of ours.
#if defined(__SSE__)
#include <gtest/gtest.h>
#include <xmmintrin.h>

#include "topos/base/float_environment.hpp"
#include "topos/emission/emit.hpp"
#include "topos/ops/functions.hpp"
#include "topos/plan/entry.hpp"

namespace topos {
namespace {

constexpr unsigned flush_and_zero = 0x8040;

/// Sets flush-to-zero and denormals-are-zero for the length of a test.
class Flushing {
 public:
  Flushing() : saved_(_mm_getcsr()) { _mm_setcsr(saved_ | flush_and_zero); }
  ~Flushing() { _mm_setcsr(saved_); }

 private:
  unsigned saved_;
};

TEST(FloatEnvironment, subnormals_survive_a_thread_that_flushes) {
  const Tensor<float> tiny = Tensor<float>(1e-30f) * Tensor<float>(1e-10f);
  const Tensor<float> logarithm = log(Tensor<float>(1e-40f));
  const Flushing flushing;
  EXPECT_TRUE(same_bits(Tensor<float>(1e-30f) * Tensor<float>(1e-10f), tiny));
  EXPECT_EQ(bits_of((Tensor<float>(1e-30f) * Tensor<float>(1e-10f)).item()), 0x000116C2u);
  EXPECT_TRUE(same_bits(log(Tensor<float>(1e-40f)), logarithm));
}

TEST(FloatEnvironment, a_callers_own_loop_can_ask_for_it_too) {
  const Flushing flushing;
  volatile float tiny = 1e-30f;  // or the compiler multiplies
  EXPECT_EQ(tiny * 1e-10f, 0.0f);
  {
    const DefaultFloatEnvironment environment;
    EXPECT_EQ(bits_of(tiny * 1e-10f), 0x000116C2u);
  }
  EXPECT_EQ(tiny * 1e-10f, 0.0f);
}

TEST(FloatEnvironment, the_threads_own_modes_come_back) {
  const Flushing flushing;
  EXPECT_EQ(log(Tensor<float>(1.0f)).item(), 0.0f);
  EXPECT_EQ(_mm_getcsr() & flush_and_zero, flush_and_zero);
}

TEST(FloatEnvironment, a_subnormal_constant_is_not_emitted_as_zero) {
  Tape<float> tape;
  const auto constant = tape.leaf(Tensor<float>({2}, {0.0f, 1e-40f}));
  const Network<float> network = std::move(tape).seal();
  const Plan<float> plan = network.entry({constant}).lower();
  const Flushing flushing;
  EXPECT_NE(emit_stablehlo(plan).find("dense<[0.0, 1.0e-40]>"), std::string::npos) << emit_stablehlo(plan);
}

}  // namespace
}  // namespace topos
#endif
