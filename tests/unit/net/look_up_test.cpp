#include "headgate/net/look_up.hpp"

#include "loop.hpp"

#include <memory>
#include <optional>

namespace headgate::net::test {
namespace {

using Found = std::optional<Result<std::vector<Tcp::endpoint>>>;

class LookUpTest : public Loop {
 protected:
  bool run_to(const bool& end) { return run_until(end); }
};

TEST_F(LookUpTest, FindsTheAddressesOfAName) {
  LookUps look_ups(loop_);
  Found found;
  bool ended = false;
  look_ups.ask("localhost", 8080, [&](const auto& result) {
    found = result;
    ended = true;
  });
  EXPECT_FALSE(ended) << "not from within the call";
  ASSERT_TRUE(run_to(ended));
  ASSERT_TRUE(found->has_value());
  for (const auto& one : **found) {
    EXPECT_TRUE(one.address().is_loopback());
    EXPECT_EQ(one.port(), 8080);
  }
}

TEST_F(LookUpTest, SaysWhyThereAreNone) {
  LookUps look_ups(loop_);
  Found found;
  bool ended = false;
  look_ups.ask("no-such-name.invalid", 80, [&](const auto& result) {
    found = result;
    ended = true;
  });
  ASSERT_TRUE(run_to(ended));
  EXPECT_TRUE(found->has_error());
}

TEST_F(LookUpTest, AnswersAllThatWaitForTheirTurn) {
  LookUps look_ups(loop_);
  int count = 0;
  bool ended = false;
  for (int i = 0; i < 20; ++i)
    look_ups.ask("127.0.0.1", 80, [&](const auto& result) {
      EXPECT_TRUE(result.has_value());
      ended = ++count == 20;
    });
  EXPECT_TRUE(run_to(ended));
}

TEST_F(LookUpTest, MayBeDestroyedBeforeTheAnswer) {
  auto look_ups = std::make_unique<LookUps>(loop_);
  bool called = false;
  look_ups->ask("localhost", 80, [&](const auto&) { called = true; });
  look_ups.reset();
  loop_.run_for(milliseconds(100));
  EXPECT_FALSE(called);
}

}  // namespace
}  // namespace headgate::net::test
