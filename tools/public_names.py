#!/usr/bin/env python3
"""Holds every public name to its documentation and to a test that shows it in use.

The compiler lists what the headers under include/topos declare outside namespace detail: types, their public
members, enumerators, functions, constants, concepts and macros. One line is printed for each name without a
comment, or in no program of tests/ and examples/. The exit status is then 1, and 77 where the compiler is
missing.

Documented is a name with
  * a comment above it or behind it, one that stands with an overload included;
  * a comment of two slashes that heads the lines, without a blank one, among which it stands;
  * the comment of its type that names it (data and functions without arguments), of a base that declares it,
    or of a concept of the same folder that asks for it;
  * for a type, the first line of the header that has its name.
Enumerators, constructors, destructors and operators are told by their type. A use is found by its word, a
member's behind a dot, an arrow or a scope: that each type's `size` is used is more than this can tell.
"""

import argparse
import json
import pathlib
import re
import shutil
import subprocess
import sys

COMPILER = "clang++-19"
SKIPPED = 77  # tests/CMakeLists.txt has it, too

# Kinds of declarations, as the compiler calls them.
FUNCTIONS = {"FunctionDecl", "CXXMethodDecl"}
RECORDS = {"CXXRecordDecl"}
TEMPLATES = {"ClassTemplateDecl", "FunctionTemplateDecl", "TypeAliasTemplateDecl", "VarTemplateDecl"}
KINDS = FUNCTIONS | RECORDS | {"ConceptDecl", "EnumDecl", "FieldDecl", "TypeAliasDecl", "TypedefDecl", "VarDecl"}


class Header:
    """The text of a header, and what its comments belong to."""

    def __init__(self, path):
        self.path = path
        self.lines = path.read_text(encoding="utf-8").splitlines()

    def line(self, number):
        return self.lines[number - 1].strip() if 0 < number <= len(self.lines) else ""

    def comment_above(self, number):
        """The comment that ends right above a line, without what is said to other tools."""
        said = []
        while self.line(number - 1).startswith("//"):
            number -= 1
            if not re.match(r"// (NOLINT|clang-format)", self.line(number)):
                said.insert(0, self.line(number))
        return "\n".join(said)

    def heading(self, number):
        """Whether a comment of two slashes stands above in the same run of lines, as deep as this one."""
        depth = re.match(r"\s*", self.lines[number - 1]).group()
        while self.line(number):
            number -= 1
            if re.match(depth + r"//(?!/)(?! (NOLINT|clang-format))", self.lines[number - 1]):
                return True
        return False

    def documents(self, first, last):
        behind = any(re.search(r"\S.*//", self.line(number)) for number in range(first, last + 1))
        return bool(self.comment_above(first)) or behind or self.heading(first)


class Name:
    """A public name, and where it is declared."""

    def __init__(self, scope, text, kind, header, first, last, owner):
        self.scope, self.text, self.kind = scope, text, kind
        self.header, self.first, self.last = header, first, last  # from its first line to that of the name
        self.end = last  # of the whole declaration
        self.owner = owner  # the type that it is a member of
        self.bases = []
        self.arguments = 0

    def full(self):
        return f"{self.scope} {self.text}" if self.scope == "macro" else f"{self.scope}::{self.text}"


