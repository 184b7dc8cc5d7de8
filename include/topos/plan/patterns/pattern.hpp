// What a pattern is, and a pattern as data: one of the library's list, or one of a program's own.
#pragma once

#include <concepts>
#include <optional>
#include <string_view>

#include "topos/plan/patterns/discover.hpp"

namespace topos {

/// The attributes of a composition, with the function that recognises it. Where it has them, also:
///  * gives(): further nodes whose values the operation gives, besides the root's
///  * is_closed, a constant: a match counts only if nothing else reads its interiors; gives() needs it
///  * spell(writer) and fits(writer): its text over a StableHloWriter, and whether there is one here
template <class P>
concept Pattern = std::copyable<P> && requires(const P& pattern, const MatchContext& context, NodeIndex root,
                                               PatternMatch& match) {
  { P::name } -> std::convertible_to<std::string_view>;
  /// The pattern, if `root` ends one; adds the nodes that it stands for, besides the root, to the match.
  { P::match(context, root, match) } -> std::same_as<std::optional<P>>;
  /// The nodes that it reads.
  { pattern.reads() } -> std::same_as<std::vector<NodeIndex>>;
};

namespace detail {

struct PatternMatcher {
  bool is_closed;
  std::optional<Candidate> (*match)(const MatchContext& context, NodeIndex root);
};

/// The pattern as data, its candidates with this spelling.
template <Pattern P, const PatternSpelling* spelling = nullptr>
PatternMatcher matcher_of() {
  const auto match = [](const MatchContext& context, NodeIndex root) -> std::optional<Candidate> {
    PatternMatch collected;
    std::optional<P> pattern = P::match(context, root, collected);
    if (!pattern) return std::nullopt;
    Candidate candidate{P::name, root, std::move(collected.interiors), {}, pattern->reads(), {}, spelling};
    if constexpr (requires { pattern->gives(); }) candidate.gives = pattern->gives();
    candidate.attributes = std::move(*pattern);
    return candidate;
  };
  constexpr bool is_closed = requires { P::is_closed; };
  return {is_closed, match};
}

}  // namespace detail

/// A pattern that has text. Its definition is needed only where it is used, after emission's writer.
template <class P>
concept SpelledPattern =
    Pattern<P> && requires(const P& pattern, StableHloWriter& out) { pattern.spell(out); };

namespace detail {
template <SpelledPattern P>
inline constexpr PatternSpelling spelling_of{
    [](const std::any& attributes, const StableHloWriter& out) {
      if constexpr (requires(const P& pattern) { pattern.fits(out); }) {
        return std::any_cast<const P&>(attributes).fits(out);
      }
      return true;
    },
    [](const std::any& attributes, StableHloWriter& out) { std::any_cast<const P&>(attributes).spell(out); }};
}  // namespace detail

}  // namespace topos
