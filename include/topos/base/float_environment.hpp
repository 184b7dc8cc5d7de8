// IEEE arithmetic as the contract means it, whatever another library has set on this thread.
#pragma once

#if defined(__SSE__)
#include <xmmintrin.h>
#else
#include <cfenv>
#endif

namespace topos {

/// While it lives, this thread rounds to nearest and keeps subnormals, as operands and as results; then the
/// thread's own modes come back. Costs a few nanoseconds when nothing has to change.
class DefaultFloatEnvironment {
 public:
  DefaultFloatEnvironment(const DefaultFloatEnvironment&) = delete;
  DefaultFloatEnvironment& operator=(const DefaultFloatEnvironment&) = delete;
#if defined(__SSE__)
  DefaultFloatEnvironment() : saved_(_mm_getcsr()) {
    if ((saved_ & modes) != masked_exceptions) _mm_setcsr(masked_exceptions);
  }
  ~DefaultFloatEnvironment() {
    if ((saved_ & modes) != masked_exceptions) _mm_setcsr(saved_);
  }

 private:
  static constexpr unsigned modes = 0xFFC0;              // everything but the sticky exception flags
  static constexpr unsigned masked_exceptions = 0x1F80;  // nearest, no flush to zero, no denormals are zero
  unsigned saved_;
#else
  DefaultFloatEnvironment() {
    std::fegetenv(&saved_);
    std::fesetenv(FE_DFL_ENV);
  }
  ~DefaultFloatEnvironment() { std::fesetenv(&saved_); }

 private:
  std::fenv_t saved_;
#endif
};

}  // namespace topos
