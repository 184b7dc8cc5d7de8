// What differentiation records, node by node, against captured numberings.
#include <gtest/gtest.h>

#include <functional>

#include "support/golden_blocks.hpp"
#include "topos/differentiate/adjoints.hpp"
#include "topos/graph/network.hpp"
#include "topos/ops/functions.hpp"

namespace topos {
namespace {

using T = Tensor<float>;
using V = Value<float>;

/// A recorded program: its loss and what to differentiate it by.
struct Recorded {
  Symbol loss;
  Symbols wrt;
};
using Record = std::function<Recorded(Tape<float>&)>;

T zeros(const Shape& shape) { return T::filled(shape, 0.0f); }

/// sum(function(a)) of one parameter.
Record unary(const Shape& shape, std::function<V(const V&)> function) {
  return [=](Tape<float>& tape) {
    const auto a = tape.parameter(zeros(shape));
    return Recorded{sum(function(a)), {a}};
  };
}

/// sum(function(a, b)) of two parameters.
Record binary(const Shape& left, const Shape& right, std::function<V(const V&, const V&)> function) {
  return [=](Tape<float>& tape) {
    const auto a = tape.parameter(zeros(left));
    const auto b = tape.parameter(zeros(right));
    return Recorded{sum(function(a, b)), {a, b}};
  };
}

/// By the captured block's title, up to its last colon.
const std::map<std::string, Record> programs{
    {"add", binary({2}, {2}, [](auto& a, auto& b) { return a + b; })},
    {"sub", binary({2}, {2}, [](auto& a, auto& b) { return a - b; })},
    {"mul", binary({2}, {2}, [](auto& a, auto& b) { return a * b; })},
    {"div", binary({2}, {2}, [](auto& a, auto& b) { return a / b; })},
    {"powf", binary({2}, {2}, [](auto& a, auto& b) { return pow(a, b); })},
    {"maximum", binary({2}, {2}, [](auto& a, auto& b) { return maximum(a, b); })},
    {"step", binary({2}, {2}, [](auto& a, auto& b) { return step(a, b) * a; })},
    {"matmul", binary({2, 3}, {3, 4}, [](auto& a, auto& b) { return matmul(a, b); })},
    {"batched matmul", binary({5, 2, 3}, {5, 3, 4}, [](auto& a, auto& b) { return matmul(a, b); })},
    {"neg", unary({2}, [](auto& a) { return -a; })},
    {"exp", unary({2}, [](auto& a) { return exp(a); })},
    {"ln", unary({2}, [](auto& a) { return log(a); })},
    {"sqrt", unary({2}, [](auto& a) { return sqrt(a); })},
    {"tanh", unary({2}, [](auto& a) { return tanh(a); })},
    {"sin", unary({2}, [](auto& a) { return sin(a); })},
    {"cos", unary({2}, [](auto& a) { return cos(a); })},
    {"log1p", unary({2}, [](auto& a) { return log1p(a); })},
    {"expm1", unary({2}, [](auto& a) { return expm1(a); })},
    {"erf", unary({2}, [](auto& a) { return erf(a); })},
    {"erf_derivative", unary({2}, [](auto& a) { return erf_derivative(a); })},
    {"sum_along", unary({2, 3}, [](auto& a) { return sum_along(a, 0); })},
    {"broadcast", unary({1}, [](auto& a) { return broadcast(a, {2, 3}); })},
    {"broadcast_along", unary({3}, [](auto& a) { return broadcast_along(a, 0, 2); })},
    {"reshape", unary({2, 3}, [](auto& a) { return reshape(a, {6}); })},
    {"permute", unary({2, 3, 4}, [](auto& a) { return permute(a, {2, 0, 1}); })},
    {"narrow", unary({2, 5}, [](auto& a) { return narrow(a, 1, 1, 3); })},
    {"pad", unary({2, 3}, [](auto& a) { return pad(a, 1, 2, 6); })},
    {"unfold", unary({8}, [](auto& a) { return unfold(a, 0, 3, 2, 1); })},
    {"fold", unary({3, 3}, [](auto& a) { return fold(a, 0, 3, 2, 1, 8); })},
    {"log_softmax", unary({2, 3}, [](auto& a) { return log_softmax(a, 1); })},
    {"logsumexp", unary({2, 3}, [](auto& a) { return logsumexp(a, 1); })},
    {"gather",
     [](auto& tape) {
       const auto table = tape.parameter(zeros({3, 2}));
       const auto rows = tape.input(T::selection({2, 0}, 3));
       return Recorded{sum(gather(table, rows)), {table, rows}};
     }},
    {"scatter",
     [](auto& tape) {
       const auto rows = tape.parameter(zeros({2, 2}));
       return Recorded{sum(scatter(rows, tape.input(T::selection({2, 0}, 3)))), {rows}};
     }},
    {"fan-out: (a*a).sum + tanh(a).sum + (-a).sum",
     [](auto& tape) {
       const auto a = tape.parameter(zeros({2}));
       const auto squares = sum(a * a);
       const auto tangents = sum(tanh(a));
       const auto both = squares + tangents;
       return Recorded{both + sum(-a), {a}};
     }},
    {"non-ancestor wrt, wrt recorded after the loss, wrt = loss, repeated wrt",
     [](auto& tape) {
       const auto a = tape.parameter(zeros({2}));
       const auto other = tape.parameter(zeros({3}));
       const auto loss = sum(a);
       const auto later = tape.parameter(zeros({4}));
       return Recorded{loss, {other, later, loss, a, a}};
     }},
};

std::string lines_of(const Graph& graph, NodeIndex from, std::size_t to) {
  std::string text;
  for (NodeIndex index = from; index < to; ++index) text += describe(graph, index) + '\n';
  return text;
}

/// The block of a program as the capture writes it: title, text.
std::pair<std::string, std::string> numbering(const std::string& name, const Record& record) {
  Tape<float> tape;
  const Recorded recorded = record(tape);
  const std::size_t forward = tape.size();
  const Adjoints adjoints = tape.differentiate(recorded.loss, recorded.wrt);
  std::vector<std::int64_t> gradients;
  for (const Adjoints::Pair& pair : adjoints.pairs()) gradients.push_back(pair.gradient.index());
  const std::string whole = tape.describe();
  return {name + ": " + std::to_string(forward) + " forward nodes; gradients " + describe(gradients),
          lines_of(tape.graph(), 0, forward) + "  --\n" +
              lines_of(tape.graph(), static_cast<NodeIndex>(forward), tape.size()) +
              whole.substr(whole.find("tape: "))};
}

void expect_numberings(const std::string& file) {
  for (const auto& [title, text] : testing::golden_blocks(file)) {
    const std::string name = title.substr(0, title.rfind(": "));
    ASSERT_TRUE(programs.contains(name)) << name;
    const auto [own_title, own_text] = numbering(name, programs.at(name));
    EXPECT_EQ(own_title, title);
    EXPECT_EQ(own_text, text) << name;
  }
}

TEST(Numbering, IsTheCapturedOneForEveryUnchangedRule) { expect_numberings("vjp_numbering.txt"); }

TEST(Numbering, IsOursForTheRulesThatConventionsChange) { expect_numberings("vjp_conventions.txt"); }

TEST(Numbering, IsToldForEveryProgram) {
  EXPECT_EQ(testing::golden_blocks("vjp_numbering.txt").size() +
                testing::golden_blocks("vjp_conventions.txt").size(),
            programs.size());
}

TEST(Numbering, DoesNotDependOnPayloads) {
  for (const float value : {0.0f, -1.0f, std::numeric_limits<float>::quiet_NaN()}) {
    Tape<float> tape;
    const auto a = tape.parameter(T({2}, {value, 1}));
    tape.differentiate(sum(pow(a, a)), {a});
    EXPECT_EQ(tape.size(), 28u) << value;
  }
}

}  // namespace
}  // namespace topos
