// Draws docs/pictures/shed_*.svg: what the adaptive limit does with servers of many kinds, simulated on a virtual
// clock. `shed_pictures DIR` writes the pictures; `shed_pictures --check DIR` only compares them.

#include "drawings.hpp"
#include "support/shed_simulation.hpp"

#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

namespace headgate::test {
namespace {

using namespace std::chrono_literals;

struct Picture {
  const char* file;
  const char* title;
  SheddingScenario scenario;
};

double rate(unsigned places, Duration service) { return places / std::chrono::duration<double>(service).count(); }

std::vector<Picture> pictures() {
  const auto small = rate(16, 30ms);
  const auto large = rate(64, 30ms);
  return {
      {"shed_overload",
       "Overload: five times what 16 places can do, for 20 s",
       {.phases = {{0s, small / 2, 16, 30ms}, {10s, small * 5, 16, 30ms}, {30s, small / 2, 16, 30ms}},
        .until = 40s,
        .thrash = 0.25}},
      {"shed_slow_down",
       "Slow-down without a queue: answers take 90 ms instead of 30 ms, and there is room for all",
       {.phases = {{0s, 1000, 1000, 30ms}, {10s, 1000, 1000, 90ms}, {30s, 1000, 1000, 30ms}}, .until = 40s}},
      {"shed_recovery",
       "Recovery: a quarter of the places for 20 s",
       {.phases = {{0s, large * 0.8, 64, 30ms}, {10s, large * 0.8, 16, 30ms}, {30s, large * 0.8, 64, 30ms}},
        .until = 50s}},
      {"shed_drift",
       "Drift: a fifth too much for two minutes",
       {.phases = {{0s, small / 2, 16, 30ms}, {10s, small * 1.2, 16, 30ms}}, .until = 130s}},
      {"shed_bimodal",
       "Bimodal latency: nine of ten answers take 5 ms, one takes 500 ms",
       {.phases = {{0s, 1000, 1000, 5ms}}, .until = 40s, .slow_share = 0.1, .slow = 500ms}},
      {"shed_sudden",
       "Sudden load: from 20 to 5000 requests a second",
       {.phases = {{0s, 20, 200, 30ms}, {5s, 5000, 200, 30ms}}, .until = 15s}},
  };
}

// Geometry, in pixels.
constexpr int kLeft = 56;
constexpr int kWidth = 640;
constexpr int kHeight = 110;
constexpr int kRatesTop = 62;
constexpr int kLimitTop = 222;
constexpr std::size_t kStep = 5;  // ticks for each point

std::string number(double value, const char* form = "%.1f") {
  char text[32];
  std::snprintf(text, sizeof text, form, value);
  return text;
}
std::string label(double x, double y, const std::string& text, const char* look) {
  return "<text x=\"" + number(x) + "\" y=\"" + number(y) + "\" class=\"" + look + "\">" + text + "</text>\n";
}
std::string line(double x1, double y1, double x2, double y2, const char* look) {
  return "<line x1=\"" + number(x1) + "\" y1=\"" + number(y1) + "\" x2=\"" + number(x2) + "\" y2=\"" + number(y2) +
         "\" class=\"" + look + "\"/>\n";
}

/// The means of half seconds.
std::vector<double> points(const SheddingRun& run, double SheddingTick::*what, double factor) {
  std::vector<double> out;
  for (std::size_t i = 0; i + kStep <= run.ticks.size(); i += kStep) {
    double sum = 0;
    for (std::size_t j = i; j < i + kStep; ++j) sum += run.ticks[j].*what;
    out.push_back(sum * factor / kStep);
  }
  return out;
}

std::string curve(const std::vector<double>& values, double most, int top, const char* look) {
  std::string out;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double x = kLeft + kWidth * (static_cast<double>(i) + 0.5) / static_cast<double>(values.size());
    const double y = top + kHeight * (1 - std::min(values[i] / most, 1.0));
    out += (out.empty() ? "" : " ") + number(x) + "," + number(y);
  }
  return "<polyline points=\"" + out + "\" class=\"" + look + "\"/>\n";
}

std::string panel(int top, double most, Duration until, const std::string& name) {
  std::string out = label(kLeft, top - 8, name, "lane");
  out += line(kLeft, top + kHeight, kLeft + kWidth, top + kHeight, "grid") +
         line(kLeft, top, kLeft, top + kHeight, "grid");
  out += label(kLeft - 6, top + 10, number(most, "%.0f"), "side") + label(kLeft - 6, top + kHeight, "0", "side");
  const auto every = until > 60s ? 20s : until > 20s ? 5s : 1s;
  for (Duration at{0}; at <= until; at += every) {
    const double x = kLeft + kWidth * static_cast<double>(at.count()) / static_cast<double>(until.count());
    out += label(x, top + kHeight + 16, number(static_cast<double>(at.count()) / 1e6, "%.0f s"), "tick");
  }
  return out;
}

std::string draw(const Picture& picture) {
  const auto run = simulate(picture.scenario, {.adaptive = shed::ConcurrencyRange{}});
  const auto answered = points(run, &SheddingTick::answered, 10);
  const auto refused = points(run, &SheddingTick::refused, 10);
  const auto able = points(run, &SheddingTick::capacity, 10);
  const auto limit = points(run, &SheddingTick::limit, 1);
  const auto in_flight = points(run, &SheddingTick::in_flight, 1);
  const double most_rate = 1.15 * *std::max_element(answered.begin(), answered.end());
  const double most_limit = 1.1 * *std::max_element(limit.begin(), limit.end());
  const double share = run.sum(&SheddingTick::refused, Duration(0), picture.scenario.until) /
                       run.sum(&SheddingTick::offered, Duration(0), picture.scenario.until);
  const std::string summary = number(100 * share) + " % of all requests refused";
  constexpr int kAll = kLeft + kWidth + 24;
  constexpr int kDown = kLimitTop + kHeight + 28;
  std::string out = "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" + std::to_string(kAll) + "\" height=\"" +
                    std::to_string(kDown) + "\" viewBox=\"0 0 " + std::to_string(kAll) + " " + std::to_string(kDown) +
                    "\" role=\"img\">\n<title>" + picture.title + ": " + summary + "</title>\n";
  out += R"(<style>
svg { background: #fff; }
text { font: 12px system-ui, sans-serif; fill: #24292f; }
.title { font-weight: 600; font-size: 14px; }
.lane, .tick, .side, .summary { fill: #57606a; }
.tick { text-anchor: middle; }
.side { text-anchor: end; }
.grid { stroke: #d0d7de; }
polyline { fill: none; stroke-width: 1.8; }
.answered { stroke: #0969da; }
.refused { stroke: #cf222e; stroke-opacity: .7; }
.able { stroke: #9a6700; stroke-dasharray: 4 3; }
.flying { stroke: #57606a; stroke-width: 1; }
@media (prefers-color-scheme: dark) {
  svg { background: #0d1117; }
  text { fill: #e6edf3; }
  .lane, .tick, .side, .summary { fill: #9198a1; }
  .grid { stroke: #30363d; }
  .answered { stroke: #4493f8; }
  .refused { stroke: #f85149; }
  .able { stroke: #d29922; }
  .flying { stroke: #9198a1; }
}
</style>
)";
  out += label(0, 16, picture.title, "title") + label(0, 34, summary, "summary");
  out += panel(kRatesTop, most_rate, picture.scenario.until,
               "a second: answered (blue), refused (red), what the server could answer (dashed)");
  out += curve(able, most_rate, kRatesTop, "able") + curve(refused, most_rate, kRatesTop, "refused") +
         curve(answered, most_rate, kRatesTop, "answered");
  out += panel(kLimitTop, most_limit, picture.scenario.until, "the limit (blue) and the requests in flight (grey)");
  out += curve(in_flight, most_limit, kLimitTop, "flying") + curve(limit, most_limit, kLimitTop, "answered");
  return out + "</svg>\n";
}

std::vector<Drawing> drawings() {
  std::vector<Drawing> out;
  for (const auto& picture : pictures()) out.push_back({picture.file, draw(picture)});
  return out;
}

}  // namespace
}  // namespace headgate::test

int main(int count, char** words) {
  return headgate::test::write_or_compare(count, words, [] { return headgate::test::drawings(); });
}
