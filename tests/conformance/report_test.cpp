// What this program compared, in one line an engine, when it ends; and that the comparison was worth
// something.
#include <gtest/gtest.h>

#include <cstdio>

#include "support/foreign.hpp"

namespace topos::testing {
namespace {

class Report : public ::testing::Environment {
 public:
  void TearDown() override {
    for (const Engine engine : engines) {
      const Witness& witness = Foreign::instance().witness(engine);
      if (witness.modules == 0) continue;
      std::printf("%s\n", describe(engine, witness).c_str());
      // Few bounds may be too wide to tell right from wrong, and nearly all must be finite.
      EXPECT_LE(static_cast<double>(witness.loose), 0.05 * static_cast<double>(witness.elements));
      EXPECT_LE(static_cast<double>(witness.unclaimed), 0.005 * static_cast<double>(witness.elements));
    }
  }

 private:
  static std::string describe(Engine engine, const Witness& witness) {
    return fmt::format(
        "{}: {} modules, {} elements ({} bound to equal bits, {} loosely, {} not at all), largest used "
        "fraction {:.3f} "
        "of a bound{}, {:.1f} s; {}",
        name(engine), witness.modules, witness.elements, witness.exact, witness.loose, witness.unclaimed,
        witness.largest, witness.where_largest.empty() ? "" : " in " + witness.where_largest, witness.seconds,
        Foreign::instance().describe(engine));
  }
};

const ::testing::Environment* const report = ::testing::AddGlobalTestEnvironment(new Report);

}  // namespace
}  // namespace topos::testing
