// Sums along lines: the reference's bits on every instruction set, with any number of threads.
#include "kernels/reduce.hpp"

#include "kernels/reduce/block_sums.hpp"
#include "kernels/reduce_support.hpp"
#include "topos/tensor/reference/reduce.hpp"

namespace topos::kernels {
namespace {

using namespace testing;

template <class F>
std::vector<F> expected_sums(const std::vector<F>& x, const Lines& lines) {
  std::vector<F> sums;
  for (Extent o = 0; o < lines.outer; ++o) {
    for (Extent k = 0; k < lines.inner; ++k) {
      const F* const line = lines.extent > 0 ? x.data() + o * lines.extent * lines.inner + k : nullptr;
      sums.push_back(reference::sum(line, lines.extent, lines.inner));
    }
  }
  return sums;
}

template <class F>
void expect_sums(const std::vector<F>& x, const Lines& lines, ThreadPool& pool) {
  Guarded<F> out(lines.outer * lines.inner);
  sum_lines(x.data(), lines, out.data(), pool);
  EXPECT_EQ(out.difference(expected_sums(x, lines)), "")
      << lines.outer << " x " << lines.extent << " x " << lines.inner;
}

template <class F>
class Sums : public ::testing::Test {
 protected:
  ThreadPool one{1};
  ThreadPool three{3};

  // As numbers, as numbers with specials, and as zeros of either sign.
  void expect_lines(const Lines& lines, ThreadPool& pool) {
    const Extent volume = lines.outer * lines.extent * lines.inner;
    const std::vector<F> x = numbers<F>(volume, static_cast<std::uint64_t>(volume));
    expect_sums(x, lines, pool);
    expect_sums(with_specials(x, 7, static_cast<std::uint64_t>(2 * lines.extent + 1)), lines, pool);
    expect_sums(std::vector<F>(x.size(), -F{0}), lines, pool);
  }
};
TYPED_TEST_SUITE(Sums, Floats);

TYPED_TEST(Sums, OfContiguousElementsAreTheReferences) {
  on_each_instruction_set([&] {
    for (const Extent count : {0,  1,  2,  3,   7,    8,    9,    15,   16,   17,    31,    32,
                               33, 47, 48, 100, 4095, 4096, 4097, 8192, 8193, 12288, 65537, 100000}) {
      const auto x = numbers<TypeParam>(count, static_cast<std::uint64_t>(count) + 1);
      const TypeParam expected = reference::sum(x.data(), count);
      EXPECT_TRUE(same(sum(x.data(), count, this->one), expected)) << count;
      EXPECT_TRUE(same(sum(x.data(), count, this->three), expected)) << count << " with threads";
    }
  });
}

TYPED_TEST(Sums, OfRowsAreTheReferences) {
  on_each_instruction_set([&] {
    for (const Extent rows : {0, 1, 2, 3, 4, 5, 9}) {
      for (const Extent extent : {0, 1, 2, 5, 15, 16, 17, 27, 31, 32, 33, 100, 257}) {
        this->expect_lines({rows, extent, 1}, this->one);
      }
    }
    this->expect_lines({1000, 100, 1}, this->three);
    this->expect_lines({5, 20000, 1}, this->three);
  });
}

TYPED_TEST(Sums, OfColumnsAreTheReferences) {
  on_each_instruction_set([&] {
    for (const Extent extent : {0, 1, 2, 3, 15, 16, 17, 18, 33, 64}) {
      for (const Extent inner : {2, 3, 4, 5, 8, 15, 16, 17, 31, 33, 127, 128, 129, 200, 255, 256, 257, 300}) {
        this->expect_lines({1, extent, inner}, this->one);
      }
    }
    this->expect_lines({1, 300, 700}, this->three);
  });
}

TYPED_TEST(Sums, OfGeneralLinesAreTheReferences) {
  on_each_instruction_set([&] {
    for (const Extent outer : {0, 2, 3}) {
      for (const Extent extent : {1, 4, 17, 40}) {
        for (const Extent inner : {2, 7, 16, 130}) this->expect_lines({outer, extent, inner}, this->one);
      }
    }
    this->expect_lines({300, 20, 20}, this->three);
  });
}

TYPED_TEST(Sums, OfLongColumnsFoldTheirBlocks) {
  on_each_instruction_set([&] {
    for (const Extent extent : {4095, 4096, 4097, 8191, 8192, 9000, 40960}) {
      this->expect_lines({1, extent, 3}, this->one);
      this->expect_lines({2, extent, 2}, this->three);
    }
    this->expect_lines({1, 10000, 300}, this->three);
  });
}

TYPED_TEST(Sums, OfLinesInPiecesAreTheReferencesOfTheirElementsInOrder) {
  on_each_instruction_set([&] {
    for (const SummedLines& lines :
         {SummedLines{1, 3, 16}, SummedLines{3, 1, 32}, SummedLines{5, 7, 48}, SummedLines{7, 5, 784},
          SummedLines{3, 9, 4112}, SummedLines{4, 2, 8192}}) {
      const auto x = numbers<TypeParam>(lines.outer * lines.count * lines.inner, 1);
      std::vector<TypeParam> expected;
      for (Extent i = 0; i < lines.count; ++i) {
        std::vector<TypeParam> line;
        for (Extent o = 0; o < lines.outer; ++o) {
          const auto run = x.begin() + (o * lines.count + i) * lines.inner;
          line.insert(line.end(), run, run + lines.inner);
        }
        expected.push_back(reference::sum(line.data(), static_cast<Extent>(line.size())));
      }
      for (ThreadPool* pool : {&this->one, &this->three}) {
        Guarded<TypeParam> out(lines.count);
        sum_pieces(x.data(), lines, out.data(), *pool);
        EXPECT_EQ(out.difference(expected), "")
            << lines.outer << " x " << lines.count << " x " << lines.inner;
      }
    }
  });
}

TYPED_TEST(Sums, OfMoreThan4096BlocksFoldThemTwice) {
  const Extent count = 4096 * 4096 + 3 * 4096 + 17;
  const auto x = numbers<TypeParam>(count, 3);
  const TypeParam expected = reference::sum(x.data(), count);
  EXPECT_TRUE(same(sum(x.data(), count, this->three), expected));
}

TYPED_TEST(Sums, FoldBlockSumsOfSeveralLevelsAsTheyCome) {
  for (const Extent blocks : {1, 2, 15, 16, 17, 4095, 4096, 4097, 8192, 70000}) {
    const auto x = numbers<TypeParam>(2 * blocks, static_cast<std::uint64_t>(blocks));
    BlockSums<TypeParam, 4> sums(2);
    std::vector<TypeParam> pushed;
    for (Extent block = 0; block < blocks; ++block) {
      TypeParam pair[2];
      for (Extent k = 0; k < 2; ++k) pair[k] = TypeParam{0} + x[static_cast<std::size_t>(2 * block + k)];
      sums.push(pair);
      pushed.insert(pushed.end(), pair, pair + 2);
    }
    const TypeParam* total = sums.total();
    for (Extent k = 0; k < 2; ++k) {
      EXPECT_TRUE(same(total[k], reference::sum(pushed.data() + k, blocks, 2))) << blocks << " blocks";
    }
  }
}

}  // namespace
}  // namespace topos::kernels
