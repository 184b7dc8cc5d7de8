// The maximum over windows and its gradient, the image read and written once.
#include <fmt/format.h>

#include "plan/engine/pattern_lowering/window_shape.hpp"
#include "plan/engine/pattern_lowering_list.hpp"
#include "topos/plan/patterns/reduce_window.hpp"
#include "topos/plan/patterns/reduce_window_gradient.hpp"

namespace topos::engine {
namespace {

template <class F>
class MaximumStep : public Step<F> {
 public:
  MaximumStep(Operand image, const kernels::WindowShape& shape, BufferIndex to)
      : image_(image), shape_(shape), to_(to) {}
  void run(const Memory<F>& memory) const override {
    kernels::window_maximum(image_.at(memory), shape_, memory.buffers[to_], *memory.pool);
  }
  std::string describe() const override {
    return fmt::format("maximum of {}: b{} -> b{}", describe_windows(shape_), image_.buffer, to_);
  }

 private:
  Operand image_;
  kernels::WindowShape shape_;
  BufferIndex to_;
};

template <class F>
class GradientStep : public Step<F> {
 public:
  GradientStep(Operand image, Operand cotangent, const kernels::WindowShape& shape, BufferIndex to)
      : image_(image), cotangent_(cotangent), shape_(shape), to_(to) {}
  void run(const Memory<F>& memory) const override {
    kernels::window_maximum_gradient(image_.at(memory), cotangent_.at(memory), shape_, memory.buffers[to_],
                                     *memory.pool);
  }
  std::string describe() const override {
    return fmt::format("gradient of the maximum of {}: b{} b{} -> b{}", describe_windows(shape_),
                       image_.buffer, cotangent_.buffer, to_);
  }

 private:
  Operand image_;
  Operand cotangent_;
  kernels::WindowShape shape_;
  BufferIndex to_;
};

bool takes_any(const Graph&, const Candidate&) { return true; }

template <class F>
void lower_maximum(Compiler<F>& compiler, const Candidate& candidate) {
  const Windows& windows = std::any_cast<const ReduceWindow&>(candidate.attributes).windows;
  const auto image = compiler.dense_in(windows.source, channels_last);
  const BufferIndex output = compiler.define_output(
      candidate.root, Layout::dense_in_order(compiler.node(candidate.root).shape, channels_last));
  compiler.append(
      std::make_unique<MaximumStep<F>>(Operand{image.buffer, image.layout.offset()},
                                       window_shape(windows, compiler.node(windows.source).shape), output),
      {image.buffer}, {output});
}

bool takes_gradient(const Graph&, const Candidate& candidate) {
  const Windows& windows = std::any_cast<const ReduceWindowGradient&>(candidate.attributes).windows;
  const auto apart = [](const WindowAxis& axis) { return axis.stride == axis.size; };
  return apart(windows.axes[0]) && apart(windows.axes[1]) && windows.area() <= kernels::most_window_area;
}

template <class F>
void lower_gradient(Compiler<F>& compiler, const Candidate& candidate) {
  const auto& gradient = std::any_cast<const ReduceWindowGradient&>(candidate.attributes);
  const auto image = compiler.dense_in(gradient.windows.source, channels_last);
  const std::vector<Axis> with_lane{0, 2, 3, 1, 4};  // the cotangent's last extent is 1
  const auto cotangent = compiler.dense_in(gradient.cotangent, with_lane);
  const Shape& shape = compiler.node(candidate.root).shape;
  const BufferIndex output =
      compiler.define_output(candidate.root, Layout::dense_in_order(shape, channels_last));
  compiler.never_negative_zero(output);
  compiler.append(std::make_unique<GradientStep<F>>(Operand{image.buffer, image.layout.offset()},
                                                    Operand{cotangent.buffer, cotangent.layout.offset()},
                                                    window_shape(gradient.windows, shape), output),
                  {image.buffer, cotangent.buffer}, {output});
}

}  // namespace

template <class F>
PatternLowering<F> window_maximum_lowering() {
  return {takes_any, lower_maximum<F>};
}
template <class F>
PatternLowering<F> window_maximum_gradient_lowering() {
  return {takes_gradient, lower_gradient<F>};
}

template PatternLowering<float> window_maximum_lowering();
template PatternLowering<double> window_maximum_lowering();
template PatternLowering<float> window_maximum_gradient_lowering();
template PatternLowering<double> window_maximum_gradient_lowering();

}  // namespace topos::engine
