// What every example shares: a command line, exit codes, and checks of what it prints.
#pragma once

#include <fmt/format.h>

#include <functional>
#include <string>

namespace CLI {
class App;
}

namespace example {

/// Throws when a figure is not what the example claims; run() prints what differs and answers 1.
void expect(const std::string& what, const std::string& got, const std::string& expected);
void expect(const std::string& what, bool holds);

/// Parses the command line and runs `body`. Exit codes: 0 done, 1 something did not hold, 2 a bad command
/// line.
int run(CLI::App& app, int count, char** arguments, const std::function<void()>& body);
/// The same for a program whose only option is --help.
int run(const std::string& name, const std::string& description, int count, char** arguments,
        const std::function<void()>& body);

}  // namespace example