class Listing:
    """Every public name, from the compiler's tree of declarations."""

    def __init__(self, root):
        self.root = root
        self.headers = {}
        self.names = []
        self.place = {"file": None, "line": None}

    def read(self, text):
        decoder = json.JSONDecoder(object_hook=self.located)
        at = 0
        while True:
            at = re.compile(r"\s*").match(text, at).end()
            if at == len(text):
                return
            node, at = decoder.raw_decode(text, at)
            if node["kind"] == "NamespaceDecl" and node["name"] == "topos":
                self.walk(node, "topos", None)

    def located(self, node):
        """Gives each location its file and line, which the compiler prints where they change."""
        if "offset" in node:
            self.place["file"] = node.get("file", self.place["file"])
            self.place["line"] = node.get("line", self.place["line"])
            return {**node, **self.place}
        return node

    def walk(self, node, scope, owner):
        public = not owner or node.get("tagUsed") == "struct"
        for child in node.get("inner", []):
            if child["kind"] == "AccessSpecDecl":
                public = child["access"] == "public"
            elif child["kind"] == "FriendDecl":
                for friend in child.get("inner", []):
                    if any(part["kind"] == "CompoundStmt" for part in friend.get("inner", [])):
                        self.declare(friend, scope.rpartition("::")[0], None)  # a function of the namespace
            elif child["kind"] == "NamespaceDecl":
                if child.get("name", "detail") != "detail":
                    self.walk(child, f"{scope}::{child['name']}", None)
            elif public:
                self.declare(child, scope, owner)

    def declare(self, node, scope, owner):
        outer = node
        if node["kind"] in TEMPLATES:
            node = next((part for part in node["inner"] if part["kind"] in KINDS), node)
        if node["kind"] not in KINDS or node.get("isImplicit") or "name" not in node:
            return
        if node["kind"] in RECORDS:
            if not node.get("completeDefinition"):
                return
        elif "previousDecl" in node or "previousDecl" in outer or "parentDeclContextId" in outer:
            return
        if node["name"].startswith("operator"):
            return
        header = self.header(outer["loc"])
        if not header:
            return
        first, last, end = (
            place.get("expansionLoc", place)["line"]
            for place in (outer["range"]["begin"], outer["loc"], outer["range"]["end"])
        )
        name = Name(scope, node["name"], node["kind"], header, first, last, owner)
        name.end = end
        name.arguments = sum(part["kind"] == "ParmVarDecl" for part in node.get("inner", []))
        self.names.append(name)
        inside = f"{scope}::{node['name']}"
        if node["kind"] in RECORDS:
            name.bases = [re.sub(r"<.*", "", base["type"]["qualType"]) for base in node.get("bases", [])]
            self.walk(node, inside, name)
        for enumerator in node.get("inner", []):
            if enumerator["kind"] == "EnumConstantDecl":
                line = enumerator["loc"]["line"]
                self.names.append(Name(inside, enumerator["name"], "EnumConstantDecl", header, line, line, name))

    def header(self, place):
        path = place.get("expansionLoc", place).get("file")
        if not path:
            return None
        path = pathlib.Path(path).resolve()
        if not path.is_relative_to(self.root / "include" / "topos"):
            return None
        if path not in self.headers:
            self.headers[path] = Header(path)
        return self.headers[path]


class Documentation:
    """Which names are documented, by a comment of their own or by what they belong to."""

    def __init__(self, names):
        self.of_overloads = {name.full() for name in names if name.header.documents(name.first, name.last)}
        self.types = {name.text: name for name in names if name.kind in RECORDS}
        self.members = {(name.owner.text, name.text): name for name in names if name.owner}
        self.asked = {}  # what concepts ask of a type, by folder
        for name in names:
            if name.kind == "ConceptDecl" and name.full() in self.of_overloads:
                text = "\n".join(name.header.lines[name.first - 1 : name.end])
                found = re.findall(r"(?:\.|::)(?:template )?(\w+)", text)
                found += re.findall(r"\w+(?=\()|\w+_\w+", name.header.comment_above(name.first))
                self.asked.setdefault(name.header.path.parent, set()).update(found)

    def has(self, name):
        return name.full() in self.of_overloads or self.inherits(name)

    def is_asked(self, name):
        """Whether a concept of the folder asks for a member, or a base declares it."""
        if name.text in self.asked.get(name.header.path.parent, ()):
            return True
        return any(self.has_of(base, name.text) for base in name.owner.bases)

    def inherits(self, name):
        if not name.owner:
            stem = name.header.path.stem.replace("_", "")
            return name.kind in RECORDS and name.text.lower() == stem and name.header.line(1).startswith("//")
        if name.kind == "EnumConstantDecl" or self.is_asked(name):
            return True
        told = name.kind not in FUNCTIONS | RECORDS or not name.arguments
        said = name.header.comment_above(name.owner.first)
        return told and bool(re.search(rf"\b{name.text}\b", said, re.IGNORECASE))

    def has_of(self, base, member):
        found = self.members.get((base, member))
        if found and self.has(found):
            return True
        return base in self.types and any(self.has_of(above, member) for above in self.types[base].bases)


