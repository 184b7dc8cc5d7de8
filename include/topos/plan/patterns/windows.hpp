// What the window patterns share: two-dimensional windows over the last two axes of [batch, channels, h, w].
#pragma once

#include <array>
#include <optional>
#include <string>

#include "topos/plan/patterns/discover.hpp"

namespace topos {

/// One axis of windows: `size` elements `dilation` apart, `stride` between windows, zeros around the source.
struct WindowAxis {
  Extent size = 1;
  Extent stride = 1;
  Extent dilation = 1;
  Extent pad_low = 0;   ///< zeros before the source
  Extent pad_high = 0;  ///< zeros after it
};

/// Windows of a rank-4 source, and the shape [batch, channels, count, count] they form.
struct Windows {
  NodeIndex source = 0;
  std::array<WindowAxis, 2> axes;  ///< of height, of width
  Extent batch = 0;
  Extent channels = 0;
  std::array<Extent, 2> counts{};  ///< windows along height, along width

  /// Elements of one window.
  Extent area() const { return axes[0].size * axes[1].size; }
};

namespace detail {

/// The patch matrix [batch * counts, channels * sizes]: Reshape of Permute [0, 2, 4, 1, 3, 5] of Unfold along
/// 4 of Unfold along 2, of the source or of its zero padding.
std::optional<Windows> match_patches(const MatchContext& context, NodeIndex root, PatternMatch& match);

/// The lanes [batch, channels, counts, area]: Reshape of Permute [0, 1, 2, 4, 3, 5] of the same two unfolds,
/// not padded nor dilated.
std::optional<Windows> match_lanes(const MatchContext& context, NodeIndex root, PatternMatch& match);

/// The adjoint of two unfolds: Fold along 2 (the root) of Fold along 4 of Permute `order` of Reshape of a
/// source, each value between being the first contribution to a cotangent. `source` of the result is the
/// operand of the reshape.
std::optional<Windows> match_folds(const MatchContext& context, NodeIndex root,
                                   std::initializer_list<Axis> order, PatternMatch& match);

/// Steps through Add(zero leaf, x), which starts the accumulation of a recorded cotangent: returns x.
std::optional<NodeIndex> match_first_contribution(const MatchContext& context, NodeIndex root,
                                                  PatternMatch& match);

/// "[1, 2]" of one fact of the two axes.
template <class Fact>
std::string list_of(const Windows& windows, Fact fact) {
  const std::array<std::int64_t, 2> values{fact(windows.axes[0]), fact(windows.axes[1])};
  return describe(values);
}

}  // namespace detail

}  // namespace topos
