// Draws docs/pictures/servers_*.svg: what callers see when a server fails, behind every policy, with nothing
// configured; simulated on a virtual clock. `server_pictures DIR` writes the pictures; `server_pictures --check DIR`
// only compares them.

#include "drawings.hpp"
#include "support/failing_servers.hpp"

#include <algorithm>
#include <cstdio>
#include <map>
#include <string>
#include <vector>

namespace headgate::test {
namespace {

using What = balance::EjectChange::What;

const std::map<std::string, std::string>& titles() {
  static const std::map<std::string, std::string> all{
      {"crash", "Crash: one of four servers refuses connections from 10 s to 60 s"},
      {"hang", "Hang: one of four servers answers nothing from 10 s to 60 s"},
      {"slow", "Slow: one of four servers takes forty times as long from 10 s to 60 s"},
      {"flapping", "Flapping: one of four servers answers 500 for every second 5 s from 10 s to 70 s"},
      {"half", "Half of the servers: one of four hangs and one answers 500 from 10 s to 60 s"},
  };
  return all;
}

// Geometry, in pixels.
constexpr int kLeft = 150;
constexpr int kWidth = 640;
constexpr int kTop = 70;
constexpr int kLane = 58;
constexpr int kHeight = 36;
constexpr std::size_t kStep = 5;  // ticks for each point

std::string number(double value, const char* form = "%.1f") {
  char text[32];
  std::snprintf(text, sizeof text, form, value);
  return text;
}
std::string label(double x, double y, const std::string& text, const char* look) {
  return "<text x=\"" + number(x) + "\" y=\"" + number(y) + "\" class=\"" + look + "\">" + text + "</text>\n";
}

double x_of(Duration at, Duration until) {
  return kLeft + kWidth * static_cast<double>(at.count()) / static_cast<double>(until.count());
}

/// The times in which a server is out, as bars.
std::string bars(const FailureRun& run, const FailureStory& story, int top) {
  std::string out;
  std::size_t failing = 0;
  for (std::size_t server = 0; server < story.servers; ++server) {
    const bool fails = std::any_of(story.turns.begin(), story.turns.end(),
                                   [&](const SceneChange& turn) { return turn.server == server; });
    if (!fails) continue;
    for (std::size_t i = 0; i < run.ticks.size();) {
      std::size_t end = i;
      while (end < run.ticks.size() && run.ticks[end].out[server]) ++end;
      if (end == i) {
        ++i;
        continue;
      }
      const auto from = x_of(FailureRun::kTick * static_cast<int>(i), story.until);
      const auto to = x_of(FailureRun::kTick * static_cast<int>(end), story.until);
      out += "<rect x=\"" + number(from) + "\" y=\"" + number(top + kHeight + 2 + 6.0 * static_cast<double>(failing)) +
             "\" width=\"" + number(std::max(to - from, 0.5)) + "\" height=\"4\" class=\"out\"/>\n";
      i = end;
    }
    ++failing;
  }
  return out;
}

std::string curve(const FailureRun& run, double most, int top, double FailureTick::*what, const char* look) {
  std::string out;
  const auto points = run.ticks.size() / kStep;
  for (std::size_t i = 0; i < points; ++i) {
    double sum = 0;
    for (std::size_t j = i * kStep; j < (i + 1) * kStep; ++j) sum += run.ticks[j].*what;
    const double x = kLeft + kWidth * (static_cast<double>(i) + 0.5) / static_cast<double>(points);
    const double y = top + kHeight * (1 - std::min(sum / (most * kStep / 10), 1.0));
    out += (out.empty() ? "" : " ") + number(x) + "," + number(y);
  }
  return "<polyline points=\"" + out + "\" class=\"" + look + "\"/>\n";
}

std::string lane(const FailureStory& story, const balance::Policy& policy, int top) {
  const auto run = simulate(story, policy);
  const bool slow = story.name == "slow";
  const auto what = slow ? &FailureTick::late : &FailureTick::failed;
  const auto all = run.sum(what, Duration(0), story.until);
  std::string out = label(kLeft - 8, top + 14, std::string(policy.name), "side");
  out += label(kLeft - 8, top + 30, number(all, "%.0f") + (slow ? " late" : " failed"), "summary");
  out += "<line x1=\"" + std::to_string(kLeft) + "\" y1=\"" + std::to_string(top + kHeight) + "\" x2=\"" +
         std::to_string(kLeft + kWidth) + "\" y2=\"" + std::to_string(top + kHeight) + "\" class=\"grid\"/>\n";
  out += bars(run, story, top);
  return out + curve(run, story.rate, top, &FailureTick::asked, "asked") + curve(run, story.rate, top, what, "failed");
}

std::string draw(const FailureStory& story) {
  const auto policies = balance::policies();
  const int lanes = static_cast<int>(policies.size());
  const int wide = kLeft + kWidth + 24;
  const int high = kTop + lanes * kLane + 24;
  const auto& title = titles().at(story.name);
  std::string out = "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" + std::to_string(wide) + "\" height=\"" +
                    std::to_string(high) + "\" viewBox=\"0 0 " + std::to_string(wide) + " " + std::to_string(high) +
                    "\" role=\"img\">\n<title>" + title + "</title>\n";
  out += R"(<style>
svg { background: #fff; }
text { font: 12px system-ui, sans-serif; fill: #24292f; }
.title { font-weight: 600; font-size: 14px; }
.tick, .summary, .note { fill: #57606a; }
.tick { text-anchor: middle; }
.side, .summary { text-anchor: end; }
.grid { stroke: #d0d7de; }
.out { fill: #9a6700; }
polyline { fill: none; stroke-width: 1.5; }
.asked { stroke: #57606a; stroke-width: 1; stroke-opacity: .5; }
.failed { stroke: #cf222e; }
@media (prefers-color-scheme: dark) {
  svg { background: #0d1117; }
  text { fill: #e6edf3; }
  .tick, .summary, .note { fill: #9198a1; }
  .grid { stroke: #30363d; }
  .out { fill: #d29922; }
  .asked { stroke: #9198a1; }
  .failed { stroke: #f85149; }
}
</style>
)";
  out += label(0, 16, title, "title");
  out += label(0, 36,
               number(story.rate, "%.0f") + " requests a second (grey); of those, by when they came, " +
                   (story.name == "slow" ? "answered more than ten times too late" : "failed") +
                   " (red); a failing server is out (yellow)",
               "note");
  int top = kTop;
  for (const auto* policy : policies) {
    out += lane(story, *policy, top);
    top += kLane;
  }
  for (Duration at{0}; at <= story.until; at += std::chrono::seconds(10))
    out += label(x_of(at, story.until), top + 12, number(static_cast<double>(at.count()) / 1e6, "%.0f s"), "tick");
  return out + "</svg>\n";
}

std::vector<Drawing> drawings() {
  std::vector<Drawing> out;
  for (const auto& story : failure_stories()) out.push_back({"servers_" + story.name, draw(story)});
  return out;
}

}  // namespace
}  // namespace headgate::test

int main(int count, char** words) {
  return headgate::test::write_or_compare(count, words, [] { return headgate::test::drawings(); });
}