def without_comments_and_strings(text):
    token = r"//[^\n]*|/\*.*?\*/|R\"\((?:.*?)\)\"|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])+'"
    return re.sub(token, lambda found: '""' if found.group().endswith('"') else " ", text, flags=re.DOTALL)


def words_of_programs(root):
    """What tests and examples say: every word, and every word behind a dot, an arrow or a scope."""
    words, members = set(), set()
    for folder in ("tests", "examples"):
        for path in sorted((root / folder).rglob("*.[ch]pp")):
            text = without_comments_and_strings(path.read_text(encoding="utf-8"))
            words.update(re.findall(r"\w+", text))
            members.update(re.findall(r"(?:\.|->|::)\s*(?:template\s+)?(\w+)", text))
            members.update(re.findall(r"(\w+)\([^;{}]*\) (?:const )?override", text))
    return words, members


def macros(listing, root):
    """Macros that a header leaves defined."""
    for path in sorted((root / "include").rglob("*.hpp")):
        header = listing.headers.setdefault(path, Header(path))
        text = "\n".join(header.lines)
        for number, line in enumerate(header.lines, 1):
            found = re.match(r"#define (\w+)", line)
            if found and not re.search(rf"^#undef {found.group(1)}$", text, re.MULTILINE):
                listing.names.append(Name("macro", found.group(1), "Macro", header, number, number, None))


def declarations(root):
    """What the compiler says of every header at once."""
    headers = sorted(path.relative_to(root / "include") for path in (root / "include").rglob("*.hpp"))
    command = [COMPILER, "-std=c++20", "-x", "c++", "-fsyntax-only", "-I", str(root / "include"), "-"]
    command += ["-Xclang", "-ast-dump=json", "-Xclang", "-ast-dump-filter=topos"]
    source = "".join(f'#include "{header}"\n' for header in headers)
    done = subprocess.run(command, input=source, capture_output=True, text=True, encoding="utf-8")
    if done.returncode != 0:
        sys.exit(f"public_names.py: {COMPILER} refuses the headers\n{done.stderr}")
    return done.stdout


def main():
    parser = argparse.ArgumentParser(
        description=__doc__,
        epilog="example:\n  python3 tools/public_names.py --list",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--list", action="store_true", help="print every public name")
    parser.add_argument("--root", type=pathlib.Path, default=pathlib.Path(__file__).resolve().parent.parent)
    arguments = parser.parse_args()
    root = arguments.root.resolve()
    if not shutil.which(COMPILER):
        print(f"public_names.py: skipped: {COMPILER} is missing; script/bootstrap installs it")
        return SKIPPED

    listing = Listing(root)
    listing.read(declarations(root))
    macros(listing, root)
    documentation = Documentation(listing.names)
    words, members = words_of_programs(root)
    lacking = 0
    for name in sorted(listing.names, key=lambda one: (one.header.path, one.first)):
        # What a concept or a base asks for may be shown by a type that provides it.
        needs_owner = name.owner and not documentation.is_asked(name)
        wants = [] if documentation.has(name) else ["no comment says what it is"]
        if name.text not in (members if needs_owner else words):
            wants.append("no test or example uses it")
        place = f"{name.header.path.relative_to(root)}:{name.first}: {name.full()}"
        if arguments.list:
            print(place)
        elif wants:
            print(f"{place}: {'; '.join(wants)}")
        lacking += bool(wants)
    if lacking:
        print(f"public_names.py: {lacking} of {len(listing.names)} public names lack something", file=sys.stderr)
    elif not arguments.list:
        print(f"{len(listing.names)} public names are documented and used by a test or an example")
    return 1 if lacking else 0


if __name__ == "__main__":
    sys.exit(main())
