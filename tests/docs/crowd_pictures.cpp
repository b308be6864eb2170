// Draws docs/pictures/appointments*.svg: ten thousand obedient clients at one limit, with Retry-After alone and with
// appointments. `crowd_pictures DIR` writes the pictures; `crowd_pictures --check DIR` only compares them.

#include "drawings.hpp"
#include "support/crowd.hpp"

#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

namespace headgate::test {
namespace {

using namespace std::chrono_literals;

constexpr Duration kFrom = 20s;  // after the beginning, which is the same for both
constexpr Duration kShown = 10s;
constexpr Duration kTenth = 100ms;

// Geometry, in pixels.
constexpr int kLeft = 96;
constexpr int kWidth = 640;
constexpr int kTop = 60;
constexpr int kHeight = 150;

std::string number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f", value);
  return text;
}
std::string text_at(double x, double y, const std::string& text, const char* look) {
  return "<text x=\"" + number(x) + "\" y=\"" + number(y) + "\" class=\"" + look + "\">" + text + "</text>\n";
}
std::string line(double x1, double y1, double x2, double y2, const char* look) {
  return "<line x1=\"" + number(x1) + "\" y1=\"" + number(y1) + "\" x2=\"" + number(x2) + "\" y2=\"" + number(y2) +
         "\" class=\"" + look + "\"/>\n";
}

constexpr const char* kStyle = R"(<style>
svg { background: #fff; }
text { font: 12px system-ui, sans-serif; fill: #24292f; }
.title { font-weight: 600; font-size: 14px; }
.lane, .tick, .summary { fill: #57606a; }
.tick { text-anchor: middle; }
.served { stroke: #0969da; stroke-width: 4; }
.asked { stroke: #cf222e; stroke-width: 4; stroke-opacity: .55; }
.grid { stroke: #d0d7de; }
.limit { stroke: #9a6700; stroke-dasharray: 4 3; }
@media (prefers-color-scheme: dark) {
  svg { background: #0d1117; }
  text { fill: #e6edf3; }
  .lane, .tick, .summary { fill: #9198a1; }
  .served { stroke: #4493f8; }
  .asked { stroke: #f85149; }
  .grid { stroke: #30363d; }
  .limit { stroke: #d29922; }
}
</style>
)";

std::string in_words(const CrowdResult& result) {
  const auto share = 100.0 * static_cast<double>(result.served) / static_cast<double>(result.requests);
  return number(share) + " of 100 requests served; fairness " + number(100 * result.fairness()) + " of 100; " +
         number(100 * result.never_served()) + " of 100 clients never served; 99 of 100 served within " +
         number(static_cast<double>(result.wait_of(0.99).count()) / 1e6) + " s";
}

/// Requests in each tenth of a second, and those of them that were served.
std::string draw(const CrowdResult& result, const std::string& title) {
  const auto first = static_cast<std::size_t>(kFrom / kTenth);
  const auto count = static_cast<std::size_t>(kShown / kTenth);
  const auto most = *std::max_element(result.asked_in.begin() + static_cast<std::ptrdiff_t>(first),
                                      result.asked_in.begin() + static_cast<std::ptrdiff_t>(first + count));
  const auto bottom = kTop + kHeight;
  const auto y_of = [&](double value) { return bottom - kHeight * value / static_cast<double>(most); };
  const auto summary = in_words(result);
  const int width = kLeft + kWidth + 24;
  const int height = bottom + 28;
  std::string out = "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" + std::to_string(width) + "\" height=\"" +
                    std::to_string(height) + "\" viewBox=\"0 0 " + std::to_string(width) + " " +
                    std::to_string(height) + "\" role=\"img\">\n<title>" + title + ": " + summary + "</title>\n";
  out += kStyle + text_at(0, 16, title, "title") + text_at(0, 34, summary, "summary");
  out += text_at(0, kTop + 8, std::to_string(most), "lane") + text_at(0, kTop + 24, "in 0.1 s", "lane");
  for (int second = 0; second <= kShown / 1s; ++second) {
    const double x = kLeft + static_cast<double>(kWidth) * second / static_cast<double>(kShown / 1s);
    out += line(x, kTop, x, bottom, "grid") + text_at(x, bottom + 16, std::to_string(second) + " s", "tick");
  }
  for (std::size_t i = 0; i < count; ++i) {
    const double x = kLeft + static_cast<double>(kWidth) * (static_cast<double>(i) + 0.5) / static_cast<double>(count);
    const double served = result.served_in[first + i];
    const double asked = result.asked_in[first + i];
    if (asked > served) out += line(x, y_of(served), x, y_of(asked), "asked");
    if (served > 0) out += line(x, bottom, x, y_of(served), "served");
  }
  out += line(kLeft, y_of(10), kLeft + kWidth, y_of(10), "limit") + text_at(0, y_of(10) + 4, "limit: 10", "lane");
  return out + "</svg>\n";
}

std::vector<Drawing> drawings() {
  const limit::AppointmentTerms terms{5min, 10s};
  return {{"appointments_without", draw(Crowd({}).run(), "10,000 clients, 100/second, Retry-After alone")},
          {"appointments", draw(Crowd({.appointments = terms}).run(), "10,000 clients, 100/second, appointments")}};
}

}  // namespace
}  // namespace headgate::test

int main(int count, char** words) {
  return headgate::test::write_or_compare(count, words, [] { return headgate::test::drawings(); });
}
