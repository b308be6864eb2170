// Key files: their content, and their mistakes.

#include "headgate/identity/api_keys.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace headgate::identity {
namespace {

using std::chrono::sys_days;
using std::chrono::year;

const std::string kDigest = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08";  // of "test"

/// A file of one key that has `members` besides its digest and owner.
std::string with(const std::string& members) {
  return R"({"keys": [{"sha256": ")" + kDigest + R"(", "owner": "acme", )" + members + "}]}";
}

ApiKeyRecord only_key(const std::string& json) {
  auto read = read_api_keys(json);
  if (read.has_error() || read->size() != 1) {
    ADD_FAILURE() << (read.has_error() ? to_text(read.error()) : "not one key") << " in " << json;
    return {};
  }
  return std::move(read->front());
}

JsonMistake mistake_in(const std::string& json) {
  auto read = read_api_keys(json);
  if (read.has_error()) return read.error();
  ADD_FAILURE() << "accepted: " << json;
  return {};
}

std::string numbered_digest(std::size_t number) {
  std::string text = std::to_string(number);
  return std::string(64 - text.size(), '0') + text;
}

std::string file_of(std::size_t count) {
  std::string json = R"({"keys": [)";
  for (std::size_t i = 0; i < count; ++i) {
    json += (i == 0 ? "" : ",") + (R"({"sha256":")" + numbered_digest(i)) + R"(","owner":"o"})";
  }
  return json + "]}";
}

TEST(KeyFile, MayHoldNoKeyAtAll) {
  EXPECT_TRUE(read_api_keys(R"({"keys": []})")->empty());
  EXPECT_TRUE(read_api_keys(" {\r\n\t\"keys\" : [ ] } \n")->empty());
}

TEST(KeyFile, ReadsAllMembersOfAKey) {
  const auto key = only_key(with(R"("tier": "pro", "expires": "2027-01-31T00:00:00Z", "disabled": true,
      "note": "for the \u00dcbergang, until they move",
      "limits": {"partner": {"rate": "500/second", "burst": 1000}, "daily": {"rate": ["10/minute", "200/day"]},
                 "free": "unlimited", "plain": "7/hour", "open": {"rate": "unlimited"}, "quota": "5000/month"})"));
  EXPECT_EQ(key.digest, sha256("test"));
  EXPECT_EQ(key.owner, "acme");
  EXPECT_EQ(key.tier, "pro");
  EXPECT_EQ(key.expires, Instant(sys_days(year(2027) / 1 / 31)));
  EXPECT_TRUE(key.disabled);
  const std::vector<RateOverride> overrides{{"partner", {*parse_rate("500/second")}, 1000},
                                            {"daily", {*parse_rate("10/minute"), *parse_rate("200/day")}, {}},
                                            {"free", {}, {}},
                                            {"plain", {*parse_rate("7/hour")}, {}},
                                            {"open", {}, {}},
                                            {"quota", {*parse_rate("5000/month")}, {}}};
  EXPECT_EQ(key.overrides, overrides);
}

TEST(KeyFile, ReadsTheGroupsOfAKey) {
  const auto key = only_key(with(R"("groups": {"team": "search & \u0066ind", "organisation": "acme"})"));
  EXPECT_EQ(key.groups, (KeyGroups{{"team", "search & find"}, {"organisation", "acme"}}));
  EXPECT_EQ(key.group("organisation"), "acme");
  EXPECT_EQ(key.group("Team"), "");
  EXPECT_EQ(only_key(with(R"("groups": {"t": ")" + std::string(256, 'x') + "\"}")).group("t").size(), 256U);
}

TEST(KeyFile, HasAtMostSixteenGroupsForAKey) {
  std::string groups = R"("groups": {"0": "x")";
  for (int i = 1; i < 16; ++i) groups += ", \"" + std::to_string(i) + R"(": "x")";
  EXPECT_EQ(only_key(with(groups + '}')).groups.size(), 16U);
  EXPECT_EQ(mistake_in(with(groups + R"(, "16": "x"})")).message, "a key has at most 16 groups");
}

TEST(KeyFile, NeedsOnlyDigestAndOwner) {
  const auto key = only_key(R"({"keys":[{"owner":"a-B_9.z","sha256":")" + kDigest + "\"}]}");
  ApiKeyRecord expected;
  expected.owner = "a-B_9.z";
  expected.digest = sha256("test");
  EXPECT_EQ(key, expected);
}

