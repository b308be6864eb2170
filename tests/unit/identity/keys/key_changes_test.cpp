// Changes of a key file's text: what gateways issue and revoke, beside what people wrote.
#include "headgate/identity/key_changes.hpp"

#include "headgate/core/hex.hpp"
#include "headgate/core/json_text.hpp"
#include "headgate/identity/key_record.hpp"
#include "headgate/identity/sha256.hpp"

#include <gtest/gtest.h>

namespace headgate::identity {
namespace {

const Instant kNoon = Instant(std::chrono::sys_days(std::chrono::year(2026) / 11 / 26)) + std::chrono::hours(12);

ApiKeyRecord issued(std::string_view key, std::string owner) {
  ApiKeyRecord out;
  out.owner = std::move(owner);
  out.digest = sha256(key);
  out.issued = kNoon;
  return out;
}

ChangedKeyFile changed(std::string_view json, const std::vector<ApiKeyRecord>& changes, Instant now = kNoon) {
  const auto out = change_key_file(json, changes, now);
  EXPECT_TRUE(out.has_value()) << to_text(out.error());
  return out.has_value() ? *out : ChangedKeyFile();
}

std::string hand(std::string_view key, const std::string& more = {}) {
  return R"({ "sha256": ")" + hex(sha256(key)) + R"(",  "owner": "hand")" + more + " }";
}

TEST(KeyRecord, IsTheSameWhenItIsReadAgain) {
  ApiKeyRecord record = issued("a", "acme");
  record.tier = "pro";
  record.tags = {"batch", "beta"};
  record.groups = {{"team", "search \"and\" find"}, {"organisation", "acme"}};
  record.expires = kNoon + std::chrono::hours(24);
  record.disabled = true;
  record.overrides = {{"plan", {{500, std::chrono::seconds(1)}}, 800},
                      {"daily", {}, std::nullopt},
                      {"two", {{5, std::chrono::seconds(1)}, {9, std::chrono::hours(1)}}, std::nullopt}};
  const auto read = read_record(record_text(record));
  ASSERT_TRUE(read) << record_text(record);
  EXPECT_EQ(*read, record) << record_text(record);
  const auto gone = revoked_at(record, kNoon + std::chrono::milliseconds(1500));
  EXPECT_EQ(gone.revoked, kNoon + std::chrono::seconds(1));
  EXPECT_TRUE(gone.overrides.empty());
  EXPECT_EQ(read_record(record_text(gone)), gone);
  EXPECT_EQ(revoked_at(gone, kNoon + std::chrono::hours(9)), gone) << "it stays as it was revoked first";
}

TEST(KeyRecord, IsNotReadIfItIsAnythingElse) {
  const auto text = record_text(issued("a", "acme"));
  EXPECT_TRUE(read_record(text));
  EXPECT_FALSE(read_record(text + ", " + record_text(issued("b", "acme"))));
  EXPECT_FALSE(read_record(text + "]}"));
  EXPECT_FALSE(read_record(""));
  EXPECT_FALSE(read_record(text + std::string(kLongestRecord, ' ')));
}

TEST(KeyRecord, IsNamedByTheBeginningOfItsDigest) {
  const auto digest = sha256("a");
  const auto id = id_of(digest);
  EXPECT_TRUE(is_id(id));
  EXPECT_TRUE(same_id(digest, named_by(id))) << id;
  EXPECT_FALSE(same_id(sha256("b"), named_by(id)));
  for (const char* other : {"", "0123456789abcde", "0123456789abcdeF", "0123456789abcdefa", "0123456789abcdeg"})
    EXPECT_FALSE(is_id(other)) << other;
}

TEST(KeyRecord, IsPastOnlyIfForgettingItDoesNoHarm) {
  auto record = issued("a", "acme");
  const auto later = kNoon + std::chrono::hours(24 * 4000);
  EXPECT_FALSE(is_past(record, later));
  record.revoked = kNoon;
  EXPECT_FALSE(is_past(record, later)) << "somewhere it may still be known as a good one";
  record.expires = kNoon + std::chrono::hours(24);
  EXPECT_TRUE(is_past(record, later));
  record.issued.reset();
  EXPECT_FALSE(is_past(record, later)) << "the key may stand in the configuration, too";
}

TEST(KeyRecord, MayExpireAtTheEndOfTheLastDay) {
  const auto text = R"({"sha256": ")" + hex(sha256("a")) + R"(", "owner": "acme", "expires": ")";
  for (const char* last : {"9999-12-31", "9999-12-31T23:59:59-23:00"}) {
    const auto record = read_record(text + last + "\"}");
    ASSERT_TRUE(record);
    EXPECT_TRUE(read_record(record_text(*record))) << record_text(*record);
    EXPECT_TRUE(read_record(record_text(revoked_at(*record, kNoon))));
  }
}

TEST(ChangedKeyFile, KeepsWhatPeopleWroteAsItIsWritten) {
  const std::string before =
      "{\n\t\"keys\" : [\n\t\t" + hand("1", R"(, "note": "a ] and a } in it")") + ",\n\n  " + hand("2") + "]\n}\n";
  const auto key = issued("3", "acme");
  const auto out = changed(before, {key});
  EXPECT_EQ(out.text, "{\n\t\"keys\" : [\n\t\t" + hand("1", R"(, "note": "a ] and a } in it")") + ",\n\n  " +
                          hand("2") + ",\n    " + record_text(key) + "]\n}\n");
  EXPECT_EQ(out.keys, 3U);
  EXPECT_EQ(out.known_before, std::vector<bool>{false});
}

