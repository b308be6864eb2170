// No request is let through without being counted, even with more rules than one request may have, which the
// configuration check refuses.

#include "unit/gateway/path/path.hpp"

namespace headgate::gateway::test {
namespace {

class TooManyRules : public Path {
 protected:
  /// Limits of eight rates each, more than a checked configuration can have.
  void begin_under(int count) {
    for (int i = 0; i < count; ++i) {
      const auto name = "l" + std::to_string(i);
      auto& rules = limit_by("total", name, "5/hour").tiers[0].rules;
      rules.clear();
      for (int period = 1; period <= 8; ++period) {
        rules.push_back(headgate::test::make_rule("5/" + std::to_string(period) + "h", 0, name));
        limit::name_rule(rules.back(), true, limit::PeriodInKey::yes);
      }
    }
  }
};

TEST_F(TooManyRules, DoNotIncludeTheMaximum) {
  begin_under(4);
  check("GET /a");
  EXPECT_EQ(client.status, 200U);
  EXPECT_EQ(memory.store().keys(), 32U);
}

TEST_F(TooManyRules, FailTheRequestAndTakeNothing) {
  begin_under(5);
  check("GET /a");
  EXPECT_EQ(client.status, 500U);
  EXPECT_EQ(x.ended_by, EndedBy::bug);
  EXPECT_EQ(memory.store().keys(), 0U);
}

}  // namespace
}  // namespace headgate::gateway::test
