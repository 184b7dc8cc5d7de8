"""Tests of the example programs: each is run as a reader runs it, and its output compared.

python3 tests/examples/examples_test.py FOLDER_OF_PROGRAMS SOURCE_FOLDER
"""

import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

PROGRAMS = pathlib.Path()
SOURCE = pathlib.Path()
PATIENCE = 300  # seconds after which a program hangs; under sanitizers they are slow
EXAMPLES = ("chain", "convnet", "emission", "gradient_descent", "quickstart", "regression", "walkthrough")


def run(name, *arguments):
    command = [str(PROGRAMS / name), *arguments]
    return subprocess.run(command, capture_output=True, text=True, encoding="utf-8", timeout=PATIENCE)


class Examples(unittest.TestCase):
    maxDiff = None

    def plate(self, number):
        name = f"plate{number}.txt" if number == 3 else f"plate{number}.mlir"
        return (SOURCE / "tests/examples/plates" / name).read_text(encoding="utf-8")

    def output(self, name, *arguments):
        finished = run(name, *arguments)
        self.assertEqual(finished.returncode, 0, finished.stderr)
        self.assertEqual(finished.stderr, "")
        return finished.stdout

    def test_every_example_is_tested_here(self):
        written = sorted(path.stem for path in (SOURCE / "examples").glob("*.cpp"))
        self.assertEqual([name for name in written if name != "example"], list(EXAMPLES))  # that one is their common part

    def test_every_example_holds_and_says_nothing_on_standard_error(self):
        for name in EXAMPLES:
            with self.subTest(name):
                self.assertGreater(len(self.output(name)), 0)

    def test_a_number_prints_that_plate_and_nothing_else(self):
        for number in range(1, 6):
            with self.subTest(number):
                self.assertEqual(self.output("emission", str(number)), self.plate(number))

    def test_the_story_holds_every_plate_and_the_functions_that_made_it(self):
        story = self.output("emission", "--markdown")
        told = self.output("emission").replace("\n    ", "\n")  # there, code is indented instead of fenced
        plates_header = (SOURCE / "examples/plates.hpp").read_text(encoding="utf-8")
        functions = re.findall(r"^inline [^\n]*}$|^inline .*?^}$", plates_header, re.DOTALL | re.MULTILINE)
        self.assertEqual(len(functions), 6)
        for text in [*functions, *(self.plate(number) for number in range(1, 6))]:
            self.assertIn(text, story)
            self.assertIn(text, told)

    def test_each_chapter_tells_three_to_eight_sentences(self):
        story = self.output("emission", "--markdown")
        chapters = re.findall(r"^## Plate (\d)\. [^\n]+\n\n(.*?)\n\n```cpp\n", story, re.DOTALL | re.MULTILINE)
        self.assertEqual([number for number, _ in chapters], ["1", "2", "3", "4", "5"])
        for number, text in chapters:
            sentences = len(re.findall(r"[.!?](?=\s|$)", text))
            self.assertTrue(3 <= sentences <= 8, f"chapter {number} has {sentences} sentences")

    def test_a_bad_command_line_gets_one_clear_line_and_exit_code_2(self):
        cases = [["emission", bad] for bad in ("0", "6", "x", "1.5", "-1", "99999999999999999999", "", "--bad")]
        cases += [["emission", "1", "2"], ["emission", "1", "--markdown"]]
        cases += [[name, "extra"] for name in ("chain", "gradient_descent", "regression", "walkthrough")]
        for command in cases:
            with self.subTest(command):
                finished = run(*command)
                self.assertEqual(finished.returncode, 2)
                self.assertEqual(finished.stdout, "")
                self.assertRegex(finished.stderr, rf"\A{command[0]}: [^\n]+ \(see --help\)\n\Z")
        self.assertIn("there is no plate '6', choose 1 to 5", run("emission", "6").stderr)

    def test_help_shows_an_example(self):
        for name in EXAMPLES:
            if name == "quickstart":  # a program of twenty lines without a command line
                continue
            with self.subTest(name):
                self.assertIn(f"Example: {name}", self.output(name, "--help"))

    def test_the_chain_has_its_values_and_gradients(self):
        text = self.output("chain")
        self.assertIn("allocated 3 leaves\n", text)
        self.assertEqual(re.findall(r"  = (\S+)$", text, re.MULTILINE), "2 3 4 5 20 -20 8 -12".split())
        self.assertIn("result -12\nits gradients by a, b and c: 0, -4, -3\n", text)

    def test_gradient_descent_finds_the_line_at_three_rates(self):
        self.assertEqual(
            self.output("gradient_descent"),
            "d loss / d w by sample: -6 -20 -42 sum -68\n"
            "rate 0.005: loss 0.000118, w 2.007, b 0.983\n"
            "rate 0.020: loss 0.000000, w 2.000, b 1.000\n"
            "rate 0.050: loss 0.000000, w 2.000, b 1.000\n",
        )

    def test_regression_approaches_the_sine(self):
        # In f64 the first loss is 9.02405082: f32 ends an ulp below, on the other side of the last digit.
        losses = re.findall(r"^step +\d+: loss (\S+)$", self.output("regression"), re.MULTILINE)
        self.assertEqual(losses, ["9.0240", "1.4585", "1.3850", "1.3429", "1.3144"])

    def test_the_quickstart_prints_the_second_plate_and_six_losses(self):
        losses = "".join(f"loss {x}\n" for x in "0.830546 0.591046 0.376039 0.20137 0.0825912 0.0259517".split())
        self.assertEqual(self.output("quickstart"), self.plate(2) + losses)

    def test_the_walkthrough_reads_one_program_in_six_ways(self):
        text = self.output("walkthrough")
        titles = re.findall(r"^(\d)\. The (\w+): ", text, re.MULTILINE)
        self.assertEqual([title for _, title in titles], "spec value cotangent trace schedule text".split())
        self.assertIn("loss 0.83054614\n", text)
        self.assertIn(": 0.8305 0.5910 0.3760 0.2014 0.0826 0.0260\n", text)
        self.assertTrue(text.endswith(self.plate(2)))