TEST(KeyFile, TakesDigestsInEitherCase) {
  std::string upper = kDigest;
  std::transform(upper.begin(), upper.end(), upper.begin(),
                 [](char c) { return c >= 'a' ? static_cast<char>(c - 'a' + 'A') : c; });
  EXPECT_EQ(only_key(R"({"keys":[{"owner":"a","sha256":")" + upper + "\"}]}").digest, sha256("test"));
}

TEST(KeyFile, KeepsTheOrderAndSeveralKeysOfOneOwner) {
  const auto keys = *read_api_keys(file_of(3));
  ASSERT_EQ(keys.size(), 3U);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(keys[i].digest.back(), i);
    EXPECT_EQ(keys[i].owner, "o");
  }
}

TEST(KeyFile, ReadsNamesByWhatTheySayAndNotByHowTheyAreWritten) {
  EXPECT_EQ(only_key(with(R"("\u0074ier": "p\u0072o")")).tier, "pro");
  EXPECT_EQ(mistake_in(with(R"("\u006fwner": "other")")).message, "this member stands twice");
}

TEST(KeyFileError, SaysLineColumnAndPointer) {
  const auto error = mistake_in("{\n  \"keys\": [\n    {},\n    {}\n  ]\n}");
  EXPECT_EQ(error.line, 3U);
  EXPECT_EQ(error.column, 5U);
  EXPECT_EQ(error.pointer, "/keys/0");
  EXPECT_EQ(error.message, "\"sha256\" is missing here");
}

TEST(KeyFileError, PointsAtTheValueThatIsWrong) {
  struct Case {
    std::string members;
    std::string at;  // where the text begins that is pointed at
    std::string pointer;
    std::string message;
  };
  const std::string at_rate = "/keys/0/limits/a/rate";
  for (const auto& [members, at, pointer, message] : std::vector<Case>{
           {R"("tier": 5)", "5", "/keys/0/tier", "expected a text, found a number"},
           {R"("tier": "")", R"(""})", "/keys/0/tier", "a tier's name has 1 to 64 letters"},
           {R"("tier": "a b")", R"("a b")", "/keys/0/tier", "a tier's name has 1 to 64 letters"},
           {R"("expires": "2027-02-30")", R"("2027)", "/keys/0/expires", "neither a date nor a moment"},
           {R"("expires": 1800000000)", "18", "/keys/0/expires", "expected a text, found a number"},
           {R"("groups": ["a"])", "[\"a", "/keys/0/groups", "expected an object, found a list"},
           {R"("groups": {"": "a"})", "\"\":", "/keys/0/groups", "a group's name has 1 to 128"},
           {R"("groups": {"a b": "a"})", "\"a b", "/keys/0/groups", "a group's name has 1 to 128"},
           {R"("groups": {"team": 5})", "5}", "/keys/0/groups/team", "expected a text, found a number"},
           {R"("groups": {"team": ""})", "\"\"}", "/keys/0/groups/team", "a group has 1 to 256 bytes"},
           {R"("groups": {"team": "a\u0001"})", "\"a\\u", "/keys/0/groups/team", "no control characters"},
           {R"("groups": {"a": "b", "a": "c"})", "\"a\": \"c", "/keys/0/groups", "stands twice"},
           {R"("disabled": "yes")", R"("yes")", "/keys/0/disabled", "expected true or false, found a text"},
           {R"("disabled": truth)", "truth", "/keys/0/disabled", "expected true or false"},
           {R"("disabled": null)", "null", "/keys/0/disabled", "expected true or false, found null"},
           {R"("note": ["x"])", "[\"x", "/keys/0/note", "expected a text, found a list"},
           {R"("limits": "unlimited")", "\"unl", "/keys/0/limits", "expected an object, found a text"},
           {R"("limits": {"a": 5})", "5}", "/keys/0/limits/a", "expected a rate or an object, found a number"},
           {R"("limits": {"a b": "5/s"})", "\"a b", "/keys/0/limits", "a limit's name has 1 to 64"},
           {R"("limits": {"a": "5/fortnight"})", "\"5/f", "/keys/0/limits/a", "this is not a rate"},
           {R"("limits": {"a": {}})", "{}", "/keys/0/limits/a", "\"rate\" is missing"},
           {R"("limits": {"a": {"rate": []}})", "[]", at_rate, "a list of rates needs at least one"},
           {R"("limits": {"a": {"rate": ["5/s", "unlimited"]}})", "\"unl", at_rate + "/1", "this is not a rate"},
           {R"("limits": {"a": {"rate": ["5/s", "6/second"]}})", "\"6", at_rate + "/1", "the same period"},
           {R"("limits": {"a": {"rate": 5}})", "5}", at_rate, "expected a rate or a list of rates"},
           {R"("limits": {"a": {"rate": "5/s", "burst": 0}})", "0}", "/keys/0/limits/a/burst", "a whole number from 1"},
           {R"("limits": {"a": {"rate": "5/s", "burst": 1.5}})", "1.5", "/keys/0/limits/a/burst", "a whole number"},
           {R"("limits": {"a": {"rate": "5/s", "burst": -1}})", "-1", "/keys/0/limits/a/burst", "a whole number"},
           {R"("limits": {"a": {"rate": "5/s", "burst": 007}})", "007", "/keys/0/limits/a/burst", "a whole number"},
           {R"("limits": {"a": {"rate": "5/s", "burst": 10000000000001}})", "10000", "/keys/0/limits/a/burst",
            "10000000000000"},
           {R"("limits": {"a": {"rate": "5/s", "burst": "5"}})", "\"5\"", "/keys/0/limits/a/burst", "found a text"},
           {R"("limits": {"a": {"rate": "unlimited", "burst": 5}})", "{\"rate", "/keys/0/limits/a", "has no burst"},
           {R"("limits": {"a": {"rate": ["1/s", "2/m"], "burst": 5}})", "{\"rate", "/keys/0/limits/a", "one rate"},
           {R"("limits": {"a": {"rate": "5/s", "brust": 5}})", "\"brust", "/keys/0/limits/a", "unknown member"},
           {R"("limits": {"a": "5/s", "a": "6/s"})", "\"a\": \"6", "/keys/0/limits", "stands twice"},
           {R"("owner": "b")", "\"owner\": \"b", "/keys/0", "stands twice"},
           {R"("teir": "pro")", "\"teir", "/keys/0", "unknown member"},
       }) {
    const auto json = with(members);
    const auto error = mistake_in(json);
    EXPECT_EQ(error.line, 1U) << members;
    EXPECT_EQ(error.column, json.rfind(at) + 1) << members;
    EXPECT_EQ(error.pointer, pointer) << members;
    EXPECT_NE(error.message.find(message), std::string::npos) << members << " -> " << error.message;
  }
}

