// Every operation of OpList, held to what its family's file says of it.
#include <gtest/gtest.h>

#include <algorithm>

#include "support/finite_differences.hpp"
#include "support/op_cases.hpp"
#include "topos/differentiate/adjoints.hpp"
#include "topos/ops/functions.hpp"
#include "topos/plan/entry.hpp"

namespace topos::testing {
namespace {

TEST(Operations, EveryOperationOfTheListHasCases) {
  const std::vector<OpCases> all = all_cases();
  for (const detail::OperationInfo* info : detail::vocabulary()) {
    const auto found =
        std::find_if(all.begin(), all.end(), [&](const OpCases& cases) { return cases.name == info->name; });
    if (found == all.end()) {
      ADD_FAILURE() << info->name << " has no cases: give it some in the tests/ops file of its family";
      continue;
    }
    EXPECT_FALSE(found->f32.empty() || found->f64.empty()) << info->name << " lacks values";
    EXPECT_TRUE(info->is_source || !found->derivatives.empty()) << info->name << " lacks derivatives";
    EXPECT_TRUE(info->is_source || !found->spellings.empty()) << info->name << " lacks its function";
    EXPECT_TRUE(info->is_source || info->arity == 1 || !found->rejections.empty())
        << info->name << " lacks rejections";
  }
  EXPECT_EQ(all.size(), detail::vocabulary().size()) << "an operation is told twice, or is not in the list";
}

class OperationTest : public ::testing::TestWithParam<OpCases> {};

/// Whether two numbers of one sign are at most `ulps` representable numbers apart: they are ordered as their
/// bits.
bool within(double a, double b, int ulps) {
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b);
  if (std::signbit(a) != std::signbit(b)) return false;
  return std::abs(static_cast<std::int64_t>(bits_of(a)) - static_cast<std::int64_t>(bits_of(b))) <= ulps;
}

/// Equal bits, or, where the case leaves a margin, near them.
::testing::AssertionResult as_expected(const Tensor<double>& actual, const Tensor<double>& expected,
                                       int ulps) {
  const Elements<double> a = actual.elements();
  const Elements<double> b = expected.elements();
  bool near = ulps > 0 && actual.shape() == expected.shape();
  for (std::size_t i = 0; near && i < a.size(); ++i) near = within(a[i], b[i], ulps);
  return near ? ::testing::AssertionSuccess() : equal_bits(actual, expected);
}
::testing::AssertionResult as_expected(const Tensor<float>& actual, const Tensor<float>& expected, int) {
  return equal_bits(actual, expected);
}

/// One application, its loss sum(value * weights), and the gradients of that and of sum(gradients *
/// directions).
template <class E>
struct Recording {
  Network<E> network;
  Symbols operands;
  Symbol value;
  Symbol loss;
  Symbol slope;
  Adjoints first;
  Adjoints second;

