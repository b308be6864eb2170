// Names of servers that are looked up again and again, with a resolver that answers what the test says.

#include "headgate/upstream/names.hpp"

#include "support/virtual_clock.hpp"

#include <boost/asio/error.hpp>
#include <boost/asio/ip/address.hpp>

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace headgate::upstream::test {
namespace {

using headgate::test::VirtualClock;
using std::chrono::milliseconds;
using std::chrono::seconds;
using Addresses = std::vector<net::Tcp::endpoint>;

class ServerNames : public testing::Test {
 protected:
  static Addresses addresses(const std::vector<std::string>& texts) {
    Addresses out;
    for (const auto& text : texts) out.emplace_back(boost::asio::ip::make_address(text), 80);
    return out;
  }
  /// Answers all look-ups under way as `records` says; a name that is not there fails.
  void answer() {
    for (auto& [host, found] : std::exchange(asked, {})) {
      const auto record = records.find(host);
      if (record == records.end())
        found(error_code(boost::asio::error::host_not_found_try_again));
      else
        found(addresses(record->second));
    }
  }
  void run(Duration time) {
    for (Duration passed{0}; passed < time; passed += milliseconds(100)) {
      clock.advance(milliseconds(100));
      answer();
    }
  }

  VirtualClock clock;
  std::map<std::string, std::vector<std::string>> records;
  std::vector<std::pair<std::string, net::LookedUp>> asked;
  unsigned count = 0;
  std::vector<std::pair<std::string, Addresses>> changes;
  Names names{clock,
              [this](const std::string& host, std::uint16_t, net::LookedUp found) {
                ++count;
                asked.emplace_back(host, std::move(found));
              },
              [this](const NamedAddresses& now) { changes.emplace_back(now.host, now.addresses); }};
};

TEST_F(ServerNames, AreLookedUpAtOnceAndAgain) {
  records["api"] = {"192.0.2.1", "2001:db8::1"};
  names.use({{"api", 80, seconds(30)}});
  run(milliseconds(100));
  ASSERT_EQ(changes.size(), 1U);
  EXPECT_EQ(names.of("api", 80), addresses({"192.0.2.1", "2001:db8::1"})) << "both families";
  run(seconds(65));
  EXPECT_EQ(count, 3U);
  EXPECT_EQ(changes.size(), 1U);
}

TEST_F(ServerNames, TellWhenTheyLeadElsewhere) {
  records["api"] = {"192.0.2.1"};
  names.use({{"api", 80, seconds(1)}});
  run(seconds(2));
  records["api"] = {"192.0.2.2"};
  run(seconds(2));
  ASSERT_EQ(changes.size(), 2U);
  EXPECT_EQ(changes.back().second, addresses({"192.0.2.2"}));
}

TEST_F(ServerNames, AreUnchangedIfTheirAddressesComeInAnotherOrder) {
  records["api"] = {"192.0.2.1", "192.0.2.2"};
  names.use({{"api", 80, seconds(1)}});
  run(seconds(2));
  records["api"] = {"192.0.2.2", "192.0.2.1"};
  run(seconds(2));
  EXPECT_EQ(changes.size(), 1U);
}

TEST_F(ServerNames, KeepTheirAddressesWhileTheResolverFails) {
  records["api"] = {"192.0.2.1"};
  names.use({{"api", 80, seconds(1)}});
  run(seconds(2));
  records.clear();
  run(seconds(10));
  EXPECT_EQ(names.of("api", 80), addresses({"192.0.2.1"}));
  records["api"] = {};
  run(seconds(10));
  EXPECT_EQ(names.of("api", 80), addresses({"192.0.2.1"})) << "an empty answer is a failure as well";
  EXPECT_EQ(changes.size(), 1U);
}

TEST_F(ServerNames, AreAskedForOnceAtATime) {
  records["api"] = {"192.0.2.1"};
  names.use({{"api", 80, seconds(1)}});
  clock.advance(seconds(20));
  EXPECT_EQ(count, 1U) << "a resolver that is silent gets no second question";
  answer();
  clock.advance(seconds(1));
  EXPECT_EQ(count, 2U);
}

TEST_F(ServerNames, AreNotLookedUpIfTheyAreAddresses) {
  names.use({{"192.0.2.1", 80, seconds(1)}, {"2001:db8::1", 80, seconds(1)}});
  run(seconds(2));
  EXPECT_EQ(count, 0U);
}

TEST_F(ServerNames, OfTwoUpstreamsAreLookedUpOnceAtTheShorterInterval) {
  records["api"] = {"192.0.2.1"};
  names.use({{"api", 80, seconds(60)}, {"api", 80, seconds(1)}});
  run(seconds(10));
  EXPECT_GE(count, 9U);
  EXPECT_LE(count, 11U);
}

TEST_F(ServerNames, KeepWhatIsKnownOverAReload) {
  records["api"] = {"192.0.2.1"};
  records["db"] = {"192.0.2.9"};
  names.use({{"api", 80, seconds(30)}, {"db", 80, seconds(30)}});
  run(seconds(1));
  records.clear();
  names.use({{"api", 80, seconds(1)}});
  EXPECT_EQ(names.of("api", 80), addresses({"192.0.2.1"}));
  EXPECT_TRUE(names.of("db", 80).empty());
  ASSERT_EQ(names.known().size(), 1U);
  const auto before = count;
  run(seconds(3));
  EXPECT_GE(count, before + 2) << "the shorter interval counts from now on";
}

TEST_F(ServerNames, IgnoreAnAnswerAfterTheyAreGone) {
  records["api"] = {"192.0.2.1"};
  names.use({{"api", 80, seconds(1)}});
  clock.advance(milliseconds(1));
  ASSERT_EQ(asked.size(), 1U);
  names.stop();
  answer();
  EXPECT_TRUE(changes.empty());
}

}  // namespace
}  // namespace headgate::upstream::test
