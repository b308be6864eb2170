// What bounds the use of servers: places, the life of a connection, and where a name leads.

#include "unit/upstream/servers.hpp"

#include <memory>
#include <thread>
#include <utility>

namespace headgate::upstream::test {
namespace {

class Bounds : public Servers {
 protected:
  /// Servers that may have so many attempts each; 0: any number.
  void begin_with(const std::vector<std::uint32_t>& most) {
    for (std::size_t i = 0; i < most.size(); ++i) {
      acceptors_.emplace_back(loop_, net::Tcp::endpoint(boost::asio::ip::address_v4::loopback(), 0));
      options_.servers.push_back({"127.0.0.1", acceptors_.back().local_endpoint().port(), "s" + std::to_string(i)});
      places_.push_back(most[i] > 0 ? std::make_shared<balance::Places>(most[i]) : nullptr);
    }
    options_.name = "app";
    upstream_ = std::make_unique<ServerGroup>(clock_, options_, h1_dialler({loop_, timers_, blocks_, clock_, random_}),
                                              0, nullptr, nullptr, places_);
  }
  Result<AttemptPtr, Failure> attempt() {
    balance::Choice choice;
    return run(upstream_->connect(choice));
  }
  AttemptPtr kept() {
    balance::Choice choice;
    return upstream_->take_idle(choice);
  }

  AllPlaces places_;
};

TEST_F(Bounds, LeaveAFullServerOut) {
  begin_with({1, 0});
  const auto first = attempt();
  ASSERT_TRUE(first.has_value());
  EXPECT_EQ((*first)->server(), "s0");
  for (int i = 0; i < 4; ++i) {
    const auto next = attempt();
    ASSERT_TRUE(next.has_value());
    EXPECT_EQ((*next)->server(), "s1");
  }
}

TEST_F(Bounds, SayThatAllServersAreFull) {
  begin_with({1, 1});
  auto first = attempt();
  const auto second = attempt();
  ASSERT_TRUE(first.has_value());
  ASSERT_TRUE(second.has_value());
  const auto third = attempt();
  ASSERT_TRUE(third.has_error());
  EXPECT_EQ(third.error().what, Failed::full);
  EXPECT_EQ(kept(), nullptr);
  first->reset();
  EXPECT_EQ(places_[0]->taken(), 0U);
  EXPECT_TRUE(attempt().has_value());
}

TEST_F(Bounds, KeepAPlaceFromItsReservationToTheEndOfTheAttempt) {
  begin_with({1});
  balance::Choice choice;
  ASSERT_TRUE(upstream_->reserve(choice));
  EXPECT_TRUE(choice.place.held());
  balance::Choice other;
  EXPECT_FALSE(upstream_->reserve(other));
  {
    const auto attempt = run(upstream_->connect(choice));
    ASSERT_TRUE(attempt.has_value());
    EXPECT_FALSE(choice.place.held()) << "it is the attempt's";
    EXPECT_EQ(places_[0]->taken(), 1U);
  }
  EXPECT_EQ(places_[0]->taken(), 0U);
}

TEST_F(Bounds, HoldNoPlaceForAnIdleConnection) {
  begin_with({1});
  auto lent = connect();
  ASSERT_TRUE(exchange(*lent, far(), kAnswer).has_value());
  give_back(std::move(lent));
  EXPECT_EQ(places_[0]->taken(), 0U);
  lent = kept();
  ASSERT_NE(lent, nullptr);
  EXPECT_EQ(places_[0]->taken(), 1U);
}

TEST_F(Bounds, GiveThePlaceBackOfAServerThatCannotBeReached) {
  begin_with({1, 1});
  acceptors_[0].close();
  const auto made = attempt();
  ASSERT_TRUE(made.has_value());
  EXPECT_EQ((*made)->server(), "s1");
  EXPECT_EQ(places_[0]->taken(), 0U);
  EXPECT_EQ(places_[1]->taken(), 1U);
}

TEST_F(Bounds, SayHowLongTheServersNeed) {
  begin_with({2, 4});
  EXPECT_EQ(upstream_->time_for(10), Duration(0)) << "nothing is known";
  for (const auto& places : places_) {
    ASSERT_TRUE(places->take());
    places->leave(seconds(1));
  }
  EXPECT_EQ(upstream_->time_for(12), seconds(2)) << "six a second";
}

class Lifetime : public Bounds {};

TEST_F(Lifetime, EndsWhenAConnectionIsGivenBackLater) {
  options_.connection_lifetime = milliseconds(50);
  begin(1);
  auto lent = connect();
  ASSERT_TRUE(exchange(*lent, far(), kAnswer).has_value());
  give_back(std::move(lent));
  lent = kept();
  ASSERT_NE(lent, nullptr) << "it is young";
  ASSERT_TRUE(exchange(*lent, far(), kAnswer).has_value());
  std::this_thread::sleep_for(milliseconds(60));
  give_back(std::move(lent));
  EXPECT_EQ(kept(), nullptr);
}

class NamedServer : public Bounds {
 protected:
  /// A server whose name no resolver knows. It leads to 127.0.0.1 and 127.0.0.2, and the port is the same.
  void begin_named() {
    // Until a port is free at both.
    for (error_code taken = boost::asio::error::address_in_use; taken;) {
      acceptors_.clear();
      acceptors_.emplace_back(loop_, net::Tcp::endpoint(boost::asio::ip::address_v4::loopback(), 0));
      first_ = acceptors_[0].local_endpoint();
      second_ = {boost::asio::ip::make_address("127.0.0.2"), first_.port()};
      acceptors_.emplace_back(loop_).open(second_.protocol());
      acceptors_[1].bind(second_, taken);
    }
    acceptors_[1].listen();
    options_.name = "app";
    options_.servers.push_back({"app.invalid", first_.port(), "s0"});
    upstream_ = std::make_unique<ServerGroup>(clock_, options_, h1_dialler({loop_, timers_, blocks_, clock_, random_}));
  }
  void leads_to(const std::vector<net::Tcp::endpoint>& addresses) {
    upstream_->use({"app.invalid", first_.port(), addresses});
  }
  /// A new connection that the server with this index accepts.
  AttemptPtr reach(std::size_t at) {
    auto made = attempt();
    EXPECT_TRUE(made.has_value());
    if (!made) return nullptr;
    acceptors_[at].non_blocking(true);
    error_code refused;
    far_.emplace_back(loop_.get_executor());
    acceptors_[at].accept(far_.back(), refused);
    EXPECT_FALSE(refused) << "another server was connected to: " << refused.message();
    far_.back().non_blocking(false);
    return *made;
  }