TEST(KeyFileError, PointsAtWhereTheTextStopsBeingJson) {
  struct Case {
    std::string json;
    std::size_t column;
    std::string message;
  };
  for (const auto& [json, column, message] : std::vector<Case>{
           {"", 1, "expected an object, found the end of the file"},
           {"[]", 1, "expected an object, found a list"},
           {"\xef\xbb\xbf{}", 1, "expected an object, found what begins no value"},
           {"{}", 1, "\"keys\" is missing"},
           {"{", 2, "expected a member's name"},
           {"{,}", 2, "expected a member's name"},
           {"{keys: []}", 2, "expected a member's name"},
           {"{\"keys\"}", 8, "expected ':'"},
           {"{\"keys\": }", 10, "expected a list, found what begins no value"},
           {"{\"keys\": {}}", 10, "expected a list, found an object"},
           {"{\"keys\": [5]}", 11, "expected an object, found a number"},
           {"{\"keys\": [}", 11, "expected an object"},
           {"{\"keys\": []", 12, "expected ',' or '}'"},
           {"{\"keys\": [] ]", 13, "expected ',' or '}'"},
           {"{\"keys\": [],}", 12, "nothing follows this ','"},
           {"{\"keys\": []} {}", 14, "nothing may follow"},
           {"{\"keys\": []}//", 13, "nothing may follow"},
           {"{\"kys\": []}", 2, "unknown member"},
           {"{\"keys\": [], \"keys\": []}", 14, "stands twice"},
           {"{\"keys", 2, "does not end"},
           {"{\"keys\\", 2, "does not end"},
           {"{\"ke\nys\": []}", 5, "control character"},
           {"{\"ke\\qys\": []}", 2, "an escape that JSON does not have"},
           {"{\"\\ud800\": []}", 2, "an escape that JSON does not have"},
           {"{\"k\xff\": []}", 2, "not UTF-8"},
       }) {
    const auto error = mistake_in(json);
    EXPECT_EQ(error.line, 1U) << json;
    EXPECT_EQ(error.column, column) << json << " -> " << error.message;
    EXPECT_NE(error.message.find(message), std::string::npos) << json << " -> " << error.message;
  }
}

