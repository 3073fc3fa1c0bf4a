#pragma once
// What a page draws. Places are in the plot's own units, 0 to 1000 from left to right, 0 at the top.

#include <string>
#include <vector>

namespace actors::report {

/// Where a plot's axes lie, and the foot below them.
namespace drawing {
constexpr double left = 70, right = 985, top = 14, bottom = 205, foot = 225;
}

/// A mark of a plot: a circle, a tick, a bar or the label of a line.
struct plot_mark {
  double x = 0;
  double y = 0;
  double to_x = 0;  ///< right end of a bar or whisker
  double to_y = 0;  ///< lower end of a whisker
  std::string kind;
  std::string label;

  void fields(auto& f) {
    f("x", x);
    f("y", y);
    f("to_x", to_x);
    f("to_y", to_y);
    f("mark_kind", kind);
    f("mark_label", label);
  }
  friend bool operator==(const plot_mark&, const plot_mark&) = default;
};

struct plot {
  std::string caption;
  double height = 0;
  std::vector<plot_mark> grid;      ///< lines from left to right, with what they stand for
  std::string path;                 ///< best so far, as SVG says it
  std::vector<plot_mark> whiskers;  ///< 95 % intervals
  std::vector<plot_mark> points;
  std::vector<plot_mark> bars;
  std::vector<plot_mark> labels;

  void fields(auto& f) {
    f("caption", caption);
    f("height", height);
    f("grid", grid);
    f("path_d", path);
    f("whiskers", whiskers);
    f("points", points);
    f("bars", bars);
    f("labels", labels);
  }
  friend bool operator==(const plot&, const plot&) = default;
};

}  // namespace actors::report
