// Known keys are found by their digest.

#include "headgate/identity/api_keys.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace headgate::identity {
namespace {

std::string key(std::size_t number) { return "key-" + std::to_string(number); }

std::vector<ApiKeyRecord> records(std::size_t count) {
  std::vector<ApiKeyRecord> all(count);
  for (std::size_t i = 0; i < count; ++i) {
    all[i].owner = "owner-" + std::to_string(i);
    all[i].digest = sha256(key(i));
  }
  return all;
}

TEST(ApiKeys, FindNothingIfThereAreNone) {
  const ApiKeys none;
  EXPECT_TRUE(none.empty());
  EXPECT_EQ(none.find(sha256("anything")), nullptr);
  EXPECT_EQ(ApiKeys(std::vector<ApiKeyRecord>{}).find(Sha256{}), nullptr);
}

TEST(ApiKeys, FindEachKeyAndNoOther) {
  for (const std::size_t count : {1UL, 2UL, 3UL, 100UL, 4096UL}) {
    const ApiKeys keys(records(count));
    EXPECT_EQ(keys.size(), count);
    for (std::size_t i = 0; i < count; ++i) {
      const auto* found = keys.find(sha256(key(i)));
      ASSERT_NE(found, nullptr) << i << " of " << count;
      EXPECT_EQ(found->owner, "owner-" + std::to_string(i));
    }
    for (std::size_t i = count; i < 2 * count; ++i) EXPECT_EQ(keys.find(sha256(key(i))), nullptr) << i;
  }
}

TEST(ApiKeys, TellDigestsApartByTheirLastBitToo) {
  const ApiKeys keys(records(100));
  for (std::size_t byte = 0; byte < 32; ++byte) {
    for (const unsigned bit : {0U, 7U}) {
      auto near = sha256(key(42));
      near[byte] = static_cast<unsigned char>(near[byte] ^ (1U << bit));
      EXPECT_EQ(keys.find(near), nullptr) << byte << '.' << bit;
    }
  }
}

TEST(ApiKeys, AreFoundEvenIfTheirDigestsDifferInOnlyOneByte) {
  std::vector<ApiKeyRecord> alike(256);
  for (std::size_t i = 0; i < alike.size(); ++i) {
    alike[i].owner = std::to_string(i);
    alike[i].digest.back() = static_cast<unsigned char>(i);
  }
  const ApiKeys keys(alike);
  for (const auto& record : alike) {
    const auto* found = keys.find(record.digest);
    ASSERT_NE(found, nullptr);
    EXPECT_EQ(found->owner, record.owner);
  }
}

TEST(ApiKeys, KeepTheFirstOfTwoRecordsWithTheSameDigest) {
  auto all = records(10);
  all[7].digest = all[3].digest;
  const ApiKeys keys(std::move(all));
  ASSERT_NE(keys.find(sha256(key(3))), nullptr);
  EXPECT_EQ(keys.find(sha256(key(3)))->owner, "owner-3");
  EXPECT_EQ(keys.find(sha256(key(7))), nullptr);
  EXPECT_EQ(keys.records().size(), 10U);
}

TEST(ApiKeys, FindDisabledAndExpiredOnesToo) {
  auto all = records(2);
  all[0].disabled = true;
  all[1].expires = Instant{};
  const ApiKeys keys(std::move(all));
  ASSERT_NE(keys.find(sha256(key(0))), nullptr);
  EXPECT_TRUE(keys.find(sha256(key(0)))->disabled);
  ASSERT_NE(keys.find(sha256(key(1))), nullptr);
  EXPECT_EQ(keys.find(sha256(key(1)))->expires, Instant{});
}

TEST(Sha256, IsThatOfFips180) {
  const Sha256 abc{0xba, 0x78, 0x16, 0xbf, 0x8f, 0x01, 0xcf, 0xea, 0x41, 0x41, 0x40, 0xde, 0x5d, 0xae, 0x22, 0x23,
                   0xb0, 0x03, 0x61, 0xa3, 0x96, 0x17, 0x7a, 0x9c, 0xb4, 0x10, 0xff, 0x61, 0xf2, 0x00, 0x15, 0xad};
  EXPECT_EQ(sha256("abc"), abc);
  EXPECT_EQ(sha256("abc"), abc) << "the second of a thread";
  EXPECT_EQ(sha256("")[0], 0xe3);
  EXPECT_NE(sha256(std::string(1'000'000, 'a')), sha256(std::string(999'999, 'a')));
}

}  // namespace
}  // namespace headgate::identity
