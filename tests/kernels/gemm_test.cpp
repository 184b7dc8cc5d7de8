// Matrix products against the reference loop, by bits, on every instruction set of the processor.
#include "kernels/gemm.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/instruction_set.hpp"
#include "topos/tensor/reference/matmul.hpp"

namespace topos::kernels {
namespace {

template <class F>
bool same(F x, F y) {
  return std::memcmp(&x, &y, sizeof(F)) == 0 || (std::isnan(x) && std::isnan(y));
}

/// Numbers of very different sizes, and now and then a special one.
template <class F>
std::vector<F> numbers(Extent count, unsigned seed, bool with_specials) {
  using Limits = std::numeric_limits<F>;
  const F specials[] = {F(0),
                        -F(0),
                        Limits::infinity(),
                        -Limits::infinity(),
                        Limits::max(),
                        Limits::min(),
                        Limits::quiet_NaN(),
                        Limits::denorm_min(),
                        -Limits::denorm_min()};
  std::mt19937 random(seed);
  std::normal_distribution<F> normal;
  std::vector<F> result(static_cast<std::size_t>(count));
  for (F& x : result) {
    x = std::ldexp(normal(random), static_cast<int>(random() % 9) - 4);
    if (with_specials && random() % 16 == 0) x = specials[random() % std::size(specials)];
  }
  return result;
}

template <class F>
std::vector<F> reference_product(const GemmProblem& problem, const std::vector<F>& a, const std::vector<F>& b,
                                 std::vector<F> c) {
  std::vector<F> row(static_cast<std::size_t>(problem.columns));
  for (Extent p = 0; p < problem.products; ++p) {
    const F* left = a.data() + problem.a_products(p);
    const F* right = b.data() + problem.b_products(p);
    F* out = c.data() + p * problem.c_product_stride;
    for (Extent i = 0; i < problem.rows; ++i) {
      std::fill_n(out + i * problem.c_row_stride, problem.columns, F(0));
    }
    for (Extent k = 0; k < problem.depth; ++k) {
      for (Extent j = 0; j < problem.columns; ++j) {
        row[static_cast<std::size_t>(j)] = right[problem.b_depth(k) + problem.b_columns(j)];
      }
      for (Extent i = 0; i < problem.rows; ++i) {
        reference::accumulate_scaled_row(left[problem.a_rows(i) + problem.a_depth(k)], row.data(),
                                         out + i * problem.c_row_stride, problem.columns);
      }
    }
  }
  return c;
}

struct Free {
  void operator()(std::byte* p) const { std::free(p); }
};

/// Scratch memory full of NaN, with a guard behind it.
class Scratch {
 public:
  explicit Scratch(std::size_t bytes)
      : bytes_(bytes), memory_(static_cast<std::byte*>(std::aligned_alloc(64, (bytes + 127) / 64 * 64))) {
    std::memset(memory_.get(), 0xff, (bytes + 127) / 64 * 64);
  }
  std::byte* data() { return memory_.get(); }
  bool guard_is_whole() const {
    for (std::size_t i = bytes_; i < bytes_ + 64; ++i) {
      if (memory_.get()[i] != std::byte{0xff}) return false;
    }
    return true;
  }

