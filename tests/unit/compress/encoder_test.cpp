// What an encoder makes is decoded again by zlib and by Brotli's decoder.

#include "support/decoded.hpp"

#include "headgate/compress/memory.hpp"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

namespace headgate::compress {
namespace {

using test::decoded;

class EveryCoding : public testing::TestWithParam<Coding> {};

std::string some_text(std::minstd_rand& dice, std::size_t size) {
  static const std::vector<std::string> kWords{"limit", " ", "route", "\n", "a", "{\"id\": ", "0", "\0x", "headgate"};
  std::string out;
  while (out.size() < size)
    out += dice() % 10 == 0 ? std::string(1, static_cast<char>(dice())) : kWords[dice() % kWords.size()];
  out.resize(size);
  return out;
}

/// Encodes `in` with rooms of `room` bytes, and appends what comes. False if it failed.
bool encode(Encoder& encoder, std::string_view in, Upto upto, std::string& out, std::size_t room = 4096) {
  std::string place(room, '\0');
  while (true) {
    std::span<char> left(place);
    const auto progress = encoder.encode(in, left, upto);
    out.append(place, 0, room - left.size());
    if (progress == Encoder::Progress::failed) return false;
    if (progress == Encoder::Progress::done) {
      EXPECT_TRUE(in.empty());
      return true;
    }
  }
}

TEST_P(EveryCoding, GivesBackWhatWentInWhereverItIsCutAndFlushed) {
  std::minstd_rand dice(7);
  for (int round = 0; round < 40; ++round) {
    const auto text = some_text(dice, dice() % 200'000);
    const bool size_known = dice() % 2 == 0;
    const auto encoder = make_encoder(GetParam(), kMinLevel + static_cast<unsigned>(dice() % kMaxLevel),
                                      size_known ? std::optional(text.size()) : std::nullopt);
    ASSERT_NE(encoder, nullptr);
    std::string coded;
    std::string_view left = text;
    while (!left.empty()) {
      const auto piece = left.substr(0, 1 + dice() % (dice() % 4 == 0 ? 70'000 : 300));
      left.remove_prefix(piece.size());
      const bool flush = dice() % 3 == 0;
      ASSERT_TRUE(encode(*encoder, piece, flush ? Upto::here : Upto::whatever, coded, 64 + dice() % 5000));
      if (!flush || dice() % 20 != 0) continue;
      const auto so_far = decoded(GetParam(), coded);
      EXPECT_EQ(so_far.bytes.size(), text.size() - left.size()) << "what was flushed can be read";
      EXPECT_FALSE(so_far.ended);
    }
    ASSERT_TRUE(encode(*encoder, {}, Upto::end, coded));
    const auto all = decoded(GetParam(), coded);
    EXPECT_EQ(all.bytes, text);
    EXPECT_TRUE(all.ended);
  }
}

TEST_P(EveryCoding, ThatIsNotEndedIsSeenToBeCut) {
  const auto encoder = make_encoder(GetParam(), 4, std::nullopt);
  std::string coded;
  ASSERT_TRUE(encode(*encoder, "all of this is there", Upto::here, coded));
  const auto cut = decoded(GetParam(), coded);
  EXPECT_EQ(cut.bytes, "all of this is there");
  EXPECT_FALSE(cut.ended);
  EXPECT_FALSE(cut.damaged);
}

TEST_P(EveryCoding, CanFlushNothingAndEndEmpty) {
  const auto encoder = make_encoder(GetParam(), 4, 0);
  std::string coded;
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(encode(*encoder, {}, Upto::here, coded));
  ASSERT_TRUE(encode(*encoder, {}, Upto::whatever, coded));
  ASSERT_TRUE(encode(*encoder, {}, Upto::end, coded));
  const auto all = decoded(GetParam(), coded);
  EXPECT_EQ(all.bytes, "");
  EXPECT_TRUE(all.ended);
}

TEST_P(EveryCoding, TakesLessMemoryForLessAndNeverMoreThanThreeMegabytes) {
  std::minstd_rand dice(8);
  const auto text = some_text(dice, 1'000'000);
  for (unsigned level = kMinLevel; level <= kMaxLevel; ++level) {
    const auto large = make_encoder(GetParam(), level, std::nullopt);
    const auto small = make_encoder(GetParam(), level, 2000);
    std::string coded;
    std::size_t most = 0;
    for (std::size_t at = 0; at < text.size(); at += 65'536) {
      ASSERT_TRUE(encode(*large, std::string_view(text).substr(at, 65'536), Upto::here, coded));
      most = std::max(most, large->memory());
    }
    EXPECT_LT(most, 3U << 20) << level;
    ASSERT_TRUE(encode(*small, std::string_view(text).substr(0, 2000), Upto::end, coded));
    EXPECT_LT(small->memory(), most) << level;
    EXPECT_GT(small->memory(), 0U) << level;
  }
}

TEST_P(EveryCoding, TakesNoMoreMemoryThanIsSaid) {
  std::minstd_rand dice(9);
  auto bytes = some_text(dice, 300'000);
  for (std::size_t i = 0; i < 150'000; ++i) bytes[i] = static_cast<char>(dice() >> 8);  // hardly compressible
  for (unsigned level = kMinLevel; level <= kMaxLevel; ++level)
    for (const auto& size : std::initializer_list<std::optional<std::uint64_t>>{{}, 300'000, 1'100'000, 1UL << 40}) {
      const auto encoder = make_encoder(GetParam(), level, size);
      std::string coded;
      for (std::size_t at = 0; at < bytes.size(); at += 32'768) {
        const auto how = at % 65'536 == 0 ? Upto::here : Upto::whatever;
        ASSERT_TRUE(encode(*encoder, std::string_view(bytes).substr(at, 32'768), how, coded));
        EXPECT_LE(encoder->memory(), most_memory(GetParam(), level)) << level;
      }
    }
}

INSTANTIATE_TEST_SUITE_P(All, EveryCoding, testing::Values(Coding::br, Coding::gzip),
                         [](const auto& of) { return std::string(to_text(of.param)); });

TEST(Encoders, MakeTheSameOfTheSame) {
  for (const auto coding : {Coding::br, Coding::gzip}) {
    std::string one, two;
    ASSERT_TRUE(encode(*make_encoder(coding, 4, 5), "hello", Upto::end, one));
    ASSERT_TRUE(encode(*make_encoder(coding, 4, 5), "hello", Upto::end, two));
    EXPECT_EQ(one, two) << "no time, no name";
  }
}

}  // namespace
}  // namespace headgate::compress
