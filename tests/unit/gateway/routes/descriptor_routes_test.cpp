// Tests which entry of `decide` a descriptor finds.

#include "headgate/gateway/compiled_config.hpp"
#include "headgate/gateway/descriptors/rate_limit_call.hpp"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

namespace headgate::gateway {
namespace {

using Pairs = std::vector<std::pair<std::string, std::string>>;

/// Matches with a route each; `find` returns the index of the route, or -1.
class DecidedDescriptors {
 public:
  explicit DecidedDescriptors(const std::vector<Pairs>& matches) : made_(matches.size()) {
    for (std::size_t i = 0; i < matches.size(); ++i)
      routes_.add({.domain = "d", .entries = matches[i], .rejects = false, .replaces = {}}, &made_[i]);
  }
  int find(const Pairs& entries, const std::string& domain = "d") const {
    const auto* const found = routes_.find(domain, {.entries = entries, .rate = {}, .hits = {}, .gives_back = false});
    return found == nullptr ? -1 : static_cast<int>(found - made_.data());
  }

 private:
  std::vector<Route> made_;
  DescriptorRoutes routes_;
};

TEST(DescriptorRoutes, PreferWholeValuesThenLongBeginningsThenTheFirst) {
  const DecidedDescriptors some({{{"a", "*"}, {"b", "*"}},
                                 {{"a", "x*"}, {"b", "*"}},
                                 {{"a", "xyz*"}, {"b", "*"}},
                                 {{"a", "*"}, {"b", "1"}},
                                 {{"a", "xyz"}, {"b", "*"}},
                                 {{"a", "xyz"}, {"b", "1"}},
                                 {{"a", "*"}, {"b", "12345"}}});
  EXPECT_EQ(some.find({{"a", "other"}, {"b", "2"}}), 0);
  EXPECT_EQ(some.find({{"a", "xy"}, {"b", "2"}}), 1);
  EXPECT_EQ(some.find({{"a", "xyzz"}, {"b", "2"}}), 2);
  EXPECT_EQ(some.find({{"a", "xyzz"}, {"b", "1"}}), 3) << "one whole value is before all beginnings";
  EXPECT_EQ(some.find({{"a", "xyz"}, {"b", "2"}}), 4);
  EXPECT_EQ(some.find({{"a", "xyz"}, {"b", "1"}}), 5);
  EXPECT_EQ(some.find({{"a", "xyz"}, {"b", "12345"}}), 4) << "a longer whole value is no longer beginning";
}

TEST(DescriptorRoutes, NeedExactlyTheirKeysAndTheirDomain) {
  const DecidedDescriptors some(std::vector<Pairs>{{{"a", "x"}, {"b", "*"}}});
  EXPECT_EQ(some.find({{"a", "x"}, {"b", ""}}), 0);
  EXPECT_EQ(some.find({{"a", "x"}}), -1);
  EXPECT_EQ(some.find({{"a", "x"}, {"b", "1"}, {"c", "1"}}), -1);
  EXPECT_EQ(some.find({{"a", "x"}, {"b", "1"}}, "e"), -1);
}

TEST(DescriptorRoutes, DoNotConfuseValuesThatAreWrittenTogether) {
  const DecidedDescriptors some({{{"a", "1:x"}, {"b", "y"}}, {{"a", "1"}, {"b", "x1:y"}}});
  EXPECT_EQ(some.find({{"a", "1:x"}, {"b", "y"}}), 0);
  EXPECT_EQ(some.find({{"a", "1"}, {"b", "x1:y"}}), 1);
  EXPECT_EQ(some.find({{"a", "1:"}, {"b", "xy"}}), -1);
}

TEST(DescriptorRoutes, MayHaveAKeySeveralTimes) {
  const DecidedDescriptors some(std::vector<Pairs>{{{"a", "x"}, {"a", "y"}}});
  EXPECT_EQ(some.find({{"a", "x"}, {"a", "y"}}), 0);
  EXPECT_EQ(some.find({{"a", "x"}}), -1);
  EXPECT_EQ(some.find({{"a", "x"}, {"a", "x"}}), -1);
}

TEST(DescriptorRoutes, FindEachOfTenThousandValues) {
  constexpr int kMany = 10'000;
  std::vector<Pairs> matches{{{"address", "*"}, {"path", "*"}}};
  for (int i = 0; i < kMany; ++i) matches.push_back({{"address", "*"}, {"path", '/' + std::to_string(i)}});
  const DecidedDescriptors many(matches);
  for (int i = 0; i < kMany; ++i)
    ASSERT_EQ(many.find({{"address", "192.0.2.1"}, {"path", '/' + std::to_string(i)}}), i + 1);
  EXPECT_EQ(many.find({{"address", "192.0.2.1"}, {"path", "/"}}), 0);
}

/// Returns what the documentation says, by comparing a descriptor with each match.
int by_comparing(const std::vector<Pairs>& matches, const Pairs& entries) {
  int best = -1;
  std::pair<std::size_t, std::size_t> best_rank;
  for (std::size_t i = 0; i < matches.size(); ++i) {
    bool all = matches[i].size() == entries.size();
    std::pair<std::size_t, std::size_t> rank;
    for (std::size_t at = 0; all && at < entries.size(); ++at) {
      const auto& pattern = matches[i][at].second;
      const bool whole = !pattern.ends_with('*');
      const auto beginning = pattern.substr(0, pattern.size() - 1);
      all = whole ? entries[at].second == pattern : entries[at].second.starts_with(beginning);
      whole ? ++rank.first : rank.second += beginning.size();
    }
    if (!all || (best >= 0 && rank <= best_rank)) continue;
    best = static_cast<int>(i);
    best_rank = rank;
  }
  return best;
}

TEST(DescriptorRoutes, FindTheSameAsAComparisonWithEach) {
  std::mt19937 random(7);
  const auto letters = [&] {
    std::string out;
    for (auto left = random() % 4; left > 0; --left) out += static_cast<char>('a' + random() % 2);
    return out;
  };
  int found = 0;
  for (int round = 0; round < 200; ++round) {
    std::vector<Pairs> matches;
    for (int i = 0; i < 20; ++i) {
      Pairs match;
      for (const auto* const key : {"a", "b", "c"}) match.emplace_back(key, letters() + (random() % 2 == 0 ? "*" : ""));
      matches.push_back(std::move(match));
    }
    const DecidedDescriptors some(matches);
    for (int i = 0; i < 50; ++i) {
      const Pairs entries{{"a", letters()}, {"b", letters()}, {"c", letters()}};
      const auto expected = by_comparing(matches, entries);
      ASSERT_EQ(some.find(entries), expected);
      found += expected >= 0 ? 1 : 0;
    }
  }
  EXPECT_GT(found, 1'000) << "the comparison tests matches, and not only their absence";
}

}  // namespace
}  // namespace headgate::gateway
