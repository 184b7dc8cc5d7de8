// Attention and rotary positions: against PyTorch, for rows that see nothing, and in batches and caches.
#include "topos/nn/attention.hpp"

#include "nn/captured.hpp"
#include "topos/composites/rotary.hpp"
#include "topos/nn/initialize.hpp"

namespace topos {
namespace {

using testing::Captured;
using testing::expect_captured;
using testing::near_captured;
using testing::Recorded;

template <class E>
class Attention : public ::testing::Test {};
using ElementTypes = ::testing::Types<float, double>;
TYPED_TEST_SUITE(Attention, ElementTypes);

template <class E>
constexpr E infinity = std::numeric_limits<E>::infinity();

TYPED_TEST(Attention, OfRanksTwoToFourIsPyTorchs) {
  using E = TypeParam;
  for (const char* title : {"rank 2", "rank 3", "rank 4"}) {
    for (const bool masked : {false, true}) {
      expect_captured<E>("attention", title, [&](Tape<E>& tape, const Captured& captured) -> Recorded {
        const Value<E> q = tape.parameter(captured.input<E>("q"));
        const Value<E> k = tape.parameter(captured.input<E>("k"));
        const Value<E> v = tape.parameter(captured.input<E>("v"));
        const Value<E> mask = tape.parameter(captured.input<E>("mask"));
        const Value<E> scale = tape.leaf(Tensor<E>(E(0.5)));
        const Value<E> output =
            masked ? masked_attention(q, k, v, mask, scale) : scaled_dot_product(q, k, v, mask, scale);
        return {{{"output", output}}, {{"q", q}, {"k", k}, {"v", v}, {"mask", mask}}};
      });
    }
  }
}

/// 0 where `seen` is 1, `fill` where it is 0.
template <class E>
Tensor<E> mask_of(const Tensor<E>& seen, E fill) {
  std::vector<E> elements;
  for (const E element : seen.elements()) elements.push_back(element > 0 ? E(0) : fill);
  return Tensor<E>(seen.shape(), std::move(elements));
}

TYPED_TEST(Attention, OfARowThatSeesNothingIsZerosAndItsGradientsAre) {
  using E = TypeParam;
  for (const E fill : {-infinity<E>, std::numeric_limits<E>::lowest()}) {
    expect_captured<E>("attention", "hidden rows", [&](Tape<E>& tape, const Captured& captured) -> Recorded {
      const Value<E> q = tape.parameter(captured.input<E>("q"));
      const Value<E> k = tape.parameter(captured.input<E>("k"));
      const Value<E> v = tape.parameter(captured.input<E>("v"));
      // Its gradient is compared with the zeros of PyTorch's boolean mask at the hidden row, below.
      const Value<E> mask = tape.leaf(mask_of(captured.input<E>("seen"), fill));
      const Value<E> seen = tape.parameter(captured.input<E>("seen"));
      const Value<E> output = masked_attention(q, k, v, mask, tape.leaf(Tensor<E>(E(0.5))));
      return {{{"output", output}}, {{"q", q}, {"k", k}, {"v", v}, {"seen", seen}}};
    });
  }
}

/// sum(attention^2) of a program whose mask is a parameter, its gradients, and theirs.
template <class E>
void expect_finite_derivatives(const Tensor<E>& mask_payload) {
  Tape<E> tape;
  Normal normal(3, 1.0);
  const Value<E> q = tape.parameter(normal.tensor<E>({2, 4}));
  const Value<E> k = tape.parameter(normal.tensor<E>({3, 4}));
  const Value<E> v = tape.parameter(normal.tensor<E>({3, 2}));
  const Value<E> mask = tape.parameter(mask_payload);
  const Value<E> output = masked_attention(q, k, v, mask, tape.leaf(Tensor<E>(E(0.5))));
  const Symbols variables{q, k, v, mask};
  const Adjoints first = tape.differentiate(sum(output * output), variables);
  Value<E> squares = tape.leaf(Tensor<E>(E(0)));
  for (const Adjoints::Pair& pair : first.pairs()) {
    const Value<E> gradient = tape.resolve(pair.gradient);
    squares = squares + sum(gradient * gradient);
  }
  const Adjoints second = tape.differentiate(squares, variables);
  const Network<E> network = std::move(tape).seal();
  const Run<E> run = network.forward(network.parameters());
  for (const Adjoints* adjoints : {&first, &second}) {
    for (const Adjoints::Pair& pair : adjoints->pairs()) {
      for (const E element : run.of(pair.gradient).elements())
        EXPECT_TRUE(std::isfinite(element)) << describe(run.of(pair.gradient));
    }
  }
  for (const E element : run.of(output).narrowed(0, 1, 1).elements()) EXPECT_EQ(element, E(0));
  for (const Symbol& symbol : {first.of(q), first.of(mask), second.of(q), second.of(mask)}) {
    for (const E element : run.of(symbol).narrowed(0, 1, 1).elements()) EXPECT_EQ(element, E(0));
  }
}

TYPED_TEST(Attention, OfARowThatSeesNothingHasNoNanInFirstAndSecondDerivatives) {
  using E = TypeParam;
  for (const E fill : {-infinity<E>, std::numeric_limits<E>::lowest()}) {
    expect_finite_derivatives(Tensor<E>({2, 3}, {0, fill, E(0.25), fill, fill, fill}));
    expect_finite_derivatives(Tensor<E>::filled({2, 3}, fill));
  }
}

TYPED_TEST(Attention, WhereEveryRowSeesSomethingHasTheBitsOfThePlainForm) {
  using E = TypeParam;
  Tape<E> tape;
  Normal normal(5, 1.0);
  const Value<E> q = tape.parameter(normal.tensor<E>({2, 6, 4}));
  const Value<E> k = tape.parameter(normal.tensor<E>({2, 6, 4}));
  const Value<E> v = tape.parameter(normal.tensor<E>({2, 6, 3}));
  const Value<E> mask = tape.leaf(causal_mask<E>(6));
  const Value<E> scale = tape.leaf(Tensor<E>(E(0.5)));
  const Value<E> plain = scaled_dot_product(q, k, v, mask, scale);
  const Value<E> masked = masked_attention(q, k, v, mask, scale);
  const Adjoints of_plain = tape.differentiate(sum(plain * plain), {q, k, v});
  const Adjoints of_masked = tape.differentiate(sum(masked * masked), {q, k, v});
  const Network<E> network = std::move(tape).seal();
  const Run<E> run = network.forward(network.parameters());
  EXPECT_TRUE(same_bits(run.of(masked), run.of(plain)));
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_TRUE(same_bits(run.of(of_masked.pairs()[i].gradient), run.of(of_plain.pairs()[i].gradient))) << i;
  }
}

TYPED_TEST(Attention, OfABatchHasTheBitsOfEachMemberAlone) {
  using E = TypeParam;
  Normal normal(7, 1.0);
  const auto q = normal.tensor<E>({3, 2, 5, 4});
  const auto k = normal.tensor<E>({3, 2, 7, 4});
  const auto v = normal.tensor<E>({3, 2, 7, 6});
  const auto mask = causal_mask<E>(5, 7, 2);
  const Tensor<E> scale(E(0.5));
  const Tensor<E> whole = scaled_dot_product(q, k, v, mask, scale);
  for (Extent batch = 0; batch < 3; ++batch) {
    for (Extent head = 0; head < 2; ++head) {
      const auto part = [&](const Tensor<E>& x) {
        return x.narrowed(0, batch, 1).narrowed(1, head, 1).reshaped(Shape({x.shape()[2], x.shape()[3]}));
      };
      EXPECT_TRUE(same_bits(part(whole), scaled_dot_product(part(q), part(k), part(v), mask, scale)));
    }
  }
}

TYPED_TEST(Attention, ByACacheHasTheBitsOfTheWholePassAtEveryPosition) {
  using E = TypeParam;
  constexpr Extent positions = 6, places = 8;
  Normal normal(9, 1.0);
  const auto q = normal.tensor<E>({2, positions, 4});
  const auto k = normal.tensor<E>({2, positions, 4});
  const auto v = normal.tensor<E>({2, positions, 3});
  const Tensor<E> scale(E(0.5));
  const Tensor<E> whole = scaled_dot_product(q, k, v, causal_mask<E>(positions), scale);
  for (Extent at = 0; at < positions; ++at) {
    // Places that are not filled yet hold what is left there, here the zeros of pad.
    const Tensor<E> keys = pad(k.narrowed(1, 0, at + 1), 1, 0, places);
    const Tensor<E> values = pad(v.narrowed(1, 0, at + 1), 1, 0, places);
    const Tensor<E> step =
        scaled_dot_product(q.narrowed(1, at, 1), keys, values, causal_mask<E>(1, places, at), scale);
    EXPECT_TRUE(same_bits(step, whole.narrowed(1, at, 1))) << at;
  }
}

TEST(CausalMask, HidesKeysAfterTheQuerysPosition) {
  EXPECT_EQ(describe(causal_mask<float>(3, -9.0f)), "[[0, -9, -9], [0, 0, -9], [0, 0, 0]]");
  EXPECT_EQ(describe(causal_mask<float>(2, 5, 2, -9.0f)), "[[0, 0, 0, -9, -9], [0, 0, 0, 0, -9]]");
  EXPECT_THROW(causal_mask<float>(2, 5, -1), UsageError);
}

template <class E>
MultiHeadAttention<E> captured_heads(Tape<E>& tape, const Captured& captured,
                                     std::map<std::string, Symbol>& names) {
  const auto layer = [&](const std::string& name) {
    const Tensor<E> weights = captured.input<E>(name);
    const Linear<E> linear = name == "key" ? Linear<E>(tape, weights)
                                           : Linear<E>(tape, weights, captured.input<E>(name + "_bias"));
    names.emplace(name, linear.weights());
    if (linear.bias()) names.emplace(name + "_bias", *linear.bias());
    return linear;
  };
  const Linear<E> query = layer("query");
  const Linear<E> key = layer("key");
  const Linear<E> value = layer("value");
  const Linear<E> output = layer("output");
  return MultiHeadAttention<E>(query, key, value, output, 2);
}

TYPED_TEST(Attention, OfSeveralHeadsIsPyTorchs) {
  using E = TypeParam;
  expect_captured<E>("attention", "heads", [](Tape<E>& tape, const Captured& captured) -> Recorded {
    std::map<std::string, Symbol> inputs;
    const MultiHeadAttention<E> layer = captured_heads(tape, captured, inputs);
    const Value<E> x = tape.parameter(captured.input<E>("x"));
    inputs.emplace("x", x);
    return {{{"output", layer.express(x, tape.leaf(causal_mask<E>(3)))}}, inputs};
  });
}

TYPED_TEST(Attention, OfSeveralHeadsHasTheBitsOfEachMemberOfTheBatchAndNoMaskIsAMaskOfZeros) {
  using E = TypeParam;
  const Captured captured("attention", "heads");
  Tape<E> tape;
  std::map<std::string, Symbol> names;
  const MultiHeadAttention<E> layer = captured_heads(tape, captured, names);
  const Tensor<E> batch = captured.input<E>("x");
  const Value<E> whole = layer.express(tape.leaf(batch));
  const Value<E> masked = layer.express(tape.leaf(batch), tape.leaf(Tensor<E>::filled({3, 3}, E(0))));
  const Value<E> second = layer.express(tape.leaf(batch.narrowed(0, 1, 1).reshaped(Shape({3, 4}))));
  const Network<E> network = std::move(tape).seal();
  const Run<E> run = network.forward(network.parameters());
  EXPECT_TRUE(same_bits(run.of(masked), run.of(whole)));
  EXPECT_TRUE(same_bits(run.of(second), run.of(whole).narrowed(0, 1, 1).reshaped(Shape({3, 4}))));
}

TYPED_TEST(Attention, OfSeveralHeadsNamesItsParameters) {
  using E = TypeParam;
  Tape<E> tape;
  std::map<std::string, Symbol> names;
  const auto layer = captured_heads(tape, Captured("attention", "heads"), names);
  std::string list;
  for (const NamedParameter& parameter : named_parameters(layer)) list += parameter.name + " ";
  EXPECT_EQ(list,
            "query.weights query.bias key.weights value.weights value.bias output.weights output.bias ");
}

TYPED_TEST(Attention, HeadsSplitAndMergeToTheSame) {
  using E = TypeParam;
  const auto x = Normal(1, 1.0).tensor<E>({2, 3, 8});
  EXPECT_EQ(split_heads(x, 4).shape(), Shape({2, 4, 3, 2}));
  EXPECT_TRUE(same_bits(merge_heads(split_heads(x, 4)), x));
  const auto alone = x.narrowed(0, 0, 1).reshaped(Shape({3, 8}));
  EXPECT_TRUE(same_bits(merge_heads(split_heads(alone, 2)), alone));
}

TYPED_TEST(Attention, RotaryPositionsOfBothConventionsArePyTorchs) {
  using E = TypeParam;
  const std::map<std::string, RotaryPairs> conventions{{"rotary interleaved", RotaryPairs::interleaved},
                                                       {"rotary halves", RotaryPairs::halves}};
  for (const auto& [title, pairs] : conventions) {
    expect_captured<E>("attention", title, [&](Tape<E>& tape, const Captured& captured) -> Recorded {
      const Value<E> x = tape.parameter(captured.input<E>("x"));
      const RotaryTables<E> tables = rotary_tables<E>(3, 3, 4);
      const Value<E> cosines = tape.leaf(tables.cosines);
      const Value<E> sines = tape.leaf(tables.sines);
      return {{{"output", rotary(x, cosines, sines, pairs)}}, {{"x", x}}};
    });
  }
}

TYPED_TEST(Attention, RotaryConventionsDifferByAPermutationOfTheWidth) {
  using E = TypeParam;
  const auto x = Normal(2, 1.0).tensor<E>({5, 6});
  const RotaryTables<E> tables = rotary_tables<E>(0, 5, 6);
  const auto interleave = [](const Tensor<E>& halves) {
    return permute(halves.reshaped(Shape({5, 2, 3})), {0, 2, 1}).reshaped(Shape({5, 6}));
  };
  const Tensor<E> halves = rotary(x, tables.cosines, tables.sines, RotaryPairs::halves);
  const Tensor<E> interleaved = rotary(interleave(x), tables.cosines, tables.sines, RotaryPairs::interleaved);
  EXPECT_TRUE(same_bits(interleaved, interleave(halves)));
  const RotaryTables<E> later = rotary_tables<E>(2, 3, 6);
  EXPECT_TRUE(same_bits(later.sines, tables.sines.narrowed(0, 2, 3))) << "a cache goes on where it was";
}

TEST(Rotary, RefusesWidthsThatHaveNoPairs) {
  Tape<float> tape;
  const auto x = tape.input(Tensor<float>::filled({3, 5}, 0.0f));
  const auto table = tape.input(Tensor<float>::filled({3, 2}, 0.0f));
  EXPECT_THROW(rotary_tables<float>(0, 3, 5), UsageError);
  EXPECT_THROW(rotary(x, table, table, RotaryPairs::halves), ShapeError);
}

TEST(MultiHeadAttention, RefusesLayersThatDoNotMeet) {
  Tape<float> tape;
  const auto layer = [&](Extent in, Extent out) {
    return Linear<float>(tape, Tensor<float>::filled({in, out}, 0.0f));
  };
  const auto make = [&](Extent query, Extent key, Extent value, Extent output, Extent heads) {
    return MultiHeadAttention<float>(layer(4, query), layer(4, key), layer(4, value), layer(output, 4),
                                     heads);
  };
  EXPECT_NO_THROW(make(6, 6, 4, 4, 2));
  EXPECT_THROW(make(6, 4, 4, 4, 2), ShapeError);
  EXPECT_THROW(make(6, 6, 4, 6, 2), ShapeError);
  EXPECT_THROW(make(6, 6, 4, 4, 3), ShapeError);
  EXPECT_THROW(make(6, 6, 4, 4, 0), ShapeError);
}

}  // namespace
}  // namespace topos