TEST(KeyFileError, HelpsTheUserOn) {
  EXPECT_EQ(mistake_in(with(R"("teir": "pro")")).help, "did you mean \"tier\"?");
  EXPECT_NE(mistake_in(with(R"("key": "secret")")).help.find("headgate keys hash"), std::string::npos);
  EXPECT_NE(mistake_in("{ // mine\n}").help.find("no comments"), std::string::npos);
  EXPECT_EQ(to_text(JsonMistake{12, 5, "/keys/3/sha256", "it is wrong", "do this"}),
            "12:5: it is wrong [/keys/3/sha256]; do this");
  EXPECT_EQ(to_text(JsonMistake{1, 1, "", "it is wrong", ""}), "1:1: it is wrong");
}

TEST(KeyFileError, RepeatsNoKeyWhereverItStands) {
  const std::string key = "hg_5ecretAndNotToBeSeen";
  const std::string text = '"' + key + '"';
  for (const auto& json :
       {"{" + text + ": []}", "{\"keys\": {" + text + ": \"acme\"}}", "{\"keys\": [" + text + "]}",
        "{\"keys\": [{" + text + ": \"acme\"}]}", "{\"keys\": [{\"sha256\": " + text + "}]}", with("\"key\": " + text),
        with("\"expires\": " + text), with("\"disabled\": " + text), with("\"limits\": {\"a\": " + text + "}"),
        with("\"limits\": {\"a\": {" + text + ": 1}}"), with(key), with("\"sha256\": \"" + kDigest + "\"")}) {
    const auto said = to_text(mistake_in(json));
    EXPECT_EQ(said.find("hg_5"), std::string::npos) << said;
    EXPECT_EQ(said.find("9f86d0"), std::string::npos) << said;
  }
}

TEST(KeyFile, RefusesADigestThatIsNone) {
  for (const auto& text :
       {std::string(), kDigest.substr(1), kDigest + "0", 'g' + kDigest.substr(1), std::string(64, ' ')}) {
    const auto error = mistake_in(R"({"keys": [{"sha256": ")" + text + "\", \"owner\": \"a\"}]}");
    EXPECT_EQ(error.pointer, "/keys/0/sha256");
    EXPECT_EQ(error.column, 22U);
  }
}

TEST(KeyFile, RefusesADigestTwice) {
  const auto error = mistake_in(R"({"keys": [{"sha256": ")" + kDigest + R"(", "owner": "a"},
{"owner": "b", "sha256": ")" + kDigest +
                                "\"}]}");
  EXPECT_EQ(error.line, 2U);
  EXPECT_EQ(error.column, 26U);
  EXPECT_EQ(error.pointer, "/keys/1/sha256");
  EXPECT_NE(error.message.find("/keys/0"), std::string::npos) << error.message;
}

TEST(KeyFile, IsBounded) {
  EXPECT_NE(mistake_in(std::string(kLongestKeyFile + 1, ' ')).message.find("64 MiB"), std::string::npos);
  std::string limits = "\"limits\": {";
  for (int i = 0; i < 65; ++i) limits += (i == 0 ? "\"l" : ",\"l") + std::to_string(i) + "\": \"5/s\"";
  EXPECT_EQ(mistake_in(with(limits + "}")).message, "more than 64 members");
  std::string rates = R"("limits": {"a": {"rate": [)";
  for (int i = 0; i < 9; ++i) rates += (i == 0 ? "\"1/" : ",\"1/") + std::to_string(i + 1) + "s\"";
  EXPECT_EQ(mistake_in(with(rates + "]}}")).pointer, "/keys/0/limits/a/rate/8");
}

TEST(KeyFile, IsReadInLinearTimeWhateverItsDigests) {
  // All digests begin with the same bytes. A table by the first bytes would compare each with all before it.
  EXPECT_EQ(read_api_keys(file_of(100'000))->size(), 100'000U);
}

TEST(KeyFile, SurvivesDeepNesting) {
  const std::string deep(1'000'000, '[');
  EXPECT_EQ(mistake_in("{\"keys\": " + deep).column, 11U);
  EXPECT_EQ(mistake_in(with("\"note\": " + deep)).message, "expected a text, found a list");
}

}  // namespace
}  // namespace headgate::identity
