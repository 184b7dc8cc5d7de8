#include "chart.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace makemore {
namespace {

constexpr double width = 800, height = 480;
constexpr double left = 64, right = 24, top = 48, bottom = 56;
constexpr std::array colours = {"#1f77b4", "#ff7f0e", "#2ca02c"};
constexpr std::array dashes = {"none", "8 6", "2 6"};

struct Point {
  double step;
  double loss;
};

/// Means over at most 200 equal runs of steps.
std::vector<Point> smoothed(const std::vector<float>& losses) {
  const std::size_t run = std::max<std::size_t>(1, losses.size() / 200);
  std::vector<Point> points;
  for (std::size_t start = 0; start < losses.size(); start += run) {
    const std::size_t end = std::min(losses.size(), start + run);
    double total = 0;
    for (std::size_t i = start; i < end; ++i) total += losses[i];
    points.push_back({static_cast<double>(start + end) / 2, total / static_cast<double>(end - start)});
  }
  return points;
}

/// A step of 1, 2 or 5 times a power of ten that cuts the span into four to ten parts.
double tick_step(double span) {
  const double power = std::pow(10.0, std::floor(std::log10(span / 4)));
  for (const double factor : {5.0, 2.0}) {
    if (span / (factor * power) >= 4) return factor * power;
  }
  return power;
}

}  // namespace

std::string loss_chart(const std::vector<Curve>& curves, const std::string& title) {
  std::vector<std::vector<Point>> lines;
  double last_step = 1, low = INFINITY, high = -INFINITY;
  for (const Curve& curve : curves) {
    lines.push_back(smoothed(curve.losses));
    last_step = std::max(last_step, static_cast<double>(curve.losses.size()));
    for (const Point& point : lines.back()) {
      low = std::min(low, point.loss);
      high = std::max(high, point.loss);
    }
  }
  if (!(low <= high)) low = 0, high = 1;
  if (high - low < 1e-3) low -= 0.05, high += 0.05;
  const double margin = (high - low) * 0.05;
  low -= margin;
  high += margin;
  const auto x = [&](double step) { return left + step / last_step * (width - left - right); };
  const auto y = [&](double loss) { return top + (high - loss) / (high - low) * (height - top - bottom); };

  std::string svg = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1}\" width=\"{0}\" height=\"{1}\" "
      "font-family=\"sans-serif\" font-size=\"13\">\n<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n"
      "<text x=\"{2}\" y=\"28\" font-size=\"16\">{3}</text>\n",
      width, height, left, title);
  const double loss_step = tick_step(high - low);
  const auto last_loss = static_cast<int>(std::floor(high / loss_step));
  for (auto n = static_cast<int>(std::ceil(low / loss_step)); n <= last_loss; ++n) {
    const double tick = n * loss_step;
    svg += fmt::format("<line x1=\"{}\" x2=\"{}\" y1=\"{:.1f}\" y2=\"{:.1f}\" stroke=\"#ddd\"/>\n", left,
                       width - right, y(tick), y(tick));
    svg += fmt::format("<text x=\"{}\" y=\"{:.1f}\" text-anchor=\"end\">{:.4g}</text>\n", left - 8,
                       y(tick) + 4, tick);
  }
  const double run_step = std::max(1.0, tick_step(last_step));
  for (int n = 0; n * run_step <= last_step; ++n) {
    const double tick = n * run_step;
    svg += fmt::format("<line x1=\"{0:.1f}\" x2=\"{0:.1f}\" y1=\"{1}\" y2=\"{2}\" stroke=\"#999\"/>\n",
                       x(tick), height - bottom, height - bottom + 5);
    svg += fmt::format("<text x=\"{:.1f}\" y=\"{}\" text-anchor=\"middle\">{:.0f}</text>\n", x(tick),
                       height - bottom + 20, tick);
  }
  svg += fmt::format("<text x=\"{}\" y=\"{}\" text-anchor=\"middle\">step</text>\n",
                     (left + width - right) / 2, height - 12);
  svg += fmt::format(
      "<text x=\"16\" y=\"{0}\" text-anchor=\"middle\" transform=\"rotate(-90 16 {0})\">minibatch "
      "loss (nats)</text>\n",
      (top + height - bottom) / 2);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const char* colour = colours[i % colours.size()];
    const char* dash = dashes[i % dashes.size()];
    std::string path;
    for (const Point& point : lines[i]) path += fmt::format("{:.1f},{:.1f} ", x(point.step), y(point.loss));
    svg += fmt::format(
        "<polyline fill=\"none\" stroke=\"{}\" stroke-width=\"2\" stroke-dasharray=\"{}\" "
        "points=\"{}\"/>\n",
        colour, dash, path);
    const double row = top + 14 + 20 * static_cast<double>(i);
    svg += fmt::format(
        "<line x1=\"{}\" x2=\"{}\" y1=\"{}\" y2=\"{}\" stroke=\"{}\" stroke-width=\"2\" "
        "stroke-dasharray=\"{}\"/>\n",
        width - 180, width - 140, row, row, colour, dash);
    svg += fmt::format("<text x=\"{}\" y=\"{}\">{}</text>\n", width - 132, row + 4, curves[i].name);
  }
  return svg + "</svg>\n";
}

}  // namespace makemore
