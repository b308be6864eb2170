#include "headgate/gateway/address_rules.hpp"

#include "headgate/identity/network.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace headgate::gateway {
namespace {

using identity::AddressBlocks;
using Lists = std::vector<std::shared_ptr<const AddressBlocks>>;

AddressBlocks blocks(const std::vector<std::string>& texts) {
  std::vector<identity::Network> all;
  for (const auto& each : texts) all.push_back(*identity::parse_network(each));
  return AddressBlocks(all);
}

std::shared_ptr<const AddressBlocks> list(const std::vector<std::string>& texts) {
  return std::make_shared<const AddressBlocks>(blocks(texts));
}

AddressDecision judged(const AddressRules& rules, const std::string& address, const Lists& lists = {}) {
  return judge(rules, lists, boost::asio::ip::make_address(address));
}

TEST(AddressRules, RefuseWhatIsDeniedAndLetTheRestIn) {
  const AddressRules rules{.allow = {}, .deny = blocks({"10.0.0.0/8"}), .allow_files = {}, .deny_files = {}};
  EXPECT_FALSE(judged(rules, "10.1.1.1").in);
  EXPECT_EQ(judged(rules, "10.1.1.1").bits, 8);
  EXPECT_TRUE(judged(rules, "11.1.1.1").in);
}

TEST(AddressRules, RefuseTheRestIfAnythingIsAllowed) {
  const AddressRules rules{.allow = blocks({"10.0.0.0/8"}), .deny = {}, .allow_files = {}, .deny_files = {}};
  EXPECT_TRUE(judged(rules, "10.1.1.1").in);
  EXPECT_FALSE(judged(rules, "11.1.1.1").in);
  EXPECT_EQ(judged(rules, "11.1.1.1").bits, AddressBlocks::kNone);
  EXPECT_FALSE(judged(rules, "2001:db8::1").in);
}

TEST(AddressRules, FollowTheSmallestBlock) {
  const AddressRules rules{.allow = blocks({"10.0.0.0/8", "10.1.1.0/24"}),
                           .deny = blocks({"10.1.0.0/16", "10.1.1.1"}),
                           .allow_files = {},
                           .deny_files = {}};
  EXPECT_TRUE(judged(rules, "10.2.0.1").in);
  EXPECT_FALSE(judged(rules, "10.1.2.1").in);
  EXPECT_TRUE(judged(rules, "10.1.1.2").in);
  EXPECT_FALSE(judged(rules, "10.1.1.1").in);
}

TEST(AddressRules, DenyIfTwoFilesHaveTheSameBlock) {
  const AddressRules rules{.allow = {}, .deny = {}, .allow_files = {0}, .deny_files = {1}};
  const Lists lists{list({"10.0.0.0/8", "10.1.1.1"}), list({"10.0.0.0/8"})};
  EXPECT_FALSE(judged(rules, "10.2.0.1", lists).in);
  EXPECT_TRUE(judged(rules, "10.1.1.1", lists).in);
  EXPECT_FALSE(judged(rules, "192.0.2.1", lists).in);
}

TEST(AddressRules, OfAnEmptyFileThatAllowsRefuseEverybody) {
  const AddressRules rules{.allow = {}, .deny = {}, .allow_files = {0}, .deny_files = {}};
  EXPECT_FALSE(judged(rules, "10.2.0.1", {list({})}).in);
  EXPECT_TRUE(judged(rules, "10.2.0.1", {nullptr}).in) << "a file that only a candidate names";
}

}  // namespace
}  // namespace headgate::gateway