class Documents(unittest.TestCase):
    def generate(self, root, *arguments):
        command = [sys.executable, str(root / "script/generate-docs"), *arguments]
        return subprocess.run(command, capture_output=True, text=True, encoding="utf-8", timeout=PATIENCE)

    def copy(self, folder):
        """What generation reads, in a tree of its own, without the documents."""
        root = pathlib.Path(folder)
        for name in ("script/generate-docs", "examples/walkthrough.cpp", "examples/quickstart.cpp", "README.md"):
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(SOURCE / name, root / name)
        return root

    def test_what_the_programs_produce_is_what_is_written(self):
        finished = self.generate(SOURCE, "--check", str(PROGRAMS))
        self.assertEqual(finished.returncode, 0, finished.stdout + finished.stderr)

    def test_generation_writes_the_documents_to_the_byte(self):
        with tempfile.TemporaryDirectory() as folder:
            root = self.copy(folder)
            self.assertEqual(self.generate(root, str(PROGRAMS)).returncode, 0)
            for name in ("emission.md", "walkthrough.md"):
                made = (root / "docs/guide" / name).read_bytes()
                self.assertEqual(made, (SOURCE / "docs/guide" / name).read_bytes(), name)
            again = self.generate(root, str(PROGRAMS))
            self.assertEqual((again.returncode, again.stdout), (0, ""))

    def test_a_stale_document_is_named_with_its_difference_and_left_alone(self):
        with tempfile.TemporaryDirectory() as folder:
            root = self.copy(folder)
            self.generate(root, str(PROGRAMS))
            page = root / "docs/guide/emission.md"
            page.write_text(page.read_text(encoding="utf-8").replace("tanh", "sinh"), encoding="utf-8")
            stale = page.read_bytes()
            finished = self.generate(root, "--check", str(PROGRAMS))
            self.assertEqual(finished.returncode, 1)
            self.assertIn("-    %v3 = stablehlo.sinh", finished.stdout)
            self.assertIn("not up to date: docs/guide/emission.md; run script/generate-docs", finished.stderr)
            self.assertEqual(page.read_bytes(), stale)

    def test_a_folder_without_programs_is_a_bad_command_line(self):
        with tempfile.TemporaryDirectory() as folder:
            finished = self.generate(SOURCE, "--check", folder)
            self.assertEqual(finished.returncode, 2)
            self.assertIn("no program 'emission'", finished.stderr)


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    PROGRAMS = pathlib.Path(sys.argv[1]).resolve()
    SOURCE = pathlib.Path(sys.argv[2]).resolve()
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
