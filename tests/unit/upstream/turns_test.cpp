// Which server gets a request: that of the policy, or the next one if it cannot be reached.

#include "unit/upstream/servers.hpp"

namespace headgate::upstream::test {
namespace {

class Turns : public Servers {
 protected:
  std::string connected_to(std::size_t times) {
    std::string out;
    for (std::size_t i = 0; i < times; ++i) {
      out += std::string(connect()->server()) + " ";
      choice_.tried.clear();
    }
    return out;
  }
};

TEST_F(Turns, GoRoundTheServers) {
  begin(3);
  EXPECT_EQ(connected_to(4), "s0 s1 s2 s0 ");
}

TEST_F(Turns, SkipAServerThatIsDown) {
  begin(3);
  upstream_->servers()[1].out = balance::kUnhealthy;
  EXPECT_EQ(connected_to(4), "s0 s2 s0 s2 ");
}

TEST_F(Turns, GoToTheNextIfAServerCannotBeReached) {
  begin(2);
  acceptors_[0].close();
  EXPECT_EQ(connected_to(3), "s1 s1 s1 ");
}

TEST_F(Turns, EndWithTheLastServersFailure) {
  begin(2);
  acceptors_[0].close();
  acceptors_[1].close();
  const auto connected = run(upstream_->connect(choice_));
  ASSERT_TRUE(connected.has_error());
  EXPECT_EQ(connected.error().what, Failed::no_connection);
  EXPECT_EQ(connected.error().server, "s1");
}

TEST_F(Turns, TakeIdleConnectionsOfTheServerWhoseTurnItIs) {
  begin(2);
  auto first = connect();
  ASSERT_TRUE(exchange(*first, far(), kAnswer).has_value());
  give_back(std::move(first));
  EXPECT_EQ(upstream_->take_idle(choice_), nullptr) << "it is the other one's turn, which keeps none";
  EXPECT_EQ(connected_to(1), "s1 ");
  EXPECT_NE(upstream_->take_idle(choice_), nullptr);
}

TEST_F(Turns, ConnectToNoServerAfterStop) {
  begin(2);
  upstream_->stop();
  const auto connected = run(upstream_->connect(choice_));
  ASSERT_TRUE(connected.has_error());
  EXPECT_EQ(connected.error().cause, error::operation_aborted);
}

}  // namespace
}  // namespace headgate::upstream::test
