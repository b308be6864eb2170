// Tests that imported rules of Envoy's rate limit service decide about descriptors as the service does.

#include "imported_text.hpp"

#include "headgate/gateway/compiled_config.hpp"
#include "headgate/gateway/descriptors/rate_limit_call.hpp"

#include <array>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace headgate::translate {
namespace {

using Entries = std::vector<std::pair<std::string, std::string>>;

/// The imported file, and the entry of "decide" for each descriptor.
class Decisions {
 public:
  explicit Decisions(const Translated& got) : loaded_(config::load(got.text)) {
    EXPECT_TRUE(loaded_.config.has_value()) << got.text;
    if (!loaded_.config) return;
    const auto& all = loaded_.config->gateway.routes;
    made_ = std::vector<gateway::Route>(all.size());
    for (std::size_t i = 0; i < all.size(); ++i)
      if (all[i].descriptor) routes_.add(*all[i].descriptor, &made_[i]);
  }
  /// Returns "free", "reject", or the rates and keys of the limits: "5/60s by descriptor:a".
  std::string of(Entries entries, const std::string& domain = "edge") const {
    std::ranges::sort(entries);
    const auto* const found = routes_.find(domain, {.entries = entries, .rate = {}, .hits = {}, .gives_back = false});
    if (found == nullptr) return "free";
    const auto& route = loaded_.config->gateway.routes[static_cast<std::size_t>(found - made_.data())];
    if (route.descriptor->rejects) return "reject";
    std::string out;
    for (const auto& use : route.limits)
      for (const auto& limit : loaded_.config->limits)
        if (limit.name == use.limit) out += in_words(limit);
    return out.empty() ? "free" : out;
  }

 private:
  static std::string in_words(const limit::Limit& limit) {
    const auto& rate = limit.tiers.front().rules.front().rate;
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(rate.period).count();
    std::string out = std::to_string(rate.count) + '/' + std::to_string(seconds) + "s by";
    for (const auto& per : limit.per) out += ' ' + std::string(per.source->word) + per.name;
    return out + (limit.mode == limit::Mode::observe ? " observed" : "");
  }