 private:
  std::size_t bytes_;
  std::unique_ptr<std::byte, Free> memory_;
};

/// One past the last element that the axes reach.
Extent reach(const AxisOffsets& products, Extent p, const AxisOffsets& rows, Extent m,
             const AxisOffsets& columns, Extent n) {
  Extent most[3] = {};
  const AxisOffsets* axes[3] = {&products, &rows, &columns};
  const Extent extents[3] = {p, m, n};
  for (int axis = 0; axis < 3; ++axis) {
    for (Extent i = 0; i < extents[axis]; ++i) most[axis] = std::max(most[axis], (*axes[axis])(i));
  }
  return p * m * n == 0 ? 0 : most[0] + most[1] + most[2] + 1;
}

/// The addend's row of each product added to each row of its C, in one more rounding.
template <class F>
void add_rows(const GemmProblem& problem, const GemmAddend<F>& addend, std::vector<F>& c) {
  for (Extent p = 0; p < problem.products; ++p) {
    for (Extent i = 0; i < problem.rows; ++i) {
      F* const row = c.data() + p * problem.c_product_stride + i * problem.c_row_stride;
      for (Extent j = 0; j < problem.columns; ++j) row[j] = row[j] + addend.row(p)[j];
    }
  }
}

/// With and without a row that is added to each row.
template <class F>
void expect_reference_bits(const GemmProblem& problem, const std::string& what, bool with_specials = false) {
  const std::vector<F> a = numbers<F>(reach(problem.a_products, problem.products, problem.a_rows,
                                            problem.rows, problem.a_depth, problem.depth),
                                      1, with_specials);
  const std::vector<F> b = numbers<F>(reach(problem.b_products, problem.products, problem.b_depth,
                                            problem.depth, problem.b_columns, problem.columns),
                                      2, with_specials);
  constexpr Extent guard = 80;
  const Extent last = (problem.products - 1) * problem.c_product_stride + problem.rows * problem.c_row_stride;
  const std::vector<F> before = numbers<F>(last + guard, 3, false);
  const std::vector<F> product = reference_product(problem, a, b, before);
  const Extent stride = problem.columns + 3;
  const std::vector<F> rows = numbers<F>(problem.products * stride, 4, with_specials);
  const GemmAddend<F> addend{rows.data(), stride};
  std::vector<F> sums = product;
  add_rows(problem, addend, sums);
  for (const std::string_view name : instruction_sets()) {
    use_instruction_set(name);
    const Gemm<F> gemm(problem);
    for (const std::size_t threads : {1, 3}) {
      ThreadPool pool(threads);
      Scratch scratch(gemm.scratch_bytes(threads));
      for (const bool adds : {false, true}) {
        const std::vector<F>& expected = adds ? sums : product;
        std::vector<F> c = before;
        gemm.run(a.data(), b.data(), c.data(), scratch.data(), pool, adds ? addend : GemmAddend<F>());
        std::size_t wrong = 0;
        while (wrong < c.size() && same(c[wrong], expected[wrong])) ++wrong;
        ASSERT_EQ(wrong, c.size()) << what << ", " << gemm.name() << ", " << threads << " threads: element "
                                   << wrong << " is " << c[wrong] << ", not " << expected[wrong];
      }
      ASSERT_TRUE(scratch.guard_is_whole()) << what << ", " << gemm.name();
    }
  }
  use_instruction_set(std::nullopt);
}

GemmProblem dense(Extent rows, Extent depth, Extent columns, bool a_transposed = false,
                  bool b_transposed = false) {
  GemmProblem problem;
  problem.rows = rows;
  problem.depth = depth;
  problem.columns = columns;
  problem.a_rows = {a_transposed ? 1 : depth};
  problem.a_depth = {a_transposed ? rows : 1};
  problem.b_depth = {b_transposed ? 1 : columns};
  problem.b_columns = {b_transposed ? depth : 1};
  problem.c_row_stride = columns;
  return problem;
}

std::string text(const GemmProblem& problem) {
  return std::to_string(problem.products) + " x " + std::to_string(problem.rows) + "x" +
         std::to_string(problem.depth) + "x" + std::to_string(problem.columns) +
         (problem.a_depth.stride == 1 ? "" : " A transposed") +
         (problem.b_columns.stride == 1 ? "" : " B transposed");
}

template <class F>
class GemmTest : public testing::Test {};
using Elements = testing::Types<float, double>;
TYPED_TEST_SUITE(GemmTest, Elements);

TYPED_TEST(GemmTest, every_tile_edge_has_the_reference_bits) {
  for (const Extent rows : {1, 2, 3, 6, 7, 13, 14, 15, 29}) {
    for (const Extent columns : {1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 32, 33, 49}) {
      expect_reference_bits<TypeParam>(dense(rows, 5, columns), text(dense(rows, 5, columns)));
    }
  }
}

TYPED_TEST(GemmTest, every_transposition_and_depth_has_the_reference_bits) {
  for (const Extent depth : {1, 2, 3, 4, 7, 8, 9, 17, 64}) {
    for (const int transposed : {0, 1, 2, 3}) {
      const GemmProblem problem = dense(17, depth, 37, transposed & 1, transposed & 2);
      expect_reference_bits<TypeParam>(problem, text(problem));
    }
  }
}

TYPED_TEST(GemmTest, specials_have_the_reference_bits) {
  for (const int transposed : {0, 1, 2, 3}) {
    const GemmProblem problem = dense(31, 12, 35, transposed & 1, transposed & 2);
    expect_reference_bits<TypeParam>(problem, text(problem), true);
  }
}

TYPED_TEST(GemmTest, blocks_of_depth_continue_one_chain) {
  for (const Extent depth : {511, 512, 513, 1031}) {
    for (const int transposed : {0, 3}) {
      const GemmProblem problem = dense(15, depth, 21, transposed & 1, transposed & 2);
      expect_reference_bits<TypeParam>(problem, text(problem));
    }
  }
}

TYPED_TEST(GemmTest, large_products_are_packed_and_shared_out_without_a_trace) {
  for (const int transposed : {0, 1, 2}) {
    const GemmProblem problem = dense(57, 520, 260, transposed & 1, transposed & 2);
    expect_reference_bits<TypeParam>(problem, text(problem));
  }
  GemmProblem aliasing = dense(30, 20, 150);
  aliasing.a_rows = {4096};
  expect_reference_bits<TypeParam>(aliasing, "rows of A a page apart");
}

TYPED_TEST(GemmTest, a_few_rows_and_a_great_depth_are_shared_out_by_rows_and_columns) {
  for (const GemmProblem& problem : {dense(3, 4100, 40), dense(1, 2100, 100), dense(14, 3000, 9, true)}) {
    expect_reference_bits<TypeParam>(problem, text(problem));
  }
}

TYPED_TEST(GemmTest, batches_have_the_reference_bits) {
  for (const Extent products : {1, 3, 50}) {
    GemmProblem problem = dense(20, 18, 34, false, true);
    problem.products = products;
    problem.a_products = {20 * 18};
    problem.b_products = {18 * 34};
    problem.c_product_stride = 20 * 34;
    expect_reference_bits<TypeParam>(problem, text(problem));
    problem.b_products = {0};
    expect_reference_bits<TypeParam>(problem, text(problem) + ", B shared");
  }
}

TYPED_TEST(GemmTest, what_lies_between_the_rows_of_c_is_left_alone) {
  GemmProblem problem = dense(29, 11, 19);
  problem.c_row_stride = 23;
  expect_reference_bits<TypeParam>(problem, "rows of C apart");
  problem.products = 2;
  problem.c_product_stride = 29 * 23 + 7;
  expect_reference_bits<TypeParam>(problem, "products of C apart");
}

TYPED_TEST(GemmTest, any_strides_and_offset_tables_have_the_reference_bits) {
  // windows of 3 x 3 in an image of 9 x 12 with 3 channels, channels outermost or innermost
  for (const bool innermost : {false, true}) {
    const Extent channel = innermost ? 1 : 9 * 12;
    const Extent x = innermost ? 3 : 1;
    const Extent y = 12 * x;
    std::vector<std::int64_t> window;
    std::vector<std::int64_t> within;
    for (Extent i = 0; i < 7 * 10; ++i) window.push_back(i / 10 * y + i % 10 * x);
    for (Extent i = 0; i < 27; ++i) within.push_back(i / 9 * channel + i / 3 % 3 * y + i % 3 * x);
    const AxisOffsets windows{0, window.data()};
    const AxisOffsets inside{0, within.data()};
    GemmProblem forward = dense(70, 27, 20);
    forward.a_rows = windows;
    forward.a_depth = inside;
    expect_reference_bits<TypeParam>(forward, "windows as A");
    GemmProblem gradient = dense(27, 70, 20);
    gradient.a_rows = inside;
    gradient.a_depth = windows;
    expect_reference_bits<TypeParam>(gradient, "windows as A, transposed");
    GemmProblem right = dense(20, 27, 70);
    right.b_depth = inside;
    right.b_columns = windows;
    expect_reference_bits<TypeParam>(right, "windows as B");
    GemmProblem transposed = dense(20, 70, 27);
    transposed.b_depth = windows;
    transposed.b_columns = inside;
    expect_reference_bits<TypeParam>(transposed, "windows as B, transposed");
  }
  GemmProblem strided = dense(15, 33, 18);
  strided.a_rows = {67};
  strided.a_depth = {2};
  strided.b_depth = {3};
  strided.b_columns = {101};
  expect_reference_bits<TypeParam>(strided, "no unit stride");
  strided.a_depth = {0};
  strided.b_columns = {0};
  expect_reference_bits<TypeParam>(strided, "broadcast operands");
}

TYPED_TEST(GemmTest, empty_products_write_nothing_and_no_depth_writes_zeros) {
  for (const GemmProblem& problem : {dense(0, 5, 7), dense(5, 7, 0), dense(5, 0, 7), dense(0, 0, 0)}) {
    expect_reference_bits<TypeParam>(problem, text(problem));
  }
  GemmProblem none = dense(3, 3, 3);
  none.products = 0;
  const Gemm<TypeParam> gemm(none);
  ThreadPool pool(2);
  gemm.run(nullptr, nullptr, nullptr, nullptr, pool);
}

TEST(Gemm, names_its_element_and_instruction_set) {
  for (const std::string_view set : instruction_sets()) {
    use_instruction_set(set);
    const std::string name = Gemm<double>(dense(8, 8, 8)).name();
    EXPECT_TRUE(name.starts_with("gemm f64 ")) << name;
    EXPECT_TRUE(name.ends_with(set)) << name;
  }
  use_instruction_set(std::nullopt);
}

}  // namespace
}  // namespace topos::kernels
