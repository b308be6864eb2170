#include "support/observe_tables.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <set>
#include <string>

namespace headgate::observe {
namespace {

TEST(MetricsTable, IsTheMiddleOfTheDocumentation) {
  std::ifstream file(HEADGATE_SOURCE_DIR "/docs/metrics.md");
  const std::string page{std::istreambuf_iterator<char>(file), {}};
  EXPECT_NE(page.find("<!-- generated: begin -->\n" + test::metrics_in_words() + "<!-- generated: end -->"),
            std::string::npos)
      << "./dev docs reference writes it";
}

TEST(MetricsTable, NamesAreWhatPrometheusExpects) {
  const std::regex good("(headgate|process)_[a-z][a-z0-9_]*[a-z]");
  const std::regex unit(
      ".*_(seconds|bytes|info|total|counted|keys|requests|active|successful|up|fds|waiting|inside|limit|in_flight|"
      "queued|used|open|series|concurrency|reason|gateways|remaining|units)");
  std::set<std::string_view> seen;
  for (const auto* family : families()) {
    const std::string name(family->name);
    EXPECT_TRUE(std::regex_match(name, good)) << name;
    EXPECT_TRUE(std::regex_match(name, unit)) << name << " does not say what it counts";
    EXPECT_EQ(name.ends_with("_total"), family->type == Family::Type::counter) << name;
    EXPECT_TRUE(seen.insert(family->name).second) << name << " twice";
  }
}

TEST(MetricsTable, HelpIsOneLineAndAQueryAsksOfItsMetric) {
  for (const auto* family : families()) {
    EXPECT_FALSE(family->help.empty()) << family->name;
    EXPECT_EQ(family->help.find_first_of("\n\\"), std::string_view::npos) << family->name;
    EXPECT_FALSE(family->help.ends_with('.')) << family->name;
    EXPECT_NE(family->ask.find(family->name), std::string_view::npos) << family->name;
  }
}

TEST(MetricsTable, LabelsAreFewAndNeverWhatACallerCanChoose) {
  const std::set<std::string_view> known{
      "percent",  "server", "file",   "version", "reason",      "upstream", "layer",  "priority", "worker",
      "route",    "method", "code",   "limit",   "tier",        "decision", "source", "window",   "node",
      "result",   "kind",   "log",    "room",    "grpc_status", "event",    "commit", "listener", "subject",
      "severity", "bound",  "coding", "side",    "said",        "end",      "model"};  // only the names that the price
                                                                                       // file has
  for (const auto* family : families()) {
    for (std::size_t i = 0; i < family->label_count(); ++i)
      EXPECT_TRUE(known.contains(family->labels[i])) << family->name << " by " << family->labels[i];
  }
}

TEST(MetricsTable, BoundsRiseAndFitTheirCells) {
  for (const auto* family : families()) {
    EXPECT_EQ(family->bounds.empty(), family->type != Family::Type::histogram) << family->name;
    EXPECT_LE(family->bounds.size(), Histogram::kMaxBounds) << family->name;
    EXPECT_TRUE(std::is_sorted(family->bounds.begin(), family->bounds.end(), std::less_equal<>())) << family->name;
  }
}

std::string text_of(const std::string& file) {
  std::ifstream in(HEADGATE_SOURCE_DIR "/conf/" + file);
  return {std::istreambuf_iterator<char>(in), {}};
}

TEST(MetricsTable, HasEveryMetricThatAnAlertAsks) {
  const auto alerts = text_of("alerts.yml") + text_of("rules.yml");
  const std::regex name("headgate_[a-z_]+");
  std::set<std::string> known;
  for (const auto* family : families()) {
    known.emplace(family->name);
    if (family->type != Family::Type::histogram) continue;
    for (const auto* const part : {"_bucket", "_count", "_sum"}) known.insert(std::string(family->name) + part);
  }
  std::size_t asked = 0;
  for (std::sregex_iterator each(alerts.begin(), alerts.end(), name), end; each != end; ++each) {
    EXPECT_TRUE(known.contains(each->str())) << each->str();
    ++asked;
  }
  EXPECT_GT(asked, 8U);
}

TEST(MetricsTable, EveryAlertEndsWithWhatToType) {
  const auto alerts = text_of("alerts.yml");
  const std::string begin = "- alert: ";
  std::size_t seen = 0;
  for (auto at = alerts.find(begin); at != std::string::npos; ++seen) {
    const auto next = alerts.find(begin, at + 1);
    auto alert = alerts.substr(at, next == std::string::npos ? next : next - at);
    alert.resize(alert.find_last_not_of(" \n'") + 1);
    const auto name = alert.substr(0, alert.find('\n'));
    const auto type = alert.rfind(" Type: ");
    ASSERT_NE(type, std::string::npos) << name;
    const auto command = alert.substr(type + 7);
    EXPECT_FALSE(command.ends_with('.')) << name << ": " << command;
    EXPECT_EQ(command.find(". "), std::string::npos) << name << ": " << command;
    at = next;
  }
  EXPECT_GE(seen, 19U);
}

std::set<std::string> names_in(const std::string& text, const std::regex& name) {
  std::set<std::string> out;
  for (std::sregex_iterator each(text.begin(), text.end(), name), end; each != end; ++each) out.insert((*each)[1]);
  return out;
}

TEST(MetricsTable, EveryAlertHasARowThatSaysWhatToDo) {
  std::ifstream file(HEADGATE_SOURCE_DIR "/docs/operations.md");
  const std::string page{std::istreambuf_iterator<char>(file), {}};
  const auto alerts = names_in(text_of("alerts.yml"), std::regex("- alert: (\\w+)"));
  ASSERT_GT(alerts.size(), 18U);
  EXPECT_EQ(names_in(page, std::regex("\n\\| `(Headgate\\w+)` \\| (?:critical|warning|info) \\|")), alerts);
  EXPECT_EQ(names_in(page, std::regex("(Headgate[A-Z]\\w+)")), alerts);
}

TEST(MetricsTable, AlertsSpeakWhenTheyShould) {
  if (std::system("command -v promtool >/dev/null") != 0) GTEST_SKIP() << "no promtool on this machine";
  const std::string source = HEADGATE_SOURCE_DIR;
  EXPECT_EQ(std::system(("promtool check config " + source + "/conf/prometheus.yml >&2").c_str()), 0);
  // The rules are looked for beside the cases.
  std::string place = "/tmp/headgate-alerts-XXXXXX";
  ASSERT_NE(::mkdtemp(place.data()), nullptr);
  for (const auto* const file : {"/conf/rules.yml", "/conf/alerts.yml", "/tests/unit/observe/alerts_test.yml"})
    std::filesystem::copy(source + file, place);
  EXPECT_EQ(std::system(("cd " + place + " && promtool check rules rules.yml alerts.yml >&2").c_str()), 0);
  EXPECT_EQ(std::system(("promtool test rules " + place + "/alerts_test.yml >&2").c_str()), 0);
  std::filesystem::remove_all(place);
}

}  // namespace
}  // namespace headgate::observe
