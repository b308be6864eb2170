#include "../../../../src/net/tls/ticket_keys.hpp"

#include <gtest/gtest.h>

namespace headgate::net {
namespace {

const std::string kSecret = "a secret of thirty-two bytes or more";
constexpr std::int64_t kNoon = 480'000L * 3600;

TEST(TicketKeys, AreTheSameOnAllGatewaysWithTheSameSecret) {
  TicketKeys one(nullptr, kSecret);
  TicketKeys other(nullptr, kSecret);
  const auto* const key = one.to_seal(kNoon);
  ASSERT_NE(key, nullptr);
  const auto* const same = other.to_open(key->name, kNoon + 3599);
  ASSERT_NE(same, nullptr);
  EXPECT_EQ(same->cipher, key->cipher);
  EXPECT_EQ(same->signature, key->signature);
}

TEST(TicketKeys, OfAnotherSecretOpenNothing) {
  TicketKeys one(nullptr, kSecret);
  TicketKeys other(nullptr, kSecret + "!");
  EXPECT_EQ(other.to_open(one.to_seal(kNoon)->name, kNoon), nullptr);
}

TEST(TicketKeys, ChangeEachHourAndAreAcceptedForOneMore) {
  TicketKeys keys(nullptr, kSecret);
  const auto before = *keys.to_seal(kNoon - 1);
  const auto now = *keys.to_seal(kNoon);
  EXPECT_NE(before.name, now.name);
  EXPECT_NE(before.cipher, now.cipher);
  EXPECT_NE(before.signature, now.signature);
  EXPECT_NE(now.cipher, now.signature);
  EXPECT_NE(keys.to_open(before.name, kNoon + 3599), nullptr) << "the hour after";
  EXPECT_EQ(keys.to_open(before.name, kNoon + 3600), nullptr) << "two hours after";
}

TEST(TicketKeys, OpenWhatAGatewayWithAFasterClockSealed) {
  TicketKeys keys(nullptr, kSecret);
  const auto next = *keys.to_seal(kNoon + 3600);
  EXPECT_NE(keys.to_open(next.name, kNoon + 3599), nullptr);
  EXPECT_EQ(keys.to_open(next.name, kNoon - 1), nullptr);
}

}  // namespace
}  // namespace headgate::net
