// Pages of the usage report: a fixed order, and cursors that neither skip nor repeat.

#include "headgate/services/usage_page.hpp"

#include "support/per.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <sstream>

namespace headgate::services {
namespace {

using UsageJson = nlohmann::json;

const limit::Day kDay = std::chrono::year(2026) / 11 / 22;

/// A ledger in memory, which reads as that in Redis does: some buckets at a time, no further than a lane.
class Shelf {
 public:
  void add(const std::string& field, limit::Use use) { buckets_[limit::bucket_of(field)][field] += use; }
  std::vector<limit::LedgerBucket> read(unsigned bucket, std::size_t most) const {
    std::vector<limit::LedgerBucket> out;
    std::size_t found = 0;
    const auto lane = limit::lane_of(bucket);
    for (; bucket < limit::kBuckets && limit::lane_of(bucket) == lane && (out.empty() || found < most); ++bucket) {
      auto& next = out.emplace_back(limit::LedgerBucket{.number = bucket, .uses = {}});
      if (const auto known = buckets_.find(bucket); known != buckets_.end())
        next.uses.assign(known->second.begin(), known->second.end());
      found += next.uses.size();
    }
    return out;
  }

 private:
  std::map<unsigned, std::map<std::string, limit::Use>> buckets_;
};

std::vector<UsageJson> page_of(const Shelf& shelf, const UsageQuestion& question) {
  UsagePage page(question);
  while (!page.done()) page.take(shelf.read(page.bucket(), page.lacks()));
  std::vector<UsageJson> out;
  std::istringstream lines(page.lines({}, true));
  for (std::string line; std::getline(lines, line);) out.push_back(UsageJson::parse(line));
  return out;
}

std::string name_of(const UsageJson& record) {
  return record.at("limit").get<std::string>() + ' ' + record.at("key").get<std::string>();
}

TEST(UsagePages, OfAnySizeFromAnyCursorAreTheWholeList) {
  std::mt19937 random(11);
  for (const int owners : {0, 1, 7, 500, 5000}) {
    Shelf shelf;
    for (int i = 0; i < owners; ++i)
      shelf.add((i % 3 == 0 ? "plan key-" : "daily key-") + std::to_string(i), {1 + random() % 100, 1});
    const auto whole = page_of(shelf, {.day = kDay, .limit = "", .after = {}, .count = 10'000});
    ASSERT_EQ(whole.size(), static_cast<std::size_t>(owners));
    for (int round = 0; round < 40 && owners > 0; ++round) {
      const auto from = random() % whole.size();
      UsageQuestion question{.day = kDay, .limit = "", .after = {}, .count = 1000};
      auto cursor = whole[from].at("cursor").get<std::string>();
      for (auto at = from + 1;;) {
        question.count = 1 + random() % (owners / 4 + 2);
        question.after = *read_cursor(question, cursor);
        const auto page = page_of(shelf, question);
        ASSERT_EQ(page.size(), std::min(question.count, whole.size() - at));
        for (const auto& record : page) ASSERT_EQ(record, whole[at++]);
        if (page.empty()) break;
        cursor = page.back().at("cursor");
      }
    }
  }
}

TEST(UsagePages, NeitherSkipNorRepeatWhileTheDayGoesOn) {
  std::mt19937 random(5);
  Shelf shelf;
  std::set<std::string> from_the_beginning;
  for (int i = 0; i < 2000; ++i) {
    shelf.add("plan old-" + std::to_string(i), {1, 1});
    from_the_beginning.insert("plan old-" + std::to_string(i));
  }
  UsageQuestion question{.day = kDay, .limit = "", .after = {}, .count = 50};
  std::set<std::string> seen;
  for (int added = 0;;) {
    const auto page = page_of(shelf, question);
    if (page.empty()) break;
    for (const auto& record : page) EXPECT_TRUE(seen.insert(name_of(record)).second) << "twice: " << record;
    question.after = *read_cursor(question, page.back().at("cursor").get<std::string>());
    for (int i = 0; i < 20; ++i) shelf.add("plan new-" + std::to_string(added++), {1, 1});
    for (int i = 0; i < 20; ++i) shelf.add("plan old-" + std::to_string(random() % 2000), {1, 1});
  }
  EXPECT_TRUE(std::includes(seen.begin(), seen.end(), from_the_beginning.begin(), from_the_beginning.end()));
}

TEST(UsagePages, MayHaveOneLimitAlone) {
  Shelf shelf;
  for (int i = 0; i < 300; ++i) shelf.add((i % 10 == 0 ? "plan k" : "other k") + std::to_string(i), {1, 1});
  UsageQuestion question{.day = kDay, .limit = "plan", .after = {}, .count = 7};
  std::size_t count = 0;
  for (;;) {
    const auto page = page_of(shelf, question);
    if (page.empty()) break;
    for (const auto& record : page) EXPECT_EQ(record.at("limit"), "plan");
    count += page.size();
    question.after = *read_cursor(question, page.back().at("cursor").get<std::string>());
  }
  EXPECT_EQ(count, 30u);
}

TEST(UsageCursor, IsOfOneReport) {
  const UsageQuestion question{.day = kDay, .limit = "plan", .after = {}, .count = 1};
  const std::string field("plan a\0\xff.|%", 11);
  const auto text = cursor_text(question, {1023, field});
  const auto read = read_cursor(question, text);
  ASSERT_TRUE(read);
  EXPECT_EQ(read->bucket, 1023u);
  EXPECT_EQ(read->field, field);
  auto other = question;
  other.limit = "";
  EXPECT_FALSE(read_cursor(other, text)) << "all limits";
  other = question;
  other.day += std::chrono::days(1);
  EXPECT_FALSE(read_cursor(other, text)) << "the next day";
  EXPECT_FALSE(read_cursor(question, cursor_text(question, {1024, field})));
  for (std::size_t i = 0; i < 20; ++i) EXPECT_FALSE(read_cursor(question, text.substr(0, i)));
  std::mt19937 random(1);
  for (int i = 0; i < 2000; ++i) {
    auto broken = text;
    broken[random() % broken.size()] = static_cast<char>(random());
    (void)read_cursor(question, broken);
  }
}

TEST(UsageRecord, WritesKeysOfAnyBytesAsJson) {
  Shelf shelf;
  shelf.add("plan M\xc3\xbcller \"&\" S\xc3\xb6hne", {18'446'744'073'709'551'615U, 2});
  shelf.add(std::string("plan \xff\0\n", 8), {1, 1});
  const auto page = page_of(shelf, {.day = kDay, .limit = "", .after = {}, .count = 10});
  std::map<std::string, UsageJson> by_key;
  for (const auto& record : page) by_key[record.at("key")] = record;
  EXPECT_EQ(by_key["M\xc3\xbcller \"&\" S\xc3\xb6hne"].at("used"), 18'446'744'073'709'551'615U);
  EXPECT_TRUE(by_key.contains(std::string("\xc3\xbf\0\n", 4))) << "no UTF-8: each byte stands for itself";
  EXPECT_EQ(page[0].at("day"), "2026-11-22");
  EXPECT_EQ(page[0].at("complete"), true);
}

TEST(UsageRecord, NamesTheOwnerOfAnApiKey) {
  config::Config config;
  config.identity.api_key.file = "keys.json";
  const auto limit = [&](const std::string& name, const std::vector<std::string>& per) {
    auto& made = config.limits.emplace_back();
    made.name = name;
    for (const auto& each : per) made.per.push_back(test::make_per(each));
  };
  limit("plan", {"api_key"});
  limit("both", {"route", "api_key"});
  limit("ip", {"client_ip"});
  EXPECT_EQ(owner_of(config, "plan", "acme|%7C"), "acme|%7C") << "one part is as it is";
  EXPECT_EQ(owner_of(config, "both", "/orders|acme%7C%25%2F"), "acme|%%2F");
  EXPECT_EQ(owner_of(config, "both", "~0123456789abcdef0123456789abcdef"), "") << "it was too long";
  EXPECT_EQ(owner_of(config, "plan",
                     "\x01"
                     "192.0.2.7"),
            "")
      << "a caller without an API key";
  EXPECT_EQ(owner_of(config, "ip", "192.0.2.7"), "");
  EXPECT_EQ(owner_of(config, "gone", "acme"), "");
  config.identity.api_key.file.clear();
  EXPECT_EQ(owner_of(config, "plan", "acme"), "") << "any text is a key";
}

}  // namespace
}  // namespace headgate::services
