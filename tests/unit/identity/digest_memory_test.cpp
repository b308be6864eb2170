#include "headgate/identity/digest_memory.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace headgate::identity {
namespace {

TEST(DigestMemory, ReturnsTheSameDigestEachTime) {
  DigestMemory memory;
  // Many more than there are places, so that most are computed again.
  for (int round = 0; round < 3; ++round) {
    for (int key = 0; key < 5'000; ++key) {
      const auto text = "key-" + std::to_string(key);
      ASSERT_EQ(memory.digest(text).digest, sha256(text)) << text;
      ASSERT_EQ(memory.digest(text).digest, sha256(text)) << text << ", known now";
    }
  }
}

TEST(DigestMemory, KeepsWhatFillsATenthOfIt) {
  DigestMemory memory;
  const auto text_of = [](std::size_t key) { return "key-" + std::to_string(key); };
  std::vector<const DigestMemory::Known*> places;
  for (std::size_t key = 0; key < DigestMemory::kPlaces / 10; ++key) places.push_back(&memory.digest(text_of(key)));
  for (std::size_t key = 0; key < places.size(); ++key)
    EXPECT_EQ(places[key]->digest, sha256(text_of(key))) << "another text has its place: " << text_of(key);
}

TEST(DigestMemory, TakesTextsOfAnyLength) {
  DigestMemory memory;
  for (std::size_t size = 0; size < 200; ++size) {
    const std::string text(size, 'k');
    EXPECT_EQ(memory.digest(text).digest, sha256(text)) << size;
    EXPECT_EQ(memory.digest(text).digest, sha256(text)) << size << ", known now";
  }
}

TEST(DigestMemory, TellsTextsApartThatDifferInTheirLastByte) {
  DigestMemory memory;
  std::string text(DigestMemory::kLongest, 'a');
  EXPECT_EQ(memory.digest(text).digest, sha256(text));
  for (int last = 0; last < 256; ++last) {
    text.back() = static_cast<char>(last);
    EXPECT_EQ(memory.digest(text).digest, sha256(text)) << last;
  }
}

TEST(DigestMemory, KnowsEachDigestInReadableForm) {
  DigestMemory memory;
  for (const std::string text : {"", "key-1", "key-1", "key-2"}) {
    const auto& known = memory.digest(text);
    EXPECT_EQ(as_text(known.readable), as_text(digest_text(sha256(text)))) << text;
  }
  EXPECT_EQ(as_text(memory.digest("key-1").readable), "~be2974546978e3739e6d6da85c4be9f3");
}

}  // namespace
}  // namespace headgate::identity
