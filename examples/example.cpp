#include "example.hpp"

#include <CLI/CLI.hpp>
#include <stdexcept>

namespace example {

void expect(const std::string& what, const std::string& got, const std::string& expected) {
  if (got != expected) throw std::runtime_error(fmt::format("{}: expected {}, got {}", what, expected, got));
}

void expect(const std::string& what, bool holds) {
  if (!holds) throw std::runtime_error(fmt::format("this should hold and does not: {}", what));
}

int run(CLI::App& app, int count, char** arguments, const std::function<void()>& body) {
  try {
    app.parse(count, arguments);
    body();
    return 0;
  } catch (const CLI::CallForHelp& help) {
    return app.exit(help);
  } catch (const CLI::ParseError& error) {
    fmt::print(stderr, "{}: {} (see --help)\n", app.get_name(), error.what());
    return 2;
  } catch (const std::exception& error) {
    std::fflush(stdout);
    fmt::print(stderr, "{}: {}\n", app.get_name(), error.what());
    return 1;
  }
}

int run(const std::string& name, const std::string& description, int count, char** arguments,
        const std::function<void()>& body) {
  CLI::App app(fmt::format("{}\nExample: {}", description, name), name);
  return run(app, count, arguments, body);
}

}  // namespace example