TEST(ChangedKeyFile, MayHaveBeenEmpty) {
  const auto key = issued("3", "acme");
  for (const char* before : {R"({"keys": []})", "{\"keys\": [\n  ]\n}", "{\n  \"keys\": []\n}\n"}) {
    const auto out = changed(before, {key, issued("4", "bolt")});
    EXPECT_EQ(out.keys, 2U) << out.text;
    EXPECT_EQ(changed(out.text, {key}).text, out.text) << "it has it";
  }
}

TEST(ChangedKeyFile, SaysOfARevokedKeyThatItIsAndNothingElse) {
  const auto first = hand("1");
  const auto last = hand("3");
  const std::string key = R"({"sha256": ")" + hex(sha256("2")) + R"(", "owner": "hand", "note": "Kim }",)" + "\n  " +
                          R"("limits": {"plan": {"rate": "5/second"}})";
  const auto whole = [&](const std::string& of_key) {
    return R"({"keys": [)" + first + ", " + of_key + ", " + last + "]}";
  };
  auto record = issued("2", "hand");
  record.issued.reset();
  const auto gone = revoked_at(record, kNoon);
  const auto out = changed(whole(key + "\n  }"), {gone});
  EXPECT_EQ(out.text, whole(key + R"(, "revoked": "2026-11-26T12:00:00Z" })"));
  EXPECT_EQ(out.known_before, std::vector<bool>{true});
  const auto again = changed(out.text, {issued("2", "hand"), gone});
  EXPECT_EQ(again.text, out.text) << "it stays revoked, whoever says that it was issued";
  EXPECT_FALSE(again.changed);
}

TEST(ChangedKeyFile, HasTheEndOfAKeyThatItNeverHad) {
  const auto gone = revoked_at(issued("9", "acme"), kNoon);
  const auto out = changed(R"({"keys": []})", {issued("9", "acme"), gone});
  EXPECT_EQ(out.keys, 1U);
  EXPECT_NE(out.text.find("\"revoked\""), out.text.npos) << out.text;
}

TEST(ChangedKeyFile, LosesWhatNobodyNeedsAnyMore) {
  auto expired = issued("1", "acme");
  expired.expires = kNoon + std::chrono::hours(1);
  const auto gone = revoked_at(expired, kNoon);
  const auto by_hand = hand("3", R"(, "expires": "2020-01-01")");
  const auto news = issued("4", "acme");
  const auto late = kNoon + std::chrono::hours(24 * 33);
  for (const auto& old : {expired, gone}) {
    const std::string before = R"({"keys": [)" + record_text(old) + ", " + by_hand + "]}";
    EXPECT_EQ(changed(before, {news}).keys, 3U);
    EXPECT_EQ(changed(before, {news}, late).text, R"({"keys": [)" + by_hand + ",\n    " + record_text(news) + "]}");
    const auto none = changed(R"({"keys": [)" + record_text(old) + "]}", {news}, late);
    EXPECT_EQ(none.text, R"({"keys": [)" + record_text(news) + "]}");
  }
}

TEST(ChangedKeyFile, IsNotMadeOfAFileWithMistakes) {
  const auto out = change_key_file(R"({"keys": [{"sha256": "12"}]})", std::vector{issued("1", "acme")}, kNoon);
  ASSERT_TRUE(out.has_error());
  EXPECT_EQ(out.error().pointer, "/keys/0/sha256");
}

}  // namespace
}  // namespace headgate::identity
