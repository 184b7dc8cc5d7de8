// The gradient of a convolution's input: some rows of windows at a time, the patches' gradient, a product,
// stays in the cache and is added to the image there.
#include "topos/plan/patterns/window_product_input_gradient.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "kernels/gemm.hpp"
#include "plan/engine/claimed_items.hpp"
#include "plan/engine/pattern_lowering/window_shape.hpp"
#include "plan/engine/pattern_lowering_list.hpp"

namespace topos::engine {
namespace {

struct Problem {
  kernels::WindowShape shape;
  Extent filters = 0;
  BufferIndex cotangent = 0;  // [batch * windows, filters]
  Extent cotangent_offset = 0;
  Extent row_stride = 0;
  Extent filter_stride = 0;
  BufferIndex kernel = 0;
  Extent kernel_offset = 0;
  std::vector<StridedAxis> kernel_axes;  // [filters, rows, columns, channels]
  BufferIndex output = 0;

  Extent windows() const { return shape.rows.count * shape.columns.count; }  // of an image
  Extent patch() const { return shape.area() * shape.channels; }
};

template <class F>
class InputGradientStep : public Step<F> {
 public:
  explicit InputGradientStep(Problem problem)
      : problem_(std::move(problem)),
        band_(band_of(problem_)),
        product_(product_of(problem_, band_)),
        last_product_(product_of(problem_, (problem_.shape.rows.count - 1) % band_ + 1)) {}

  void run(const Memory<F>& memory) const override {
    F* const kernel = reinterpret_cast<F*>(memory.scratch);
    kernels::copy_strided(memory.at(problem_.kernel, problem_.kernel_offset),
                          std::span<const StridedAxis>(problem_.kernel_axes), 0,
                          problem_.filters * problem_.patch(), kernel);
    std::byte* const slabs = memory.scratch + kernel_bytes();
    claim_items(*memory.pool, tasks(memory.pool->threads()), problem_.shape.batch,
                [&](std::size_t task, Extent image) {
                  run_image(memory, kernel, image, slabs + task * slab_bytes());
                });
  }
  std::size_t scratch_bytes(std::size_t threads) const override {
    return kernel_bytes() + tasks(threads) * slab_bytes();
  }
  std::string describe() const override {
    return fmt::format("gradient of {}, {} filters, {} rows at a time: b{} b{} -> b{}; {}",
                       describe_windows(problem_.shape), problem_.filters, band_, problem_.cotangent,
                       problem_.kernel, problem_.output, product_.name());
  }

 private:
  /// Rows of windows at a time: half of a second-level cache for their patches, and tiles that are full.
  static Extent band_of(const Problem& problem) {
    constexpr Extent cache_bytes = Extent{256} << 10;
    const Extent row = problem.shape.columns.count * problem.patch() * static_cast<Extent>(sizeof(F));
    const Extent full_tiles = (55 + problem.shape.columns.count) / problem.shape.columns.count;
    return std::clamp<Extent>(cache_bytes / row, std::min(full_tiles, problem.shape.rows.count),
                              problem.shape.rows.count);
  }
  static kernels::Gemm<F> product_of(const Problem& problem, Extent rows_of_windows) {
    kernels::GemmProblem product;
    product.rows = rows_of_windows * problem.shape.columns.count;
    product.columns = problem.patch();
    product.depth = problem.filters;
    product.a_rows = {problem.row_stride};
    product.a_depth = {problem.filter_stride};
    product.b_depth = {product.columns};
    product.b_columns = {1};
    product.c_row_stride = product.columns;
    return kernels::Gemm<F>(product);
  }

  std::size_t kernel_bytes() const {
    return whole_lines(static_cast<std::size_t>(problem_.filters * problem_.patch()) * sizeof(F));
  }
  std::size_t patch_bytes() const {
    const Extent rows = band_ * problem_.shape.columns.count;
    return whole_lines(static_cast<std::size_t>(rows * problem_.patch()) * sizeof(F));
  }
  std::size_t slab_bytes() const {
    return patch_bytes() + whole_lines(std::max(product_.scratch_bytes(1), last_product_.scratch_bytes(1)));
  }
  std::size_t tasks(std::size_t threads) const {
    const double work = static_cast<double>(problem_.shape.batch * problem_.windows()) *
                        static_cast<double>(problem_.patch() * problem_.filters);
    return threads_for_products(work, std::min(threads, static_cast<std::size_t>(problem_.shape.batch)));
  }

  void run_image(const Memory<F>& memory, const F* kernel, Extent image, std::byte* slab) const {
    F* const patches = reinterpret_cast<F*>(slab);
    F* const out = memory.buffers[problem_.output] + image * problem_.shape.image();
    std::fill_n(out, problem_.shape.image(), F{0});
    const Extent count = problem_.shape.rows.count;
    for (Extent first = 0; first < count; first += band_) {
      const Extent rows = std::min(band_, count - first);
      const Extent window = image * problem_.windows() + first * problem_.shape.columns.count;
      const F* const cotangent =
          memory.at(problem_.cotangent, problem_.cotangent_offset + window * problem_.row_stride);
      (rows == band_ ? product_ : last_product_).run_alone(cotangent, kernel, patches, slab + patch_bytes());
      kernels::fold_window_rows(static_cast<const F*>(patches), problem_.shape, first, rows, out);
    }
  }

  Problem problem_;
  Extent band_;
  kernels::Gemm<F> product_;
  kernels::Gemm<F> last_product_;
};

bool supports(const Graph&, const Candidate&) { return true; }

template <class F>
void lower(Compiler<F>& compiler, const Candidate& candidate) {
  const auto& gradient = std::any_cast<const WindowProductInputGradient&>(candidate.attributes);
  const Shape& shape = compiler.node(candidate.root).shape;
  Problem problem;
  problem.shape = window_shape(gradient.windows, shape);
  problem.filters = compiler.node(gradient.kernel).shape[1];
  auto cotangent = compiler.value(gradient.cotangent);
  if (!cotangent.layout.merged(0) || !cotangent.layout.merged(1))
    cotangent = compiler.row_major(gradient.cotangent);
  problem.cotangent = cotangent.buffer;
  problem.cotangent_offset = cotangent.layout.offset();
  problem.row_stride = cotangent.layout.merged(0)->stride;
  problem.filter_stride = cotangent.layout.merged(1)->stride;
  const Shape split(
      {problem.shape.channels, problem.shape.rows.size, problem.shape.columns.size, problem.filters});
  auto kernel = compiler.value(gradient.kernel);
  auto layout = kernel.layout.reshaped(split);
  if (!layout) {
    kernel = compiler.row_major(gradient.kernel);
    layout = kernel.layout.reshaped(split);
  }
  problem.kernel = kernel.buffer;
  problem.kernel_offset = layout->offset();
  problem.kernel_axes = layout->flattened(std::vector<Axis>{3, 1, 2, 0});
  problem.output = compiler.define_output(candidate.root, Layout::dense_in_order(shape, channels_last));
  compiler.never_negative_zero(problem.output);
  const std::vector<BufferIndex> reads{problem.cotangent, problem.kernel};
  const BufferIndex output = problem.output;
  compiler.append(std::make_unique<InputGradientStep<F>>(std::move(problem)), reads, {output});
}

}  // namespace

template <class F>
PatternLowering<F> window_product_input_gradient_lowering() {
  return {supports, lower<F>};
}

template PatternLowering<float> window_product_input_gradient_lowering();
template PatternLowering<double> window_product_input_gradient_lowering();

}  // namespace topos::engine
