// Files go back and forth between topos, NumPy and the reference implementation of safetensors.
#include <fmt/format.h>

#include <cmath>
#include <cstdlib>

#include "io/support.hpp"
#include "support/required_tool.hpp"
#include "topos/io/npy.hpp"
#include "topos/io/npz.hpp"

namespace topos::io_tests {
namespace {

bool python(const std::string& arguments) {
  return std::system(fmt::format("'{}' {}", TOPOS_PYTHON, arguments).c_str()) == 0;
}

class Exchange : public Files {
 protected:
  void SetUp() override {
    TOPOS_REQUIRE_TOOL(python("-c 'import numpy' 2>/dev/null"),
                       "no numpy for " TOPOS_PYTHON "; run script/bootstrap");
  }
  bool tool(const std::string& command) const {
    return python(fmt::format("'{}/tests/io/exchange.py' {} '{}'", TOPOS_SOURCE_DIR, command, path("")));
  }
};

constexpr Extent rows = 3, columns = 5;

template <class E>
Tensor<E> counted(E divisor) {
  std::vector<E> elements;
  for (int i = 0; i < rows * columns; ++i) elements.push_back(static_cast<E>(i) / divisor);
  return Tensor<E>({rows, columns}, std::move(elements));
}

/// What exchange.py calls by these names.
Checkpoint arrays() {
  Checkpoint checkpoint;
  checkpoint.add("f32", counted<float>(4));
  checkpoint.add("f64", counted<double>(3));
  checkpoint.add("scalar", Tensor<double>(-0.0));
  checkpoint.add("empty", Tensor<float>({0, 4}, {}));
  checkpoint.add("special", Tensor<float>({5}, {INFINITY, -INFINITY, NAN, 1e-45f, -0.0f}));
  return checkpoint;
}

TEST_F(Exchange, reads_what_numpy_writes) {
  ASSERT_TRUE(tool("write"));
  for (const auto& [name, tensor] : arrays().entries()) {
    EXPECT_TRUE(same(load_npy(path(name + ".npy")), tensor)) << name;
  }
  for (const char* name : {"f16", "big_f16", "big_f32", "fortran_big_f32", "version_2", "version_3"}) {
    EXPECT_TRUE(same_bits(load_npy(path(name + std::string(".npy"))).as<float>(), counted<float>(4))) << name;
  }
  for (const char* name : {"big_f64", "fortran_f64"}) {
    EXPECT_TRUE(same_bits(load_npy(path(name + std::string(".npy"))).as<double>(), counted<double>(3)))
        << name;
  }
  EXPECT_EQ(load_npy(path("i64.npy")).dtype(), "I64");
  EXPECT_TRUE(same(load_npz(path("stored.npz")), arrays()));
  EXPECT_TRUE(same(load_npz(path("deflated.npz")), arrays()));
  EXPECT_TRUE(same(load_npz(path("none.npz")), Checkpoint()));
}

TEST_F(Exchange, writes_what_numpy_reads) {
  for (const auto& [name, tensor] : arrays().entries()) save_npy(path(name + ".npy"), tensor);
  save_npz(path("stored.npz"), arrays());
  save_npz(path("deflated.npz"), arrays(), Compression::deflated);
  save_npz(path("none.npz"), Checkpoint());
  EXPECT_TRUE(tool("check"));
}

TEST_F(Exchange, writes_what_the_reference_implementation_of_safetensors_reads) {
  TOPOS_REQUIRE_TOOL(python("-c 'import safetensors' 2>/dev/null"), "no safetensors for " TOPOS_PYTHON);
  Checkpoint checkpoint = arrays();
  checkpoint.metadata = {{"step", "7"}, {"note", "quoted \" and \u00fc"}};
  save_checkpoint(path("all.safetensors"), checkpoint);
  EXPECT_TRUE(tool("check_safetensors"));
}

}  // namespace
}  // namespace topos::io_tests
