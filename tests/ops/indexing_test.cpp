// Rows taken and added by index, and what is no index.
#include <gtest/gtest.h>

#include "support/op_cases.hpp"
#include "topos/ops/functions.hpp"

namespace topos::testing {
namespace {

template <class E>
ValueCase<E> gather_case(const Tensor<E>& table, std::vector<std::int64_t> ids, bool dense = false) {
  const auto selection = Tensor<E>::selection(ids, table.shape()[0]);
  const Tensor<E> one_hot = tabulated<E>(selection.shape(), [&](const std::vector<Extent>& i) {
    return i[1] == ids[static_cast<std::size_t>(i[0])] ? E(1) : E(0);
  });
  const Shape shape = table.shape().with_extent(0, static_cast<Extent>(ids.size()));
  return {make_operation<Gather>(),
          {table, dense ? one_hot : selection},
          tabulated<E>(shape, [&](const std::vector<Extent>& i) {
            return at(table, with(i, 0, ids[static_cast<std::size_t>(i[0])]));
          })};
}

template <class E>
ValueCase<E> scatter_case(const Tensor<E>& rows, std::vector<std::int64_t> ids, Extent classes) {
  return {make_operation<Scatter>(),
          {rows, Tensor<E>::selection(ids, classes)},
          tabulated<E>(rows.shape().with_extent(0, classes), [&](const std::vector<Extent>& i) {
            E total = E(0);
            for (std::size_t row = 0; row < ids.size(); ++row) {
              if (ids[row] == i[0]) total = total + at(rows, with(i, 0, static_cast<Extent>(row)));
            }
            return total;
          })};
}

template <class E>
std::vector<ValueCase<E>> gather_values() {
  const std::vector<E> special = special_elements<E>();
  const auto count = static_cast<Extent>(special.size());
  return {gather_case(scattered<E>(Shape({3, 2})), {2, 0, 2, 1}),
          gather_case(scattered<E>(Shape({3, 2})), {2, 0, 2, 1}, true),
          gather_case(scattered<E>(Shape({4})), {3, 3}), gather_case(scattered<E>(Shape({1, 5})), {0}),
          gather_case(scattered<E>(Shape({3, 2})), {}), gather_case(scattered<E>(Shape({0, 2})), {}),
          gather_case(scattered<E>(Shape({3, 0})), {1, 2}),
          gather_case(scattered<E>(Shape({3, 2, 4})), {1, 1, 0}),
          // An infinity or a NaN in a row that is not taken does not show, as it would in a product.
          gather_case(Tensor<E>({count, 1}, special), {5, 1, count - 1}),
          gather_case(scattered<E>(Shape({4, 3})).permuted(std::vector<Axis>{1, 0}), {2, 0})};
}

template <class E>
std::vector<ValueCase<E>> scatter_values() {
  std::vector<std::int64_t> many;
  for (std::int64_t i = 0; i < 300; ++i) many.push_back(i * i % 7);
  const std::vector<E> special = special_elements<E>();
  const auto count = static_cast<Extent>(special.size());
  std::vector<std::int64_t> pairs;
  for (std::int64_t i = 0; i < count; ++i) pairs.push_back(i / 2);
  return {scatter_case(scattered<E>(Shape({4, 2})), {2, 0, 2, 1}, 3),
          scatter_case(scattered<E>(Shape({2})), {3, 3}, 5),
          scatter_case(scattered<E>(Shape({0, 2})), {}, 3),
          scatter_case(scattered<E>(Shape({0, 2})), {}, 0),
          scatter_case(scattered<E>(Shape({2, 0})), {1, 0}, 2),
          scatter_case(scattered<E>(Shape({3, 2, 2})), {1, 1, 0}, 2),
          scatter_case(scattered<E>(Shape({300, 3})), many, 7),
          scatter_case(Tensor<E>({count, 1}, special), pairs, count)};
}

using Values = std::span<const Value<float>>;

}  // namespace

std::vector<OpCases> indexing_cases() {
  const auto d = [](const Shape& shape) { return scattered<double>(shape, 5); };
  std::vector<OpCases> all(2);
  all[0] = {.name = "Gather", .f32 = gather_values<float>(), .f64 = gather_values<double>()};
  all[0].derivatives = {
      {make_operation<Gather>(), {d({3, 2}), Tensor<double>::selection({2, 0, 2, 2}, 3)}, {1}}};
  all[0].rejections = {{make_operation<Gather>(), {{3, 2}, {3}}, "C1"},
                       {make_operation<Gather>(), {Shape(), {2, 3}}, "C2"},
                       {make_operation<Gather>(), {{3, 2}, {3, 2}}, "C3"}};
  all[0].spellings = {
      {[](Values in) { return gather(in[0], in[1]); }, make_operation<Gather>(), {{3, 2}, {4, 3}}}};

  all[1] = {.name = "Scatter", .f32 = scatter_values<float>(), .f64 = scatter_values<double>()};
  all[1].derivatives = {
      {make_operation<Scatter>(), {d({4, 2}), Tensor<double>::selection({2, 0, 2, 2}, 3)}, {1}}};
  all[1].rejections = {{make_operation<Scatter>(), {Shape(), {2, 3}}, "C1"},
                       {make_operation<Scatter>(), {{2, 2}, {2}}, "C2"},
                       {make_operation<Scatter>(), {{2, 2}, {3, 2}}, "C3"}};
  all[1].spellings = {
      {[](Values in) { return scatter(in[0], in[1]); }, make_operation<Scatter>(), {{4, 2}, {4, 3}}}};
  return all;
}

namespace {

std::string refusal(const Tensor<float>& selection) {
  try {
    gather(Tensor<float>::filled({3, 2}, 1.0f), selection);
  } catch (const UsageError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(Indexing, ADenseMatrixWhoseRowsAreNotOneHotIsRefusedByRow) {
  EXPECT_NE(refusal(Tensor<float>({1, 3}, {0, 1, 1})).find("row 0 is not"), std::string::npos);
  EXPECT_NE(refusal(Tensor<float>({1, 3}, {0, 2, 0})).find("row 0 is not"), std::string::npos);
  EXPECT_NE(
      refusal(Tensor<float>({1, 3}, {0, std::numeric_limits<float>::quiet_NaN(), 0})).find("row 0 is not"),
      std::string::npos);
  EXPECT_NE(refusal(Tensor<float>({2, 3}, {0, 1, 0, 0, 0, 0})).find("row 1 selects nothing"),
            std::string::npos);
  EXPECT_EQ(refusal(Tensor<float>({2, 3}, {0, 1, 0, -0.0f, 0, 1})), "accepted");
}

}  // namespace
}  // namespace topos::testing
