// Five small programs and the StableHLO modules they become. `emission 2` prints one of the five and nothing
// else; `emission` tells about all of them, with the functions of plates.hpp that it runs.
#include "example.hpp"
#include "plates.hpp"
#include "plates_source.hpp"

#include <CLI/CLI.hpp>
#include <string_view>
#include <vector>

namespace {

using example::expect;

struct Chapter {
  std::string title;
  std::string story;
  std::vector<std::string> functions;  // of plates.hpp, to show
  std::string format;                  // of the text, for a markdown fence
  std::string text;
};

std::size_t count(std::string_view text, std::string_view part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != text.npos; at = text.find(part, at + part.size())) ++found;
  return found;
}

/// A function of plates.hpp with the comment above it, as it was compiled.
std::string source(const std::string& name) {
  const std::size_t signature = plates_source.find(" " + name + "() {");
  expect("plates.hpp has " + name, signature != std::string::npos);
  const std::size_t begin = plates_source.rfind("\n\n", signature) + 2;
  std::size_t end = plates_source.find('\n', signature);
  if (plates_source[end - 1] != '}') end = plates_source.find("\n}\n", end) + 2;  // not all on one line
  return plates_source.substr(begin, end + 1 - begin);
}

Chapter chain() {
  const std::string text = emit_stablehlo(plates::chain());
  expect("plate 1 computes three values", count(text, "= stablehlo.") == 3);
  expect("plate 1 takes three arguments and holds no constant",
         count(text, ": tensor<f64>,") == 2 && !count(text, "dense"));
  return {"Arithmetic becomes text",
          R"(
The program multiplies, subtracts and squares three numbers. Running its lines computes none of that: each
operation appends a node to the tape, and everything else is a way of reading that record. A module is one such
reading: node 3 of the record is %v3 of the text, so the two can be laid side by side. Parameters come first among
the arguments and inputs follow, each kind in the order in which it was recorded. The numbers 0.5, 2 and 3 are
nowhere to be seen: the first is where training starts, the others are what an input holds when a run feeds it
nothing, and a module is handed all three when it is called.
)",
          {"chain"},
          "mlir",
          text};
}

Chapter walk() {
  const auto plan = plates::walk();
  const std::string text = emit_stablehlo(plan);
  expect("plate 2 spells the derivative of tanh", count(text, "%v15 = stablehlo.constant dense<1.0>") &&
                                                      count(text, "%v16 = stablehlo.multiply %v3, %v3 ") &&
                                                      count(text, "%v17 = stablehlo.subtract %v15, %v16 "));
  expect("plate 2 adds the two gradients of the hidden layer",
         count(text, "%v13 = stablehlo.add %v12, %v10 ") && count(text, "%v14 = stablehlo.add %v13, %v11 "));
  expect("plate 2 records 29 nodes", plan.graph().size() == 29);
  expect("plate 2 computes 25 of them", plan.schedule().wanted().size() == 25);
  for (const char* dead : {"%v21", "%v22", "%v25", "%v26"}) {
    expect(fmt::format("plate 2 is without {}", dead), count(text, dead) == 0);
  }
  return {"A gradient is more program",
          R"(
A hidden layer, a loss, and the derivative of the loss by the weights. `differentiate` walks the record backwards
and appends, where a calculator would produce numbers, the nodes that compute them. The derivative of tanh,
1 - tanh^2, is the constant %v15, the product %v16 and the difference %v17. A value that is used twice, as the hidden
layer is in its own square, receives a gradient from each use; they are added one after the other to an explicit
zero (%v12, %v13, %v14). The text is long because it hides nothing: a compiler that receives it is free to remove what
it can do without. Of the 29 nodes on the tape 25 are here: the missing ones, 21, 22, 25 and 26, belong to the gradient
by the input, and no declared result needs them.
)",
          {"walk_entry", "walk"},
          "mlir",
          text};
}

Chapter walk_results() {
  const std::string text = plates::walk_results();
  expect("plate 3 answers the roots, then the observes", count(text, "plan.results(): [5, 28, 3]\n") == 1);
  expect("plate 3 returns them in that order", count(text, "return %v5, %v28, %v3 :") == 1);
  return {"Results keep the order in which they were declared",
          R"(
The same program, seen from outside. An entry says what a function is for, its roots: here the loss and then the
loss's gradient. It also says what else somebody wants to look at, its observes: here the hidden values. The plan
answers the roots first and the observes after them, although node 3 was recorded before both, and the signature and
the `return` line of the module follow that order. A caller on the other side of a compiler depends on it, because
there a result has a position and no name. Observing costs something: a value that is looked at has to exist, so the
plan may not let it vanish into a larger operation.
)",
          {"walk_results"},
          "text",
          text};
}

