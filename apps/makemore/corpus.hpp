// Names as training samples: a few characters and the one that follows.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace makemore {

inline constexpr int vocabulary = 27;  ///< the end token 0, then a ... z
inline constexpr int context = 3;      ///< characters the model sees

struct Sample {
  std::array<std::int64_t, context> characters;
  std::int64_t next;
};

struct Corpus {
  std::vector<std::string> names;
};

/// One name a line, a to z; blank lines and surrounding white space are ignored. Throws EnvironmentError when
/// the file cannot be read, UsageError naming the line for any other character, or when there is no name.
Corpus load_corpus(const std::string& path);

/// Every window of every name, the name being preceded by `context` end tokens and followed by one.
std::vector<Sample> make_samples(const Corpus& corpus);

/// Fisher and Yates' shuffle with splitmix64 draws.
void shuffle(std::vector<Sample>& samples, std::uint64_t seed);

/// The token's letter; the end token has none.
char letter(std::int64_t token);

}  // namespace makemore
