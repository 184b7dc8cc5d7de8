#include "corpus.hpp"

#include <fmt/format.h>

#include <utility>

#include "topos/base/error.hpp"
#include "topos/base/file.hpp"
#include "topos/nn/initialize.hpp"

namespace makemore {
namespace {

std::string_view trimmed(std::string_view line) {
  constexpr std::string_view blanks = " \t\r\n\v\f";
  const std::size_t first = line.find_first_not_of(blanks);
  if (first == std::string_view::npos) return {};
  return line.substr(first, line.find_last_not_of(blanks) - first + 1);
}

}  // namespace

Corpus load_corpus(const std::string& path) {
  const std::string text = topos::read_file(path);
  Corpus corpus;
  std::size_t number = 1;
  for (std::size_t start = 0; start < text.size(); ++number) {
    const std::size_t end = std::min(text.find('\n', start), text.size());
    const std::string_view name = trimmed(std::string_view(text).substr(start, end - start));
    start = end + 1;
    for (const char c : name) {
      if (c < 'a' || c > 'z') {
        throw topos::UsageError(
            fmt::format("{}:{}: a name is written with the letters a to z; found byte 0x{:02X}", path, number,
                        static_cast<unsigned char>(c)));
      }
    }
    if (!name.empty()) corpus.names.emplace_back(name);
  }
  if (corpus.names.empty()) throw topos::UsageError(fmt::format("{}: there is no name in this file", path));
  return corpus;
}

std::vector<Sample> make_samples(const Corpus& corpus) {
  std::vector<Sample> samples;
  for (const std::string& name : corpus.names) {
    Sample sample{};
    for (std::size_t i = 0; i <= name.size(); ++i) {
      sample.next = i < name.size() ? name[i] - 'a' + 1 : 0;
      samples.push_back(sample);
      for (std::size_t k = 1; k < context; ++k) sample.characters[k - 1] = sample.characters[k];
      sample.characters[context - 1] = sample.next;
    }
  }
  return samples;
}

void shuffle(std::vector<Sample>& samples, std::uint64_t seed) {
  topos::SplitMix64 random(seed);
  for (std::size_t i = samples.size(); i-- > 1;) {
    const auto j = static_cast<std::size_t>(random.unit() * static_cast<double>(i + 1));
    std::swap(samples[i], samples[j]);
  }
}

char letter(std::int64_t token) { return static_cast<char>('a' + token - 1); }

}  // namespace makemore