Chapter convolution() {
  const auto plan = plates::convolution();
  const std::string text = emit_stablehlo(plan);
  expect("plate 4 records 28 nodes", plan.graph().size() == 28);
  expect("plate 4 has one convolution", count(text, "stablehlo.convolution(") == 1);
  expect("plate 4 has one pool", count(text, "\"stablehlo.reduce_window\"(%v15, %v27_seed)") == 1);
  expect("plate 4 has no product left", count(text, "stablehlo.dot_general") == 0);
  expect("plate 4 takes the image last", count(text, "%arg2: tensor<1x1x6x6xf32>)") == 1);
  return {"Compositions become named operations",
          R"(
topos has no operation for convolution and none for pooling. `conv2d` records windows, which are views of the image, and
a matrix product between reshapes; `max_pool` records windows and a chain of maximums; with the rectifier and the
three sources that makes 28 nodes. The vocabulary stays small that way, and the derivative rules of the pieces are the
derivative of the whole. But a compiler that receives the text has fast code for a convolution and should not have to
guess that it is looking at one. So the plan searches for such compositions, and each that it finds is written as the
operation that the other side knows: `stablehlo.convolution` and `stablehlo.reduce_window`. The pool starts from minus
infinity, in hexadecimal because no decimal number spells it. The image was recorded first and is nevertheless the last
argument: parameters go before inputs.
)",
          {"convolution"},
          "mlir",
          text};
}

Chapter attention() {
  const std::string text = emit_stablehlo(plates::attention());
  const std::string mask = text.substr(0, text.find("%v4 ="));
  expect("plate 5 masks six pairs", count(mask, "0xFF800000") == 6);
  expect("plate 5 holds the scale", count(text, "%v4 = stablehlo.constant dense<0.35355338>") == 1);
  expect("plate 5 subtracts the peak before the exponential",
         count(text, "%v10_centered = stablehlo.subtract %v9, %v10_spread_peak ") &&
             count(text, "%v10_exp = stablehlo.exponential %v10_centered "));
  expect("plate 5 has two products", count(text, "stablehlo.dot_general") == 2);
  return {"Attention, and what a softmax is made of",
          R"(
Four positions attend to one another, and none may look ahead. The mask is a leaf, a constant of the program, and is
therefore written into the text: zero where a position may look, minus infinity for the six pairs where it may not.
The scale, 1 / sqrt(8), is a constant too. Softmax is recorded as the exponential of `log_softmax`, which is a single
node, number 10. StableHLO has no such operation, so the emitter spells it in several lines, each named after the node
and its own part in it. They subtract the largest score of a row before taking exponentials: none of those can then
exceed 1, and large scores cannot overflow. The products before and after are the `dot_general` lines that a compiler
recognises at once.
)",
          {"attention"},
          "mlir",
          text};
}

std::string indented(const std::string& text) {
  std::string result;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = text.find('\n', begin) + 1;
    const std::string line = text.substr(begin, end - begin);
    result += line == "\n" ? line : "    " + line;
    begin = end;
  }
  return result;
}

std::string code(const Chapter& chapter) {
  std::string text;
  for (const std::string& name : chapter.functions) text += (text.empty() ? "" : "\n") + source(name);
  return text;
}

constexpr char introduction[] =
    "Each program below is recorded with a few lines of C++ and lowered to a plan; the plan is then written "
    "as a\n"
    "StableHLO module, the text that XLA and other compilers accept. The C++ is what this program was built "
    "from,\n"
    "and the text is what it has just produced.\n";

void tell(const std::vector<Chapter>& chapters, bool markdown) {
  fmt::print("{}Five programs and the text they become\n\n{}", markdown ? "# " : "", introduction);
  int number = 0;
  for (const Chapter& chapter : chapters) {
    fmt::print("\n{}Plate {}. {}\n{}", markdown ? "## " : "", ++number, chapter.title, chapter.story);
    if (markdown) {
      fmt::print("\n```cpp\n{}```\n\n```{}\n{}```\n", code(chapter), chapter.format, chapter.text);
    } else {
      fmt::print("\n{}\n{}", indented(code(chapter)), indented(chapter.text));
    }
  }
}

constexpr auto is_plate = [](const std::string& text) {
  const bool holds = text.size() == 1 && text[0] >= '1' && text[0] <= '5';
  return holds ? std::string() : fmt::format("there is no plate '{}', choose 1 to 5", text);
};

}  // namespace

int main(int argc, char** argv) {
  CLI::App app(
      "Prints a plate: the text that one of five programs becomes. Without a number, tells the story of all "
      "five.\n"
      "Example: emission 2 > step.mlir",
      "emission");
  int number = 0;
  bool markdown = false;
  auto* plate =
      app.add_option("plate", number, "Which plate, 1 to 5")->check(CLI::Validator(is_plate, "1 to 5"));
  app.add_flag("--markdown", markdown, "The story as a markdown page")->excludes(plate);
  return example::run(app, argc, argv, [&] {
    const std::vector<Chapter> chapters{chain(), walk(), walk_results(), convolution(), attention()};
    if (number == 0) return tell(chapters, markdown);
    fmt::print("{}", chapters[static_cast<std::size_t>(number - 1)].text);
  });
}
