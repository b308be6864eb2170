#include "headgate/limit/script.hpp"

#include "support/rules.hpp"

#include <gtest/gtest.h>

#include <array>

namespace headgate::limit {
namespace {

using std::chrono::seconds;
using test::kStart;
using test::make_check;
using test::make_rule;
using Strings = std::vector<std::string>;

TEST(DecideScript, IsNamedByItsDigest) {
  EXPECT_EQ(decide_script_sha().size(), 40U);
  EXPECT_EQ(decide_script_sha().find_first_not_of("0123456789abcdef"), std::string_view::npos);
  EXPECT_NE(decide_script().find("if name == 'token_bucket' then"), std::string_view::npos);
  EXPECT_TRUE(decide_script().ends_with("return reply\n"));
}

TEST(ScriptArguments, AreTheKeysThenEachRulesNumbers) {
  const Rule per_minute = make_rule("60/minute", 10, "burst");
  const Rule odd = make_rule("7/second", 0, "odd");
  const std::array checks = {make_check(per_minute, "org_42", 3), make_check(odd, "203.0.113.7")};
  Strings out;
  script_arguments(checks, "hg:", kStart, out);
  EXPECT_EQ(out, (Strings{"2",
                          "hg:v1:{org_42}:burst:",
                          "hg:v1:{203.0.113.7}:odd:",
                          "",
                          "token_bucket",
                          "10000000",
                          "0",
                          "3000000",
                          "0",
                          "60",
                          "0",
                          "5400000660000000000000660",
                          "token_bucket",
                          "1000000",
                          "0",
                          "142857",
                          "1",
                          "7",
                          "0",
                          "5400000011000000000000077"}));
}

TEST(ScriptArguments, ReplaceThoseOfTheCallBefore) {
  const Rule rule = make_rule("60/minute");
  const std::array two = {make_check(rule, "a"), make_check(rule, "b")};
  Strings out = {"left", "over"};
  script_arguments(two, "", kStart, out);
  const Strings fresh = out;
  script_arguments(std::span(two).first(1), "", kStart, out);
  EXPECT_EQ(out.size(), 11U);
  script_arguments(two, "", kStart, out);
  EXPECT_EQ(out, fresh);
}

TEST(ScriptArguments, RoundWhatIsGivenBackDownToAPart) {
  const Rule rule = make_rule("7/second");
  const Check check = make_check(rule, "a", -1);
  Strings out;
  script_arguments({&check, 1}, "", kStart, out);
  EXPECT_EQ(out[6], "-142858");  // -142857 1/7 is -142858 and 6/7
  EXPECT_EQ(out[7], "6");
}

TEST(ScriptArguments, MergeTwoChecksOfOneCounter) {
  const Rule rule = make_rule("60/minute");
  const std::array checks = {make_check(rule, "a", 2), make_check(rule, "b", 1), make_check(rule, "a", 3)};
  Strings out;
  script_arguments(checks, "", kStart, out);
  EXPECT_EQ(out[0], "2");
  EXPECT_EQ(out[7], "5000000");
  const std::array<std::int64_t, 7> reply = {1, 60'000'000, 0, 0, 60'000'000, 0, 0};
  std::array<Decision, 3> decisions;
  bool all = false;
  ASSERT_TRUE(read_script_reply(reply, checks, decisions, all));
  EXPECT_TRUE(all);
  EXPECT_EQ(decisions[0].remaining, 55U);
  EXPECT_EQ(decisions[1].remaining, 59U);
  EXPECT_EQ(decisions[2].remaining, 55U);
}

TEST(ScriptArguments, NameTheModesOnlyIfOneIsNotTake) {
  const Rule rule = make_rule("60/minute");
  const auto modes = [&rule](How a, How b, How c) {
    const std::array checks = {make_check(rule, "a", 1, a), make_check(rule, "b", 1, b), make_check(rule, "c", 1, c)};
    Strings out;
    script_arguments(checks, "", kStart, out);
    return out[4];
  };
  EXPECT_EQ(modes(How::take, How::take, How::take), "");
  EXPECT_EQ(modes(How::take, How::observe, How::charge), "toc");
  EXPECT_EQ(modes(How::charge, How::charge, How::charge), "ccc");
  EXPECT_EQ(modes(How::debt, How::take, How::charge), "dtc");
}

TEST(ScriptArguments, UseTheStrictestModeForOneCounter) {
  const Rule rule = make_rule("60/minute");
  const auto mode = [&rule](Check a, Check b) {
    a.rule = b.rule = &rule;
    const std::array checks = {a, b};
    Strings out;
    script_arguments(checks, "", kStart, out);
    EXPECT_EQ(out[0], "1");
    return out[2];
  };
  const auto check = [&rule](How how, std::int64_t cost = 1) { return make_check(rule, "a", cost, how); };
  EXPECT_EQ(mode(check(How::charge), check(How::take)), "");
  EXPECT_EQ(mode(check(How::take), check(How::observe)), "");
  EXPECT_EQ(mode(check(How::charge), check(How::observe)), "o");
  EXPECT_EQ(mode(check(How::charge), check(How::take, 0)), "c") << "a look rejects nobody";
  EXPECT_EQ(mode(check(How::take, -1), check(How::charge)), "c");
  EXPECT_EQ(mode(check(How::debt), check(How::charge)), "c");
}

TEST(ScriptArguments, EscapeWhatWouldEndTheHashTag) {
  const Rule rule = make_rule("60/minute");
  const auto key = [&rule](std::string_view text) {
    const Check check = make_check(rule, text);
    Strings out;
    script_arguments({&check, 1}, "hg:", kStart, out);
    return out[1];
  };
  EXPECT_EQ(key("a}b%c{"), "hg:v1:{a%7Db%25c{}:plan:");
  EXPECT_EQ(key(""), "hg:v1:{%}:plan:");
  EXPECT_EQ(key("%"), "hg:v1:{%25}:plan:");
  EXPECT_EQ(key(std::string_view("a\0b", 3)), std::string("hg:v1:{a\0b}:plan:", 17));
}

TEST(ScriptArguments, AreNoneForMoreChecksThanARequestMayHave) {
  const Rule rule = make_rule("60/minute");
  const std::vector<Check> checks(kMaxRulesPerRequest + 1, make_check(rule, "a"));
  Strings out = {"x"};
  script_arguments(checks, "", kStart, out);
  EXPECT_TRUE(out.empty());
}

class ScriptReply : public testing::Test {
 protected:
  bool read(std::vector<std::int64_t> reply) { return read_script_reply(reply, checks_, decisions_, all_); }

