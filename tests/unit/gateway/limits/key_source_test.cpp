// What holds for every source of keys, so that a new one is held to it without a word here.
#include "support/per.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>

namespace headgate::gateway {
namespace {

using headgate::test::make_per;

TEST(Per, IsReadAndWrittenAsAUserWritesIt) {
  for (const char* text : {"client_ip", "api_key", "jwt.org_id", "basic.user", "header:x-tenant", "cookie:session",
                           "path:account", "method", "route", "host", "upstream", "total"}) {
    const auto per = read_per(text);
    ASSERT_TRUE(per) << text;
    EXPECT_EQ(to_text(*per), text);
  }
  EXPECT_EQ(to_text(make_per("header:X-Tenant")), "header:x-tenant") << "a field's name has no case";
}

TEST(Per, IsNotReadWithAnUnknownWordOrAnInvalidName) {
  for (const char* text : {"", "ip", "client_ip:", "jwt", "jwt.", "jwt.a b", "header:", "header:a b",
                           "cookie:", "path:", "path:1", "path:{item}"})
    EXPECT_FALSE(read_per(text)) << text;
}

std::string word_of(const testing::TestParamInfo<const KeySource*>& info) {
  std::string word(info.param->word);
  if (info.param->name.read != nullptr) word.pop_back();
  std::replace(word.begin(), word.end(), '.', '_');  // a name of a test has none
  return word;
}

class EveryKeySource : public testing::TestWithParam<const KeySource*> {
 protected:
  const KeySource& source = *GetParam();
};

TEST_P(EveryKeySource, IsTheOneThatItsExampleMeans) {
  const auto per = make_per(source.example);
  EXPECT_EQ(per.source, &source);
  EXPECT_EQ(always_there(per), source.needs == Needs::nothing);
  EXPECT_NE(source.noun(per.name), "");
  EXPECT_TRUE(source.value != nullptr);
}

TEST_P(EveryKeySource, SharesNoWordWithAnother) {
  for (const auto* other : key_sources()) {
    if (other == &source) continue;
    EXPECT_FALSE(other->name.read != nullptr && source.word.starts_with(other->word)) << other->word;
    EXPECT_NE(source.word, other->word);
    for (const auto also : source.also) EXPECT_THAT(other->also, testing::Not(testing::Contains(also)));
  }
}

TEST_P(EveryKeySource, SaysWhatNameFollows) {
  const bool named = source.name.read != nullptr;
  EXPECT_EQ(named, source.word.ends_with('.') || source.word.ends_with(':'));
  EXPECT_EQ(named, source.name.placeholder.starts_with('<'));
  EXPECT_EQ(named, !source.name.what.empty());
  EXPECT_EQ(named, !source.name.help.empty());
  if (named) {
    EXPECT_FALSE(source.name.read(""));
  }
  const bool of_name =
      source.needs == Needs::field || source.needs == Needs::cookie || source.needs == Needs::path_parameter;
  EXPECT_TRUE(named || !of_name);
}

TEST_P(EveryKeySource, TellsACallerThatItIsMissing) {
  const bool may_be_missing = source.needs == Needs::field || source.needs == Needs::descriptor ||
                              source.needs == Needs::path_parameter || source.needs == Needs::cookie ||
                              source.needs == Needs::part || source.needs == Needs::body ||
                              source.needs == Needs::certificate;
  EXPECT_EQ(source.missing.ends_with(" is missing."), may_be_missing);
}

TEST_P(EveryKeySource, CanBeSaidIfItNamesTiers) {
  EXPECT_EQ(source.tier.value != nullptr, source.tier.noun != nullptr);
  if (source.tier.noun) {
    EXPECT_NE(source.tier.noun("plan"), "");
  }
}

INSTANTIATE_TEST_SUITE_P(All, EveryKeySource, testing::ValuesIn(key_sources().begin(), key_sources().end()), word_of);

}  // namespace
}  // namespace headgate::gateway
