#include "headgate/simulate/assertion.hpp"

#include "unit/simulate/policies.hpp"

#include <gtest/gtest.h>

namespace headgate::simulate {
namespace {

using What = Assertion::What;

Assertion parsed(std::string_view text) {
  const auto read = parse_assertion(text);
  if (read.has_error()) ADD_FAILURE() << text << ": " << read.error().message;
  return read.has_error() ? Assertion() : *read;
}

TEST(Assertions, AreReadWithShares) {
  const auto read = parsed("rejected(limit=plan,tier=pro) < 0.1%");
  EXPECT_EQ(read.what, What::rejected);
  EXPECT_EQ(read.limit, "plan");
  EXPECT_EQ(read.tier, "pro");
  EXPECT_TRUE(read.has_tier);
  EXPECT_FALSE(read.has_key);
  EXPECT_EQ(read.compare, Assertion::Compare::less);
  EXPECT_TRUE(read.share);
  EXPECT_DOUBLE_EQ(read.value, 0.001);
}

TEST(Assertions, AreReadWithNumbersBlanksAndQuotes) {
  const auto read = parsed(R"x(  keys_rejected ( limit = plan , key = "a,\"b)" ) >= 3 )x");
  EXPECT_EQ(read.what, What::keys_rejected);
  EXPECT_EQ(read.limit, "plan");
  EXPECT_EQ(read.key, "a,\"b)");
  EXPECT_EQ(read.compare, Assertion::Compare::at_least);
  EXPECT_FALSE(read.share);
  EXPECT_EQ(read.value, 3);
  EXPECT_EQ(parsed("delayed()==0").what, What::delayed);
  EXPECT_EQ(parsed("banned() <= 5 %").compare, Assertion::Compare::at_most);
}

TEST(Assertions, SayWhereTheyAreWrong) {
  EXPECT_EQ(test::fault_text(parse_assertion("")), "0+1 it begins with rejected, keys_rejected, delayed or banned");
  EXPECT_EQ(test::fault_text(parse_assertion("rejcted() < 1%")), "0+7 \"rejcted\" is nothing that can be asserted");
  EXPECT_EQ(test::fault_text(parse_assertion("rejected < 1%")), "9+1 a parenthesis is missing");
  EXPECT_EQ(test::fault_text(parse_assertion("rejected(limit=a")), "16+1 ')' is missing");
  EXPECT_EQ(test::fault_text(parse_assertion("rejected(limt=a) < 1%")), "9+4 \"limt\" is none of limit, tier and key");
  EXPECT_EQ(test::fault_text(parse_assertion("rejected(limit=a,limit=b) < 1%")), "17+5 \"limit\" stands twice");
  EXPECT_EQ(test::fault_text(parse_assertion("rejected(limit=) < 1%")), "15+1 a name is missing");
  EXPECT_EQ(test::fault_text(parse_assertion("rejected(key=\"a) < 1%")), "13+8 the quotes do not end");
  EXPECT_EQ(test::fault_text(parse_assertion("rejected(tier=pro) < 1%")),
            "0+23 a tier is one of a limit, which is not named");
  EXPECT_EQ(test::fault_text(parse_assertion("banned(limit=a,key=b) == 0")),
            "0+26 suspensions are counted by limit, not by tier or key");
  EXPECT_EQ(test::fault_text(parse_assertion("banned(limit=a,tier=b) == 0")),
            "0+27 suspensions are counted by limit, not by tier or key");
  EXPECT_EQ(test::fault_text(parse_assertion("delayed(key=b) == 0")),
            "0+19 waits are counted by limit and tier, not by key");
  EXPECT_EQ(test::fault_text(parse_assertion("rejected() 1%")), "11+1 one of < <= > >= == is missing");
  EXPECT_EQ(test::fault_text(parse_assertion("rejected() < ")),
            "13+1 a share as \"0.1%\", or a number of requests or keys, is expected here");
  EXPECT_EQ(test::fault_text(parse_assertion("rejected() < -1%")),
            "13+3 a share as \"0.1%\", or a number of requests or keys, is expected here");
  EXPECT_EQ(test::fault_text(parse_assertion("rejected() < 101%")),
            "13+4 a share as \"0.1%\", or a number of requests or keys, is expected here");
  EXPECT_EQ(test::fault_text(parse_assertion("rejected() < 0.1")), "13+3 there is no part of a request or a key");
  EXPECT_EQ(test::fault_text(parse_assertion("rejected() < 1% please")),
            "13+9 a share as \"0.1%\", or a number of requests or keys, is expected here");
}

TEST(Assertions, NameTheNearestLimitAndTier) {
  const auto policy = policy_of(test::saas());
  const auto wrong = [&](const char* text) {
    const auto checked = check_names(parsed(text), *policy.parts.compiled);
    return checked.has_error() ? checked.error().message + "; " + checked.error().help : std::string();
  };
  EXPECT_EQ(wrong("rejected(limit=plan,tier=pro) < 1%"), "");
  EXPECT_EQ(wrong("rejected(limit=plna) < 1%"), "no limit of a route is named \"plna\"; did you mean \"plan\"?");
  EXPECT_EQ(wrong("rejected(limit=zzzzzzz) < 1%"), "no limit of a route is named \"zzzzzzz\"; there are: each, plan");
  EXPECT_EQ(wrong("rejected(limit=plan,tier=fre) < 1%"), "limit \"plan\" has no tier \"fre\"; did you mean \"free\"?");
  EXPECT_EQ(wrong("rejected(limit=each,tier=pro) < 1%"), "limit \"each\" has no tiers; leave the tier out");
}

TEST(Assertions, AreComparedWithWhatWasFound) {
  const auto found = test::simulated(test::limited("2/minute"), {{"192.0.2.1", 10}, {"192.0.2.2", 1}});
  const auto holds = [&](const char* text) {
    const auto assertion = parsed(text);
    const auto held = evaluate(assertion, *found.tally, found.figures);
    return std::pair(held.holds, found_text(assertion, held));
  };
  EXPECT_EQ(holds("rejected(limit=each) < 72%"), std::pair(false, std::string("72.7 % (8 of 11)")));
  EXPECT_EQ(holds("rejected(limit=each) < 73%"), std::pair(true, std::string("72.7 % (8 of 11)")));
  EXPECT_EQ(holds("rejected() == 8"), std::pair(true, std::string("8 of 11")));
  EXPECT_EQ(holds("keys_rejected(limit=each) <= 50%"), std::pair(true, std::string("50.0 % (1 of 2)")));
  EXPECT_EQ(holds("rejected(key=192.0.2.1) > 7"), std::pair(true, std::string("8 of 10")));
  EXPECT_EQ(holds("rejected(key=192.0.2.2) < 1%"), std::pair(true, std::string("0 % (0 of 1)")));
  EXPECT_EQ(holds("rejected(key=192.0.2.3) < 1%"), std::pair(true, std::string("0 % (0 of 0)")));
  EXPECT_EQ(holds("delayed(limit=each) < 1"), std::pair(true, std::string("0 of 11")));
}

}  // namespace
}  // namespace headgate::simulate