  Entry<E> entry() const {
    Symbols results{value};
    for (const Adjoints* adjoints : {&first, &second}) {
      for (const Symbol& root : adjoints->roots()) results.push_back(root);
    }
    return network.entry(results);
  }
};

template <class E>
Recording<E> record(const Operation& operation, const std::vector<Tensor<E>>& operands) {
  Tape<E> tape;
  std::vector<Value<E>> values;
  for (const Tensor<E>& operand : operands) values.push_back(tape.parameter(operand));
  const Symbols symbols(values.begin(), values.end());
  const Value<E> value = Value<E>::apply(operation, values, Where::current());
  const Value<E> loss = sum(value * value.leaf(scattered<E>(value.shape(), 77)));
  const Adjoints first = tape.differentiate(loss, symbols);
  Value<E> slope = tape.leaf(Tensor<E>(E(0)));
  std::uint32_t seed = 90;
  for (const Adjoints::Pair& pair : first.pairs()) {
    const Value<E> gradient = tape.resolve(pair.gradient);
    slope = slope + sum(gradient * tape.leaf(scattered<E>(gradient.shape(), seed++)));
  }
  const Adjoints second = tape.differentiate(slope, symbols);
  return {std::move(tape).seal(), symbols, value, loss, slope, first, second};
}

template <class E>
void check_values(const std::vector<ValueCase<E>>& cases) {
  for (const ValueCase<E>& one : cases) {
    SCOPED_TRACE(title(one.operation, one.operands));
    Tape<E> tape;
    Tensor<E> at_once = one.expected;
    std::vector<Value<E>> values;
    if (one.operation.template is<Leaf>()) {
      values.push_back(tape.leaf(one.expected));
    } else if (one.operation.template is<Parameter>()) {
      values.push_back(tape.parameter(one.expected));
    } else if (one.operation.template is<Input>()) {
      values.push_back(tape.input(one.expected));
    } else {
      at_once = Tensor<E>::apply(one.operation, one.operands, Where::current());
      for (const Tensor<E>& operand : one.operands) values.push_back(tape.input(operand));
      values.push_back(Value<E>::apply(one.operation, values, Where::current()));
    }
    const Symbol value = values.back();
    EXPECT_EQ(values.back().shape(), one.expected.shape());
    const Network<E> network = std::move(tape).seal();
    EXPECT_TRUE(as_expected(at_once, one.expected, one.ulps));
    EXPECT_TRUE(equal_bits(network.forward(network.parameters(), {}).of(value), at_once));
  }
}

TEST_P(OperationTest, ItsValueIsTheReferencesInF32) { check_values(GetParam().f32); }
TEST_P(OperationTest, ItsValueIsTheReferencesInF64) { check_values(GetParam().f64); }

/// Both readings of both derivatives, and both engines, over the operands of every value case.
template <class E>
void check_readings(const std::vector<ValueCase<E>>& cases) {
  for (const ValueCase<E>& one : cases) {
    if (one.operation.is_source()) continue;
    SCOPED_TRACE(title(one.operation, one.operands));
    const Recording<E> recording = record(one.operation, one.operands);
    const Parameters<E> parameters = recording.network.parameters();
    const Entry<E> entry = recording.entry();
    const Run<E> interpreted = entry.interpret(parameters, {});
    const Run<E> planned = entry.lower().forward(parameters, {});
    for (const Symbol& result : entry.roots()) {
      EXPECT_TRUE(equal_bits(planned.of(result), interpreted.of(result))) << "planned and interpreted differ";
    }
    const Run<E> retained = Entry<E>(entry).retain().lower().forward(parameters, {});
    for (const Run<E>* run : {&interpreted, &retained}) {
      for (const Adjoints* adjoints : {&recording.first, &recording.second}) {
        const Gradients<E> scanned = run->backward(adjoints->target());
        for (const Symbol& operand : recording.operands) {
          EXPECT_TRUE(equal_bits(scanned.of(operand), interpreted.of(adjoints->of(operand))))
              << "the scan and the recorded gradient differ";
        }
      }
    }
  }
}

TEST_P(OperationTest, RecordedAndScannedGradientsAndBothEnginesAgreeToTheBitInF32) {
  check_readings(GetParam().f32);
}
TEST_P(OperationTest, RecordedAndScannedGradientsAndBothEnginesAgreeToTheBitInF64) {
  check_readings(GetParam().f64);
}

TEST_P(OperationTest, ItsDerivativesAreThoseOfCentralDifferences) {
  for (const DerivativeCase& one : GetParam().derivatives) {
    SCOPED_TRACE(title(one.operation, one.at));
    const Recording<double> recording = record(one.operation, one.at);
    const Parameters<double> parameters = recording.network.parameters();
    const Plan<double> plan = recording.entry().lower();
    const auto run = plan.forward(parameters, {});
    for (std::size_t i = 0; i < one.at.size(); ++i) {
      const Symbol operand = recording.operands[i];
      const Tensor<double>& first = run.of(recording.first.of(operand));
      const Tensor<double>& second = run.of(recording.second.of(operand));
      if (std::find(one.data.begin(), one.data.end(), i) != one.data.end()) {
        const Tensor<double> zeros = Tensor<double>::filled(one.at[i].shape(), 0.0);
        EXPECT_TRUE(equal_bits(first, zeros)) << "operand " << i << " is data";
        EXPECT_TRUE(equal_bits(second, zeros)) << "operand " << i << " is data";
        continue;
      }
      const auto differences_of = [&](const Symbol& scalar) {
        return central_differences(
            [&](const Tensor<double>& moved) {
              return plan.forward(parameters.with(operand, moved), {}).of(scalar).item();
            },
            one.at[i]);
      };
      EXPECT_TRUE(near_differences(first, differences_of(recording.loss))) << "operand " << i;
      EXPECT_TRUE(near_differences(second, differences_of(recording.slope)))
          << "second derivative, operand " << i;
    }
  }
}

TEST_P(OperationTest, ABrokenConstraintIsNamedWithItsShapesAndTheCallersLine) {
  for (const Rejection& one : GetParam().rejections) {
    Tape<float> tape;
    std::vector<Value<float>> operands;
    std::vector<Tensor<float>> payloads;
    for (const Shape& shape : one.shapes) {
      payloads.push_back(Tensor<float>::filled(shape, 0.0f));
      operands.push_back(tape.input(payloads.back()));
    }
    SCOPED_TRACE(title(one.operation, payloads) + " against " + one.label);
    const std::size_t size = tape.size();
    for (const bool recording : {true, false}) {
      try {
        if (recording) {
          Value<float>::apply(one.operation, operands, one.where);
        } else {
          Tensor<float>::apply(one.operation, payloads, one.where);
        }
        ADD_FAILURE() << "accepted";
      } catch (const ShapeError& error) {
        const std::string message = error.what();
        const auto says = [&](const std::string& part) {
          EXPECT_NE(message.find(part), std::string::npos) << message << "\nlacks " << part;
        };
        says("[" + GetParam().name);
        says(describe_fields(one.operation.fields()));
        says(one.label + ": ");
        for (const Shape& shape : one.shapes) says(describe(shape));
        says(std::string("_test.cpp:") + std::to_string(one.where.line()));
      }
    }
    EXPECT_EQ(tape.size(), size) << "a refused operation must record nothing";
  }
}

TEST_P(OperationTest, ItsFunctionRecordsItAndPassesTheCallersPlaceOn) {
  for (const Spelling& one : GetParam().spellings) {
    Tape<float> tape;
    std::vector<Value<float>> operands;
    for (const Shape& shape : one.shapes) operands.push_back(tape.input(Tensor<float>::filled(shape, 0.0f)));
    const Value<float> value = one.function(operands);
    EXPECT_EQ(tape.size(), one.shapes.size() + 1);
    EXPECT_TRUE(tape.graph()[value.index()].operation == one.operation) << tape.describe();
    // A sealed tape refuses the same call, so that what it says is the caller's place.
    const Network<float> network = std::move(tape).seal();
    try {
      one.function(operands);
      ADD_FAILURE() << "accepted";
    } catch (const UsageError& error) {
      EXPECT_NE(std::string(error.what()).find("_test.cpp:"), std::string::npos) << error.what();
    }
  }
}

INSTANTIATE_TEST_SUITE_P(OpList, OperationTest, ::testing::ValuesIn(all_cases()),
                         [](const auto& one) { return one.param.name; });

}  // namespace
}  // namespace topos::testing
