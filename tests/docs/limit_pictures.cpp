// Draws docs/pictures/*.svg: what each algorithm lets through of the same traffic, simulated with the real limiter on a
// virtual clock. `limit_pictures DIR` writes the pictures; `limit_pictures --check DIR` only compares them.

#include "drawings.hpp"

#include "headgate/core/hash.hpp"
#include "headgate/limit/algorithm.hpp"
#include "headgate/limit/memory_store.hpp"

#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

namespace headgate {
namespace {

using namespace std::chrono_literals;

constexpr Duration kLong = 40s;
constexpr Duration kPeriod = 10s;
constexpr std::uint64_t kCount = 20;
constexpr Instant kStart{std::chrono::seconds(1'795'238'400)};  // on the clock: a window of ten seconds begins here

struct Picture {
  const char* file;
  const char* algorithm;
  const char* title;
  std::uint64_t burst;  // 0: the algorithm's usual one
  Duration wait;
};

constexpr Picture kPictures[] = {
    {"token_bucket", "token_bucket", "token_bucket, 20/10s: a full bucket at once, then two a second", 0, 0s},
    {"token_bucket_small", "token_bucket", "token_bucket, 20/10s, burst 5: never more than five at once", 5, 0s},
    {"token_bucket_wait", "token_bucket",
     "token_bucket, 20/10s, burst 5, wait 2s: permits that come soon are waited for", 5, 2s},
    {"fixed_window", "fixed_window", "fixed_window, 20/10s: two windows' worth around a boundary", 0, 0s},
    {"sliding_window", "sliding_window", "sliding_window, 20/10s: the last ten seconds, estimated", 0, 0s},
    {"sliding_log", "sliding_log", "sliding_log, 20/10s: the last ten seconds, exactly", 0, 0s},
    {"leaky_bucket", "leaky_bucket", "leaky_bucket, 20/10s: one each half second, the rest rejected", 0, 0s},
    {"leaky_bucket_queue", "leaky_bucket", "leaky_bucket, 20/10s, wait 3s: one each half second, the rest queued", 0,
     3s},
};

/// A quiet start, a burst across a boundary of ten seconds, a pause, then twice the allowed rate.
std::vector<Duration> traffic() {
  std::vector<Duration> out;
  for (Duration at = 500ms; at < 8s; at += 1s) out.push_back(at);
  for (Duration at = 8'500ms; at < 11'500ms; at += 60ms) out.push_back(at);
  for (Duration at = 20s; at < kLong; at += 250ms) out.push_back(at);
  return out;
}

struct Request {
  Duration asked;
  bool allowed;
  Duration left;  // when it was let through
};

std::vector<Request> simulate(const limit::Rule& rule) {
  limit::MemoryStore store({.max_keys = 16});
  std::vector<Request> out;
  for (const auto at : traffic()) {
    const limit::Check check{&rule, "somebody", keyed_hash("somebody", rule.seed), 1, limit::How::take};
    limit::Decision decision;
    const bool allowed = store.decide({&check, 1}, kStart + at, {&decision, 1});
    out.push_back({at, allowed, at + decision.delay});
  }
  return out;
}

limit::Rule rule_of(const Picture& picture) {
  limit::Rule rule;
  rule.limit = "x";
  rule.rate = {kCount, kPeriod};
  rule.wait = picture.wait;
  rule.algorithm = limit::find_algorithm(picture.algorithm);
  rule.suffix = ":x";
  rule.burst = picture.burst != 0 ? picture.burst : rule.algorithm->default_burst(rule);
  return rule;
}

// Geometry, in pixels.
constexpr int kLeft = 96;
constexpr int kWidth = 640;
constexpr int kAskedAt = 52;
constexpr int kPassedAt = 92;
constexpr int kTick = 24;
constexpr int kCurveTop = 136;
constexpr int kCurveHeight = 96;
constexpr std::uint64_t kCurveMost = 45;

std::string number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f", value);
  return text;
}

double x_of(Duration at) {
  return kLeft + static_cast<double>(kWidth) * static_cast<double>(at.count()) / static_cast<double>(kLong.count());
}
double y_of(std::uint64_t count) {
  return kCurveTop + kCurveHeight * (1.0 - static_cast<double>(count) / static_cast<double>(kCurveMost));
}

std::string line(double x1, double y1, double x2, double y2, const char* look) {
  return "<line x1=\"" + number(x1) + "\" y1=\"" + number(y1) + "\" x2=\"" + number(x2) + "\" y2=\"" + number(y2) +
         "\" class=\"" + look + "\"/>\n";
}

std::string label(double x, double y, const std::string& text, const char* look) {
  return "<text x=\"" + number(x) + "\" y=\"" + number(y) + "\" class=\"" + look + "\">" + text + "</text>\n";
}

/// How many were let through in the ten seconds up to `at`.
std::uint64_t in_last_period(const std::vector<Request>& requests, Duration at) {
  return static_cast<std::uint64_t>(std::count_if(requests.begin(), requests.end(), [at](const auto& one) {
    return one.allowed && one.left <= at && one.left > at - kPeriod;
  }));
}

std::string curve(const std::vector<Request>& requests) {
  std::string points;
  for (Duration at{0}; at <= kLong; at += 100ms) {
    points += points.empty() ? "" : " ";
    points += number(x_of(at)) + "," + number(y_of(in_last_period(requests, at)));
  }
  return "<polyline points=\"" + points + "\" class=\"curve\"/>\n";
}

std::uint64_t most_in_a_period(const std::vector<Request>& requests) {
  std::uint64_t most = 0;
  for (const auto& one : requests)
    if (one.allowed) most = std::max(most, in_last_period(requests, one.left));
  return most;
}

std::string lanes(const std::vector<Request>& requests) {
  std::string out = label(0, kAskedAt + 16, "asked", "lane") + label(0, kPassedAt + 16, "let through", "lane");
  for (const auto& one : requests) {
    const double asked = x_of(one.asked);
    out += line(asked, kAskedAt, asked, kAskedAt + kTick, one.allowed ? "passed" : "rejected");
    if (!one.allowed) continue;
    const double left = x_of(one.left);
    if (one.left > one.asked) out += line(asked, kAskedAt + kTick, left, kPassedAt, "waits");
    out += line(left, kPassedAt, left, kPassedAt + kTick, "passed");
  }
  return out;
}

std::string axes() {
  std::string out;
  for (Duration at{0}; at <= kLong; at += kPeriod) {
    const auto text = std::to_string(at / 1s) + " s";
    out += line(x_of(at), kAskedAt - 6, x_of(at), kCurveTop + kCurveHeight, "grid");
    out += label(x_of(at), kCurveTop + kCurveHeight + 16, text, "tick");
  }
  out += line(kLeft, y_of(kCount), kLeft + kWidth, y_of(kCount), "limit");
  out += label(0, y_of(kCount) + 4, "limit: 20", "lane");
  out += label(0, kCurveTop + 8, "passed in", "lane") + label(0, kCurveTop + 24, "the last 10 s", "lane");
  return out;
}

std::string draw(const Picture& picture) {
  const auto rule = rule_of(picture);
  const auto requests = simulate(rule);
  const auto passed = std::count_if(requests.begin(), requests.end(), [](const auto& one) { return one.allowed; });
  const auto summary = std::to_string(passed) + " of " + std::to_string(requests.size()) + " let through, at most " +
                       std::to_string(most_in_a_period(requests)) + " in any ten seconds";
  const int width = kLeft + kWidth + 24;
  const int height = kCurveTop + kCurveHeight + 28;
  std::string out = "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" + std::to_string(width) + "\" height=\"" +
                    std::to_string(height) + "\" viewBox=\"0 0 " + std::to_string(width) + " " +
                    std::to_string(height) + "\" role=\"img\">\n<title>" + picture.title + ": " + summary +
                    "</title>\n";
  out += R"(<style>
svg { background: #fff; }
text { font: 12px system-ui, sans-serif; fill: #24292f; }
.title { font-weight: 600; font-size: 14px; }
.lane, .tick, .summary { fill: #57606a; }
.tick { text-anchor: middle; }
.passed { stroke: #0969da; stroke-width: 1.6; }
.rejected { stroke: #cf222e; stroke-width: 1.6; stroke-opacity: .55; }
.waits { stroke: #0969da; stroke-width: .7; stroke-opacity: .5; }
.grid { stroke: #d0d7de; }
.limit { stroke: #9a6700; stroke-dasharray: 4 3; }
.curve { fill: none; stroke: #0969da; stroke-width: 1.8; }
@media (prefers-color-scheme: dark) {
  svg { background: #0d1117; }
  text { fill: #e6edf3; }
  .lane, .tick, .summary { fill: #9198a1; }
  .passed, .waits, .curve { stroke: #4493f8; }
  .rejected { stroke: #f85149; }
  .grid { stroke: #30363d; }
  .limit { stroke: #d29922; }
}
</style>
)";
  out += label(0, 16, picture.title, "title") + label(0, 34, summary, "summary");
  return out + axes() + lanes(requests) + curve(requests) + "</svg>\n";
}

std::vector<test::Drawing> drawings() {
  std::vector<test::Drawing> out;
  for (const auto& picture : kPictures) out.push_back({picture.file, draw(picture)});
  return out;
}

}  // namespace
}  // namespace headgate

int main(int count, char** words) {
  return headgate::test::write_or_compare(count, words, [] { return headgate::drawings(); });
}
