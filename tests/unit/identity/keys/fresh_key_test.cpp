#include "headgate/identity/fresh_key.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace headgate::identity {
namespace {

TEST(FreshKey, IsItsPrefixAnd43LettersAndDigits) {
  const auto key = fresh_key("acme");
  ASSERT_EQ(key.size(), 4 + 1 + 43U);
  EXPECT_TRUE(key.starts_with("acme_"));
  EXPECT_EQ(key.find_first_not_of("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz", 5), key.npos)
      << "a double click takes all of it: " << key;
}

TEST(FreshKey, IsEachTimeAnother) {
  std::set<std::string> seen;
  for (int i = 0; i < 1000; ++i) EXPECT_TRUE(seen.insert(fresh_key("k")).second);
}

TEST(FreshKey, UsesAllLettersEquallyOften) {
  std::array<int, 256> count{};
  constexpr int kKeys = 5000;
  for (int i = 0; i < kKeys; ++i)
    for (const char letter : fresh_key("").substr(1)) ++count[static_cast<unsigned char>(letter)];
  constexpr double kExpected = kKeys * 43.0 / 62;  // 3468, with a deviation of 59
  for (const char letter : std::string("09AZaz")) {
    EXPECT_NEAR(count[static_cast<unsigned char>(letter)], kExpected, 6 * 59) << letter;
  }
}

}  // namespace
}  // namespace headgate::identity
