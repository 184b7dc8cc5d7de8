// Differentiated convolutional programs in many geometries.
#pragma once

#include <string>
#include <vector>

#include "topos/composites/activations.hpp"
#include "topos/composites/convolution.hpp"
#include "topos/nn/initialize.hpp"
#include "topos/ops/functions.hpp"
#include "topos/plan/entry.hpp"

namespace topos::testing {

/// One geometry: images [2, 2, 10, 9], three filters of 3 x 2.
struct ConvnetCase {
  std::string name;
  Extent stride = 1;
  Extent padding = 0;
  Extent dilation = 1;
  Extent pool_size = 2;
  Extent pool_stride = 2;
  bool image_gradient = true;
};

/// Strides that leave elements over, padding, dilation, and pools that tile, overlap and skip.
inline std::vector<ConvnetCase> convnet_cases() {
  return {
      {.name = "plain", .image_gradient = false},
      {.name = "image_gradient"},
      {.name = "stride_2", .stride = 2},
      {.name = "padding_1", .padding = 1},
      {.name = "stride_2_padding_1", .stride = 2, .padding = 1},
      {.name = "dilation_2", .dilation = 2},
      {.name = "dilation_2_stride_2_padding_1", .stride = 2, .padding = 1, .dilation = 2},
      {.name = "overlapping_pool_3_2", .padding = 1, .pool_size = 3, .pool_stride = 2},
      {.name = "overlapping_pool_2_1", .pool_size = 2, .pool_stride = 1},
      {.name = "skipping_pool_2_3", .pool_size = 2, .pool_stride = 3},
      {.name = "single_element_pool", .pool_size = 1, .pool_stride = 1},
  };
}

/// What was recorded: the loss is the sum of squares of pooled, rectified convolutions.
template <class E>
struct Convnet {
  Tape<E> tape;
  Value<E> image;
  Value<E> weights;
  Value<E> bias;
  Value<E> pooled;
  Adjoints adjoints;

  static Convnet record(const ConvnetCase& geometry) {
    Tape<E> tape;
    Uniform draws(5, 1.0);
    const Value<E> image = tape.input(draws.tensor<E>({2, 2, 10, 9}));
    const Value<E> weights = tape.parameter(draws.tensor<E>({3, 2, 3, 2}));
    const Value<E> bias = tape.parameter(draws.tensor<E>({3}));
    const Value<E> convolved =
        conv2d(image, weights, bias, geometry.stride, geometry.padding, geometry.dilation);
    const Value<E> pooled = max_pool(relu(convolved), geometry.pool_size, geometry.pool_stride);
    const Value<E> loss = sum(pooled * pooled);
    Symbols wrt{weights, bias};
    if (geometry.image_gradient) wrt.push_back(image);
    const Adjoints adjoints = tape.differentiate(loss, wrt);
    return {std::move(tape), image, weights, bias, pooled, adjoints};
  }

  Plan<E> lower() && { return std::move(tape).seal().entry(adjoints.roots()).lower(); }
};

/// A loss and its gradients, lowered.
inline Plan<float> gradient_plan(Tape<float> tape, const Symbol& loss, const Symbols& wrt) {
  const Adjoints adjoints = tape.differentiate(loss, wrt);
  return std::move(tape).seal().entry(adjoints.roots()).lower();
}

/// Windows [batch, channels, rows, height, columns, width] as the patch matrix that a convolution multiplies.
inline Value<float> patch_matrix(const Value<float>& windows) {
  const Shape s = windows.shape();
  return reshape(permute(windows, {0, 2, 4, 1, 3, 5}), {s[0] * s[2] * s[4], s[1] * s[3] * s[5]});
}

/// The gradient of a pool alone, over images whose windows hold ties: whole numbers from -1 to 1.
inline Plan<float> tied_pool(Extent size, Extent stride) {
  Tape<float> tape;
  SplitMix64 draws(3);
  std::vector<float> elements;
  for (int i = 0; i < 2 * 2 * 7 * 7; ++i) elements.push_back(static_cast<float>(draws.next() % 3) - 1.0f);
  const auto image = tape.input(Tensor<float>({2, 2, 7, 7}, elements));
  const auto pooled = max_pool(image, size, stride);
  const auto weighted = pooled * Uniform(8, 1.0).tensor<float>(pooled.shape());
  return gradient_plan(std::move(tape), sum(weighted), {image});
}

/// Two convolutions, the second of which hands its source's gradient on to the first.
inline Plan<float> two_layers() {
  Tape<float> tape;
  Uniform draws(6, 0.5);
  const auto image = tape.input(draws.tensor<float>({2, 1, 10, 9}));
  const auto weights = tape.parameter(draws.tensor<float>({3, 1, 3, 3}));
  const auto bias = tape.parameter(draws.tensor<float>({3}));
  const auto deeper_weights = tape.parameter(draws.tensor<float>({2, 3, 2, 3}));
  const auto deeper_bias = tape.parameter(draws.tensor<float>({2}));
  const auto hidden = max_pool(relu(conv2d(image, weights, bias, 1, 1)), 2, 2);
  const auto out = conv2d(hidden, deeper_weights, deeper_bias, 2, 1);
  const auto loss = sum(tanh(out) * out);
  return gradient_plan(std::move(tape), loss, {weights, bias, deeper_weights, deeper_bias, image});
}

/// Windows that differ along the two axes in size, stride, dilation and padding, which has unequal sides.
inline Plan<float> uneven_windows() {
  Tape<float> tape;
  Uniform draws(9, 1.0);
  const auto image = tape.input(draws.tensor<float>({2, 2, 7, 6}));
  const auto kernel = tape.parameter(draws.tensor<float>({12, 3}));
  const auto padded = pad(pad(image, 3, 2, 9), 2, 0, 8);
  const auto windows = unfold(unfold(padded, 2, 3, 1, 2), 4, 2, 3, 1);  // [2, 2, 4, 3, 3, 2]
  const auto patches = patch_matrix(windows);
  const auto product = matmul(patches, kernel);
  return gradient_plan(std::move(tape), sum(product * product), {kernel, image});
}

/// One patch matrix read by two kernels: its gradient has two parts, so the image's is no single convolution.
inline Plan<float> shared_patches() {
  Tape<float> tape;
  Uniform draws(7, 1.0);
  const auto image = tape.input(draws.tensor<float>({1, 2, 5, 5}));
  const auto first = tape.parameter(draws.tensor<float>({8, 3}));
  const auto second = tape.parameter(draws.tensor<float>({8, 2}));
  const auto windows = unfold(unfold(image, 2, 2, 1), 4, 2, 1);
  const auto patches = patch_matrix(windows);
  const auto left = matmul(patches, first);
  const auto right = matmul(patches, second);
  const auto right_loss = sum(right * right);
  const auto loss = sum(left * left) + right_loss;
  return gradient_plan(std::move(tape), loss, {first, second, image});
}

}  // namespace topos::testing