  config::Loaded loaded_;
  std::vector<gateway::Route> made_;
  gateway::DescriptorRoutes routes_;
};

class RateLimitText : public ImportedText {
 protected:
  Translated with(const std::string& descriptors) const {
    return of("config.yaml", "domain: edge\ndescriptors:\n" + descriptors);
  }
  static bool is_said(const Translated& got, Matter matter, const std::string& what, const std::string& why = {}) {
    return std::ranges::any_of(got.remarks, [&](const Remark& each) {
      return each.matter == matter && each.what == what && each.why.find(why) != std::string::npos;
    });
  }
};

constexpr auto kFiveAMinute = "rate_limit: { unit: minute, requests_per_unit: 5 }";

TEST_F(RateLimitText, CountsByTheValuesThatAreNotWritten) {
  const auto got = with(std::string("  - key: a\n    value: x\n    descriptors:\n      - key: b\n        ") +
                        kFiveAMinute + "\n      - key: c\n        value: y\n        " + kFiveAMinute + "\n");
  const Decisions decisions(got);
  EXPECT_EQ(decisions.of({{"a", "x"}, {"b", "7"}}), "5/60s by descriptor:b");
  EXPECT_EQ(decisions.of({{"a", "x"}, {"c", "y"}}), "5/60s by total");
  EXPECT_EQ(decisions.of({{"a", "x"}}), "free") << "a rule counts only descriptors with all of its keys";
  EXPECT_EQ(decisions.of({{"a", "x"}, {"b", "7"}, {"c", "y"}}), "free");
  EXPECT_EQ(decisions.of({{"a", "x"}, {"b", "7"}}, "elsewhere"), "free");
  EXPECT_TRUE(got.complete());
  EXPECT_TRUE(has(got, R"("algorithm": "fixed_window")"));
}

TEST_F(RateLimitText, CountsABeginningByItsValuesUnlessTheyShare) {
  const auto got = with(std::string("  - key: a\n    value: x*\n    ") + kFiveAMinute +
                        "\n  - key: b\n    value: x*\n" + "    share_threshold: true\n    " + kFiveAMinute + "\n");
  const Decisions decisions(got);
  EXPECT_EQ(decisions.of({{"a", "xy"}}), "5/60s by descriptor:a");
  EXPECT_EQ(decisions.of({{"b", "xy"}}), "5/60s by total");
  EXPECT_EQ(decisions.of({{"b", "y"}}), "free");
}

TEST_F(RateLimitText, GivesValuesWithTheSameRateOneLimit) {
  std::string rules;
  for (int i = 0; i < 3'000; ++i)
    rules += "  - key: a\n    value: x" + std::to_string(i) + "\n    " + kFiveAMinute + "\n";
  const auto got = with(rules + "  - key: a\n    value: y\n    rate_limit: { unit: hour, requests_per_unit: 5 }\n");
  const Decisions decisions(got);
  EXPECT_EQ(decisions.of({{"a", "x0"}}), "5/60s by descriptor:a");
  EXPECT_EQ(decisions.of({{"a", "x2999"}}), "5/60s by descriptor:a");
  EXPECT_EQ(decisions.of({{"a", "y"}}), "5/3600s by total");
}

TEST_F(RateLimitText, KeepsFreeRejectedAndObservedEntries) {
  const Decisions decisions(with(std::string("  - key: a\n    ") + kFiveAMinute +
                                 "\n  - { key: a, value: free, rate_limit: { unlimited: true } }\n"
                                 "  - { key: a, value: plain }\n"
                                 "  - { key: a, value: bad, rate_limit: { unit: day, requests_per_unit: 0 } }\n"
                                 "  - key: b\n    shadow_mode: true\n    " +
                                 kFiveAMinute + "\n"));
  EXPECT_EQ(decisions.of({{"a", "other"}}), "5/60s by descriptor:a");
  EXPECT_EQ(decisions.of({{"a", "free"}}), "free");
  EXPECT_EQ(decisions.of({{"a", "plain"}}), "free");
  EXPECT_EQ(decisions.of({{"a", "bad"}}), "reject");
  EXPECT_EQ(decisions.of({{"b", "1"}}), "5/60s by descriptor:b observed");
}

TEST_F(RateLimitText, KnowsTheLengthOfEachUnit) {
  constexpr std::array<std::pair<const char*, long>, 7> kUnits{{{"second", 1},
                                                                {"MINUTE", 60},
                                                                {"hour", 3'600},
                                                                {"Day", 86'400},
                                                                {"week", 7 * 86'400},
                                                                {"month", 30 * 86'400},
                                                                {"year", 365 * 86'400}}};
  for (const auto& [unit, seconds] : kUnits) {
    const Decisions decisions(
        with("  - key: a\n    rate_limit: { unit: " + std::string(unit) + ", requests_per_unit: 4294967295 }\n"));
    EXPECT_EQ(decisions.of({{"a", "1"}}), "4294967295/" + std::to_string(seconds) + "s by descriptor:a");
  }
}

TEST_F(RateLimitText, ReplacesTheLimitsOfTheName) {
  const auto got = with(
      "  - key: a\n    rate_limit: { unit: second, requests_per_unit: 5, name: slow }\n"
      "  - key: b\n    rate_limit: { unlimited: true, replaces: [{ name: slow }, { name: none }] }\n");
  EXPECT_TRUE(has(got, R"({ "domain": "edge", "match": { "b": "*" }, "limits": [], "replaces": ["slow"] })"));
  EXPECT_TRUE(is_said(got, Matter::differs, "replaces: none"));
}

TEST_F(RateLimitText, RejectsWhatItDoesNotUnderstand) {
  const auto got = with(
      "  - key: a\n    rate_limit: { unit: fortnight, requests_per_unit: 5 }\n"
      "  - key: b\n    rate_limit: { unit: day, requests_per_unit: many }\n"
      "  - key: c\n    window: sliding\n    rate_limit: { unit: day, requests_per_unit: 5 }\n"
      "  - key: d\n    rate_limit: { unit: day, requests_per_unit: 5, burst: 7 }\n"
      "  - key: e\n    window: sliding\n    descriptors:\n"
      "      - { key: f, rate_limit: { unit: day, requests_per_unit: 5 } }\n");
  const Decisions decisions(got);
  for (const auto* const key : {"a", "b", "c", "d"}) EXPECT_EQ(decisions.of({{key, "1"}}), "reject") << key;
  EXPECT_EQ(decisions.of({{"e", "1"}, {"f", "1"}}), "reject");
  for (const auto* const what : {"key: a", "key: b", "window", "burst"})
    EXPECT_TRUE(is_said(got, Matter::closed, what)) << what;
  EXPECT_FALSE(got.complete());
}

TEST_F(RateLimitText, SaysWhichDescriptorsItCannotMatch) {
  const std::string rate = std::string(", ") + "rate_limit: { unit: day, requests_per_unit: 5 } }\n";
  const auto got = with("  - { key: a, value: x*y" + rate + "  - { key: b, descriptors: [{ key: c" +
                        rate.substr(0, rate.size() - 1) + "] }\n  - { key: c, descriptors: [{ key: b" +
                        rate.substr(0, rate.size() - 1) + "] }\n  - { key: d, descriptors: [{ key: d" +
                        rate.substr(0, rate.size() - 1) + "] }\n  - { value: x" + rate);
  EXPECT_TRUE(is_said(got, Matter::lost, "key: a, value: x*y", "beginnings"));
  EXPECT_TRUE(is_said(got, Matter::lost, "c, b", "order"));
  EXPECT_TRUE(is_said(got, Matter::lost, "d, d", "several times"));
  EXPECT_TRUE(is_said(got, Matter::lost, "key: , value: x", "refuses"));
  EXPECT_EQ(Decisions(got).of({{"b", "1"}, {"c", "1"}}), "5/86400s by descriptor:b descriptor:c");
  EXPECT_FALSE(got.complete());
}

TEST_F(RateLimitText, MatchesAKeySeveralTimes) {
  const Decisions decisions(
      with(std::string("  - key: a\n    value: x\n    descriptors:\n      - key: a\n        value: y\n        ") +
           kFiveAMinute + "\n"));
  EXPECT_EQ(decisions.of({{"a", "x"}, {"a", "y"}}), "5/60s by total");
  EXPECT_EQ(decisions.of({{"a", "x"}}), "free");
}

TEST_F(RateLimitText, SaysWhatTheServiceNeverApplies) {
  const auto got = with(std::string("  - key: a\n    value: x*\n    ") + kFiveAMinute +
                        "\n  - key: a\n    value: xy*\n    rate_limit: { unit: day, requests_per_unit: 1 }\n");
  EXPECT_EQ(Decisions(got).of({{"a", "xyz"}}), "5/60s by descriptor:a") << "the first beginning in the file counts";
  EXPECT_TRUE(is_said(got, Matter::aside, "a=xy*"));
}

TEST_F(RateLimitText, ReadsSeveralFilesOfOneDomain) {
  std::ofstream(folder() + "/a.yaml") << "domain: edge\ndescriptors:\n  - key: a\n    " << kFiveAMinute << '\n';
  std::ofstream(folder() + "/b.yaml") << "domain: edge\ndescriptors:\n  - key: b\n    " << kFiveAMinute
                                      << "\n---\ndomain: more\ndescriptors: []\n";
  std::ofstream(folder() + "/c.yaml") << "domain: other\ndescriptors:\n  - key: a\n    " << kFiveAMinute << '\n';
  const auto got = translate(folder(), std::nullopt);
  ASSERT_TRUE(got.has_value()) << got.error().message;
  const Decisions decisions(*got);
  EXPECT_EQ(decisions.of({{"a", "1"}}), "5/60s by descriptor:a");
  EXPECT_EQ(decisions.of({{"b", "1"}}), "5/60s by descriptor:b");
  EXPECT_EQ(decisions.of({{"a", "1"}}, "other"), "5/60s by descriptor:a");
  EXPECT_TRUE(is_said(*got, Matter::aside, "---"));
}

/// A rule of the service, as a comparison of its own.
struct TreeRule {
  std::string value;  // of the key of its depth; empty for every value
  long rate = 0;      // 0: none
  std::vector<TreeRule> below;
};

/// Returns the rate that the service applies: it looks at one key after another and never goes back.
long rate_in_tree(const std::vector<TreeRule>& rules, const std::vector<std::string>& values, std::size_t depth = 0) {
  const TreeRule* whole = nullptr;
  const TreeRule* beginning = nullptr;
  const TreeRule* any = nullptr;
  for (const auto& each : rules) {
    const bool is_beginning = each.value.ends_with('*');
    if (each.value == values[depth] && !each.value.empty() && whole == nullptr) whole = &each;
    if (is_beginning && values[depth].starts_with(each.value.substr(0, each.value.size() - 1)) && beginning == nullptr)
      beginning = &each;
    if (each.value.empty() && any == nullptr) any = &each;
  }
  const auto* const found = whole != nullptr ? whole : beginning != nullptr ? beginning : any;
  if (found == nullptr) return 0;
  return depth + 1 == values.size() ? found->rate : rate_in_tree(found->below, values, depth + 1);
}

std::string in_yaml(const std::vector<TreeRule>& rules, std::size_t depth = 0) {
  std::string out;
  for (const auto& each : rules) {
    out += std::string(out.empty() ? "" : ", ") + "{ key: k" + std::to_string(depth);
    if (!each.value.empty()) out += ", value: \"" + each.value + '"';
    if (each.rate > 0) out += ", rate_limit: { unit: second, requests_per_unit: " + std::to_string(each.rate) + " }";
    if (!each.below.empty()) out += ", descriptors: " + in_yaml(each.below, depth + 1);
    out += " }";
  }
  return '[' + out + ']';
}

TEST_F(RateLimitText, DecidesLikeTheServiceWhateverTheRules) {
  constexpr std::array<const char*, 6> kValues{"", "x", "xy", "x*", "xy*", "y"};
  constexpr std::array<const char*, 5> kAsked{"x", "xy", "xyz", "y", "z"};
  std::mt19937 random(11);
  int limited = 0;
  for (int round = 0; round < 60; ++round) {
    long rate = 0;
    const auto make = [&](auto& self, int depth) -> std::vector<TreeRule> {
      std::vector<TreeRule> out;
      auto values = kValues;
      std::ranges::shuffle(values, random);
      for (std::size_t i = 0; i < 1 + random() % 4; ++i) {
        TreeRule rule{.value = values[i], .rate = random() % 3 > 0 ? ++rate : 0, .below = {}};
        if (depth > 0 && random() % 3 > 0) rule.below = self(self, depth - 1);
        out.push_back(std::move(rule));
      }
      return out;
    };
    const auto tree = make(make, 2);
    const auto got = of("config.yaml", "domain: edge\ndescriptors: " + in_yaml(tree) + "\n");
    const Decisions decisions(got);
    for (std::size_t depth = 1; depth <= 3; ++depth)
      for (int i = 0; i < 40; ++i) {
        std::vector<std::string> values;
        Entries entries;
        for (std::size_t at = 0; at < depth; ++at) {
          values.emplace_back(kAsked[random() % kAsked.size()]);
          entries.emplace_back('k' + std::to_string(at), values.back());
        }
        const auto expected = rate_in_tree(tree, values);
        const auto decision = decisions.of(entries);
        ASSERT_EQ(decision.substr(0, decision.find('/')), expected == 0 ? "free" : std::to_string(expected))
            << in_yaml(tree) << '\n'
            << testing::PrintToString(values) << '\n'
            << got.text;
        limited += expected > 0 ? 1 : 0;
      }
  }
  EXPECT_GT(limited, 1'000);
}

}  // namespace
}  // namespace headgate::translate