  net::Tcp::endpoint first_;
  net::Tcp::endpoint second_;
};

TEST_F(NamedServer, IsReachedAtAllItsAddresses) {
  begin_named();
  leads_to({first_, second_});
  const auto one = reach(0);
  const auto two = reach(1);
  const auto three = reach(0);
}

TEST_F(NamedServer, GetsNewConnectionsWhereItsNameLeadsNow) {
  begin_named();
  leads_to({first_});
  const auto before = reach(0);
  leads_to({second_});
  const auto after = reach(1);
}

TEST_F(NamedServer, LosesIdleConnectionsToAddressesThatAreGone) {
  begin_named();
  leads_to({first_});
  auto lent = reach(0);
  ASSERT_TRUE(exchange(*lent, far(), kAnswer).has_value());
  give_back(std::move(lent));
  leads_to({first_, second_});
  lent = kept();
  ASSERT_NE(lent, nullptr) << "the name still leads there";
  ASSERT_TRUE(exchange(*lent, far(), kAnswer).has_value());
  give_back(std::move(lent));
  leads_to({second_});
  EXPECT_EQ(kept(), nullptr);
  char byte = 0;
  error_code ended;
  far().read_some(boost::asio::buffer(&byte, 1), ended);
  while (!ended) far().read_some(boost::asio::buffer(&byte, 1), ended);
  EXPECT_EQ(ended, error::eof) << "it was closed at once";
}

TEST_F(NamedServer, LosesConnectionsInUseToSuchAddressesWhenTheirExchangeHasEnded) {
  begin_named();
  leads_to({first_});
  auto lent = reach(0);
  ASSERT_TRUE(send(*lent).has_value());
  leads_to({second_});
  say(far(), kAnswer);
  ASSERT_TRUE(run(lent->read_head(head_, seconds(10))).has_value());
  (void)lent->body().ready();
  give_back(std::move(lent));
  EXPECT_EQ(kept(), nullptr);
}

TEST_F(NamedServer, IsReachedAtTheAddressesThatAnswer) {
  begin_named();
  leads_to({first_, second_});
  acceptors_[0].close();
  const auto one = reach(1);
  const auto two = reach(1);
}

}  // namespace
}  // namespace headgate::upstream::test
