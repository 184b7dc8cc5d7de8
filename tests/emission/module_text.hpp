// Small mechanical edits of a module's text, to state exactly how two modules differ. Each edit must find
// what it edits: one that has nothing to do means that the difference is not the documented one.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <functional>
#include <string>
#include <string_view>

namespace topos::testing {

/// A text whose edits chain.
class EditedText {
 public:
  explicit EditedText(std::string text) : text_(std::move(text)) {}
  const std::string& text() const { return text_; }

  /// Drops the one line that begins with `start`, after its indentation.
  EditedText& drop_line(std::string_view start) {
    std::size_t found = 0;
    std::string kept;
    for_each_line([&](std::string_view line) {
      const bool drop = line.substr(std::min(line.size(), line.find_first_not_of(' '))).starts_with(start);
      found += drop;
      if (!drop) kept.append(line);
    });
    EXPECT_EQ(found, 1u) << "lines that begin with \"" << start << '"';
    text_ = std::move(kept);
    return *this;
  }

  /// Replaces every occurrence of `from`, of which there must be `count`.
  EditedText& replace(std::string_view from, std::string_view to, std::size_t count = 1) {
    std::size_t found = 0;
    for (std::size_t at = 0; (at = text_.find(from, at)) != std::string::npos; at += to.size(), ++found) {
      text_.replace(at, from.size(), to);
    }
    EXPECT_EQ(found, count) << "occurrences of \"" << from << '"';
    return *this;
  }

  /// Replaces every whole node name "%vN", suffixed or not, by what `renumber` makes of N.
  EditedText& renumber(const std::function<unsigned long(unsigned long)>& renumber) {
    return rewrite_numbers("%v", renumber);
  }

  /// Replaces every number that directly follows `prefix`.
  EditedText& rewrite_numbers(std::string_view prefix,
                              const std::function<unsigned long(unsigned long)>& rewrite) {
    std::string result;
    std::size_t at = 0;
    std::size_t found = 0;
    for (std::size_t next; (next = text_.find(prefix, at)) != std::string::npos; ++found) {
      next += prefix.size();
      result.append(text_, at, next - at);
      std::size_t end = next;
      while (end < text_.size() && std::isdigit(static_cast<unsigned char>(text_[end]))) ++end;
      if (end > next) result += std::to_string(rewrite(std::stoul(text_.substr(next, end - next))));
      at = end;
    }
    EXPECT_GT(found, 0u) << "no \"" << prefix << '"';
    text_ = result.append(text_, at);
    return *this;
  }

 private:
  template <class Visit>
  void for_each_line(Visit visit) const {
    for (std::size_t at = 0; at < text_.size();) {
      const std::size_t end = std::min(text_.find('\n', at), text_.size() - 1) + 1;
      visit(std::string_view(text_).substr(at, end - at));
      at = end;
    }
  }

  std::string text_;
};

/// Takes the guard out of the LogSumExp that is node `node`: the shift is the peak again.
inline EditedText& without_logsumexp_guard(EditedText& text, unsigned long node) {
  const std::string name = "%v" + std::to_string(node);
  return text.drop_line(name + "_finite = ")
      .drop_line(name + "_zeros = ")
      .drop_line(name + "_shift = ")
      .replace(name + "_shift", name + "_peak", 2);
}

}  // namespace topos::testing
