// Matrix products: for every output element one chain of fused multiply-adds over ascending k, from +0.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "kernels/thread_pool.hpp"
#include "topos/tensor/shape.hpp"

namespace topos::kernels {

/// Where the indices along one axis of an operand lie, in elements from its first: i * stride, or table[i].
struct AxisOffsets {
  Extent stride = 1;
  const std::int64_t* table = nullptr;  ///< one entry an index; not owned

  Extent operator()(Extent i) const { return table ? table[i] : i * stride; }
  bool is_contiguous() const { return !table && stride == 1; }
};

/// C[p] = A[p] B[p] for each product p: A is rows x depth, B is depth x columns, any strides or offset tables
/// (a transposed operand, or the windows of an image, need no copy); C is row-major, its products one after
/// the other with rows `c_row_stride` apart.
struct GemmProblem {
  Extent products = 1;
  Extent rows = 0;
  Extent columns = 0;
  Extent depth = 0;
  AxisOffsets a_products{0}, a_rows, a_depth;
  AxisOffsets b_products{0}, b_depth, b_columns;
  Extent c_product_stride = 0;
  Extent c_row_stride = 0;
};

/// A row of `columns` elements for each product, added to each row of C when its sums are complete: one more
/// rounding, as that of an operation of its own.
template <class F>
struct GemmAddend {
  const F* rows = nullptr;  ///< none
  Extent product_stride = 0;

  const F* row(Extent product) const { return rows ? rows + product * product_stride : nullptr; }
};

template <class F>
struct GemmBlocking;

/// A product planned once and run many times, for the instruction set in use when it is planned. F: float,
/// double.
template <class F>
class Gemm {
 public:
  /// The offset tables must outlive it.
  explicit Gemm(const GemmProblem& problem);
  /// Bytes of 64-byte aligned scratch memory that run() needs with this many threads.
  std::size_t scratch_bytes(std::size_t threads) const;
  /// No heap allocation. C may not overlap A or B. rows, columns or depth may be 0 (depth 0 gives zeros).
  void run(const F* a, const F* b, F* c, std::byte* scratch, ThreadPool& pool,
           const GemmAddend<F>& addend = {}) const;
  /// The same on the calling thread alone, with the scratch memory of one.
  void run_alone(const F* a, const F* b, F* c, std::byte* scratch) const;
  /// "gemm f32 14x32 avx512", for describe().
  const char* name() const { return name_.c_str(); }

 private:
  std::size_t tasks(std::size_t threads) const;

  GemmProblem problem_;
  std::shared_ptr<const GemmBlocking<F>> blocking_;
  std::vector<std::int64_t> a_offsets_;  // along one depth block, where A has strides and is not packed
  std::string name_;
};

}  // namespace topos::kernels
