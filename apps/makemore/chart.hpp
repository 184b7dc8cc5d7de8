// Loss curves as an SVG picture.
#pragma once

#include <string>
#include <vector>

namespace makemore {

struct Curve {
  std::string name;
  std::vector<float> losses;  ///< one a step
};

/// A line per curve of the mean loss over short runs of steps, with axes, ticks and a legend. Curves that lie
/// on one another are dashed in turn so that each can be seen.
std::string loss_chart(const std::vector<Curve>& curves, const std::string& title);

}  // namespace makemore