  Rule wide_ = make_rule("60/minute", 0, "wide");
  Rule narrow_ = make_rule("60/minute", 2, "narrow");
  std::array<Check, 2> checks_ = {make_check(wide_, "a"), make_check(narrow_, "a", 2)};
  std::array<Decision, 2> decisions_;
  bool all_ = false;
};

TEST_F(ScriptReply, TellsWhatIsLeftAfterTaking) {
  ASSERT_TRUE(read({1, 30'500'000, 0, 0, 2'000'000, 0, 0}));
  EXPECT_TRUE(all_);
  EXPECT_EQ(decisions_[0].remaining, 29U);
  EXPECT_EQ(decisions_[0].limit, 60U);
  EXPECT_EQ(decisions_[0].reset_after, Duration(30'500'000));
  EXPECT_EQ(decisions_[1].remaining, 0U);
  EXPECT_EQ(decisions_[1].reset_after, seconds(2));
}

TEST_F(ScriptReply, TellsWhatIsLeftIfOneRejects) {
  ASSERT_TRUE(read({0, 30'500'000, 0, 0, 1'250'000, 0, 0}));
  EXPECT_FALSE(all_);
  EXPECT_TRUE(decisions_[0].allowed);
  EXPECT_EQ(decisions_[0].remaining, 30U);
  EXPECT_FALSE(decisions_[1].allowed);
  EXPECT_EQ(decisions_[1].remaining, 1U);
  EXPECT_EQ(decisions_[1].retry_after, Duration(750'000));
}

TEST_F(ScriptReply, TellsThatAnObservedRuleRejectsAndTookNothing) {
  checks_[1].how = How::observe;
  ASSERT_TRUE(read({1, 30'500'000, 0, 0, 1'250'000, 0, 0}));
  EXPECT_TRUE(all_);
  EXPECT_EQ(decisions_[0].remaining, 29U);
  EXPECT_FALSE(decisions_[1].allowed);
  EXPECT_EQ(decisions_[1].remaining, 1U);
  EXPECT_EQ(decisions_[1].retry_after, Duration(750'000));
  EXPECT_EQ(decisions_[1].reset_after, Duration(750'000));
}

TEST_F(ScriptReply, TellsThatAChargeTookWhatThereWas) {
  checks_[1].how = How::charge;
  ASSERT_TRUE(read({1, 30'500'000, 0, 0, 1'250'000, 0, 0}));
  EXPECT_TRUE(all_);
  EXPECT_TRUE(decisions_[1].allowed);
  EXPECT_EQ(decisions_[1].remaining, 0U);
  EXPECT_EQ(decisions_[1].retry_after, Duration(0));
  EXPECT_EQ(decisions_[1].reset_after, seconds(2));
}

TEST_F(ScriptReply, TellsThatADebtTookAllOfIt) {
  checks_[1].how = How::debt;
  ASSERT_TRUE(read({1, 30'500'000, 0, 0, 1'250'000, 0, 0}));
  EXPECT_TRUE(decisions_[1].allowed);
  EXPECT_EQ(decisions_[1].remaining, 0U);
  EXPECT_EQ(decisions_[1].reset_after, Duration(2'750'000));
}

TEST_F(ScriptReply, TellsThatNeitherTookIfAnotherRejects) {
  checks_[1].how = How::charge;
  ASSERT_TRUE(read({0, 500'000, 0, 0, 1'250'000, 0, 0}));
  EXPECT_FALSE(all_);
  EXPECT_TRUE(decisions_[1].allowed);
  EXPECT_EQ(decisions_[1].remaining, 1U);
  checks_[1].how = How::observe;
  ASSERT_TRUE(read({0, 500'000, 0, 0, 2'000'000, 0, 0}));
  EXPECT_TRUE(decisions_[1].allowed);
  EXPECT_EQ(decisions_[1].remaining, 2U);
  EXPECT_FALSE(read({0, 30'500'000, 0, 0, 1'250'000, 0, 0})) << "an observed rule rejects no call";
}

TEST_F(ScriptReply, IsRefusedIfTheScriptCannotHaveSentIt) {
  EXPECT_FALSE(read({}));
  EXPECT_FALSE(read({1}));
  EXPECT_FALSE(read({1, 30'500'000, 0, 2'000'000}));
  EXPECT_FALSE(read({1, 30'500'000, 0, 2'000'000, 0, 0}));
  EXPECT_FALSE(read({2, 30'500'000, 0, 0, 2'000'000, 0, 0}));
  EXPECT_FALSE(read({-1, 30'500'000, 0, 0, 2'000'000, 0, 0}));
  EXPECT_FALSE(read({0, 30'500'000, 0, 0, 2'000'000, 0, 0})) << "rejected though all allow";
  EXPECT_FALSE(read({1, 30'500'000, 0, 0, 1'000'000, 0, 0})) << "agreed though one rejects";
  EXPECT_FALSE(read({1, 30'500'000, 0, 0, 2'000'001, 0, 0})) << "more room than the bucket has";
  EXPECT_FALSE(read({1, -5, 0, 0, 2'000'000, 0, 0})) << "agreed though one is in debt";
  EXPECT_EQ(decisions_[0].limit, 0U);
  EXPECT_FALSE(all_);
}

}  // namespace
}  // namespace headgate::limit
