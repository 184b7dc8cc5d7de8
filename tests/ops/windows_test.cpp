// Windows cut out of an axis, and added back into it.
#include <gtest/gtest.h>

#include "support/op_cases.hpp"
#include "topos/ops/functions.hpp"

namespace topos::testing {
namespace {

struct WindowParameters {
  Shape shape;
  Axis axis;
  Extent size, step, dilation;
};

/// Overlapping, touching and apart; dilated; with elements left over; one window; one element; empty beside
/// them.
const std::vector<WindowParameters> window_parameters{
    {{8}, 0, 3, 2, 1},       {{8}, 0, 3, 1, 1},      {{8}, 0, 2, 3, 1},    {{9}, 0, 3, 2, 2},
    {{5}, 0, 5, 1, 1},       {{1}, 0, 1, 1, 1},      {{7}, 0, 1, 2, 3},    {{2, 6, 3}, 1, 3, 1, 1},
    {{2, 6, 3}, 1, 2, 2, 3}, {{3, 7}, 1, 4, 3, 1},   {{6, 3}, 0, 2, 1, 4}, {{0, 6}, 1, 2, 1, 1},
    {{6, 0}, 0, 2, 2, 1},    {{40, 5}, 0, 17, 1, 1},
};

Extent count_of(const WindowParameters& w) {
  Extent count = 0;
  while (count * w.step + (w.size - 1) * w.dilation < w.shape[w.axis]) ++count;
  return count;
}

template <class E>
std::vector<ValueCase<E>> unfold_values() {
  std::vector<ValueCase<E>> cases;
  const auto add = [&](const WindowParameters& w, const Tensor<E>& x) {
    const Shape shape = w.shape.with_extent(w.axis, count_of(w)).with_axis(w.axis + 1, w.size);
    cases.push_back({make_operation<Unfold>(w.axis, w.size, w.step, w.dilation),
                     {x},
                     tabulated<E>(shape, [&](const std::vector<Extent>& i) {
                       const auto a = static_cast<std::size_t>(w.axis);
                       return at(x,
                                 with(without(i, w.axis + 1), w.axis, i[a] * w.step + i[a + 1] * w.dilation));
                     })});
  };
  for (const WindowParameters& w : window_parameters) add(w, scattered<E>(w.shape));
  const std::vector<E> special = special_elements<E>();
  const auto count = static_cast<Extent>(special.size());
  add({{count}, 0, 3, 2, 1}, Tensor<E>({count}, special));
  add({{3, 6}, 1, 2, 1, 2}, scattered<E>(Shape({6, 3})).permuted(std::vector<Axis>{1, 0}));
  add({{2, 3}, 1, 2, 1, 1}, Tensor<E>::selection({2, 0}, 3));
  return cases;
}

template <class E>
std::vector<ValueCase<E>> fold_values() {
  std::vector<ValueCase<E>> cases;
  const auto add = [&](const WindowParameters& w, const Tensor<E>& x) {
    cases.push_back({make_operation<Fold>(w.axis, w.size, w.step, w.dilation, w.shape[w.axis]),
                     {x},
                     tabulated<E>(w.shape, [&](const std::vector<Extent>& i) {
                       // Those that land on the position, by window and then along it, added to +0.
                       E total = E(0);
                       for (Extent window = 0; window < count_of(w); ++window) {
                         for (Extent k = 0; k < w.size; ++k) {
                           if (window * w.step + k * w.dilation != i[static_cast<std::size_t>(w.axis)])
                             continue;
                           total = total + at(x, inserted(with(i, w.axis, window), w.axis + 1, k));
                         }
                       }
                       return total;
                     })});
  };
  const auto windows_of = [](const WindowParameters& w) {
    return w.shape.with_extent(w.axis, count_of(w)).with_axis(w.axis + 1, w.size);
  };
  for (const WindowParameters& w : window_parameters) add(w, scattered<E>(windows_of(w)));
  for (const E x : special_elements<E>()) {
    std::vector<E> elements = scattered<E>(9);
    elements[4] = x;
    add({{5}, 0, 3, 1, 1}, Tensor<E>({3, 3}, elements));
  }
  return cases;
}

using Values = std::span<const Value<float>>;

}  // namespace

std::vector<OpCases> window_cases() {
  const auto d = [](const Shape& shape) { return scattered<double>(shape, 5); };
  constexpr Extent huge = std::numeric_limits<Extent>::max();
  std::vector<OpCases> all(2);
  all[0] = {.name = "Unfold", .f32 = unfold_values<float>(), .f64 = unfold_values<double>()};
  all[0].derivatives = {{make_operation<Unfold>(0, 3, 2, 1), {d({8})}},
                        {make_operation<Unfold>(1, 2, 1, 2), {d({2, 4})}}};
  all[0].rejections = {{make_operation<Unfold>(1, 1, 1, 1), {{4}}, "C1"},
                       {make_operation<Unfold>(-1, 1, 1, 1), {{4}}, "C1"},
                       {make_operation<Unfold>(0, 0, 1, 1), {{4}}, "C2"},
                       {make_operation<Unfold>(0, 2, 0, 1), {{4}}, "C2"},
                       {make_operation<Unfold>(0, 2, 1, 0), {{4}}, "C2"},
                       {make_operation<Unfold>(0, 2, -1, 1), {{4}}, "C2"},
                       {make_operation<Unfold>(0, 5, 1, 1), {{4}}, "C3"},
                       {make_operation<Unfold>(0, 3, 1, 2), {{4}}, "C3"},
                       {make_operation<Unfold>(0, 1, 1, 1), {{0}}, "C3"},
                       {make_operation<Unfold>(0, 3, 1, huge), {{4}}, "C3"},
                       {make_operation<Unfold>(0, huge, 1, 1), {{4}}, "C3"},
                       {make_operation<Unfold>(0, 2, 1, huge), {{4}}, "C3"}};
  all[0].spellings = {{[](Values in) { return unfold(in[0], 0, 3, 2, 1); },
                       make_operation<Unfold>(0, 3, 2, 1),
                       {Shape({8})}}};

  all[1] = {.name = "Fold", .f32 = fold_values<float>(), .f64 = fold_values<double>()};
  all[1].derivatives = {{make_operation<Fold>(0, 3, 2, 1, 8), {d({3, 3})}},
                        {make_operation<Fold>(1, 2, 1, 1, 3), {d({2, 2, 2})}}};
  all[1].rejections = {{make_operation<Fold>(0, 3, 2, 1, 8), {{3}}, "C1"},
                       {make_operation<Fold>(1, 3, 2, 1, 8), {{3, 3}}, "C1"},
                       {make_operation<Fold>(-1, 3, 2, 1, 8), {{3, 3}}, "C1"},
                       {make_operation<Fold>(0, 3, 0, 1, 8), {{3, 3}}, "C2"},
                       {make_operation<Fold>(0, 0, 2, 1, 8), {{3, 0}}, "C2"},
                       {make_operation<Fold>(0, 3, 2, -1, 8), {{3, 3}}, "C2"},
                       {make_operation<Fold>(0, 3, 2, 1, 2), {{3, 3}}, "C3"},
                       {make_operation<Fold>(0, 3, 2, huge, 8), {{3, 3}}, "C3"},
                       {make_operation<Fold>(0, 3, 2, 1, 8), {{2, 3}}, "C4"},
                       {make_operation<Fold>(0, 3, 2, 1, 8), {{3, 2}}, "C5"}};
  all[1].spellings = {{[](Values in) { return fold(in[0], 0, 3, 2, 1, 8); },
                       make_operation<Fold>(0, 3, 2, 1, 8),
                       {Shape({3, 3})}}};
  return all;
}

}  // namespace topos::testing
