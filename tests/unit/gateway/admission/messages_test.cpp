// Where messages begin in a body of gRPC, and the base64 of gRPC-Web, in pieces of any size.

#include "../../../../src/gateway/admission/messages.hpp"

#include "../../../../src/gateway/grpc/web_text.hpp"
#include "../../../../src/gateway/limits/grpc_outcome.hpp"

#include "headgate/core/base64.hpp"

#include <gtest/gtest.h>

#include <random>
#include <string>

namespace headgate::gateway {
namespace {

std::string message(std::size_t size) {
  std::string out(1, '\0');
  for (const unsigned shift : {24U, 16U, 8U, 0U}) out += static_cast<char>(size >> shift & 0xff);
  return out + std::string(size, '\x7f');
}

TEST(GrpcMessageCount, IsTheSameInPiecesOfAnySize) {
  const std::string body = message(0) + message(3) + message(0) + message(70'000) + message(1) + message(256);
  std::mt19937 dice(1);
  for (const std::size_t most : {std::size_t{1}, std::size_t{2}, std::size_t{7}, std::size_t{4096}, body.size()}) {
    MessageCount count;
    std::uint32_t begun = 0;
    for (std::size_t at = 0; at < body.size();) {
      const auto size = std::min(1 + dice() % most, body.size() - at);
      begun += count.in(std::string_view(body).substr(at, size));
      at += size;
    }
    EXPECT_EQ(begun, 6U) << most;
  }
}

TEST(GrpcMessageCount, BeginsWithTheLastByteOfTheLength) {
  MessageCount count;
  EXPECT_EQ(count.in(std::string(4, '\0')), 0U);
  EXPECT_EQ(count.in(std::string(1, '\0')), 1U);
  EXPECT_EQ(count.in(std::string(5, '\xff')), 1U) << "the longest there is";
  for (int i = 0; i < 100; ++i) EXPECT_EQ(count.in(std::string(1'000'000, '\0')), 0U);
}

TEST(WebText, IsDecodedInPiecesOfAnySize) {
  std::mt19937 dice(2);
  for (int round = 0; round < 200; ++round) {
    std::string bytes;
    std::string text;
    for (auto groups = dice() % 5; groups > 0; --groups) {
      std::string part(dice() % 20, '\0');
      for (auto& c : part) c = static_cast<char>(dice());
      bytes += part;
      text += base64(part);
    }
    WebTextDecoder decoder;
    std::string out;
    for (std::size_t at = 0; at < text.size();) {
      const auto size = std::min<std::size_t>(1 + dice() % 6, text.size() - at);
      ASSERT_TRUE(decoder.decode(std::string_view(text).substr(at, size), out));
      at += size;
    }
    EXPECT_TRUE(decoder.whole());
    EXPECT_EQ(out, bytes);
  }
}

TEST(WebText, IsNothingElse) {
  for (const auto* const wrong : {"=", "A=", "A===", "AA=A", "AB-_", "AA A", "AAAA\n", "====", "AA==="}) {
    WebTextDecoder decoder;
    std::string out;
    EXPECT_FALSE(decoder.decode(wrong, out) && decoder.whole()) << wrong;
  }
}

TEST(GrpcStatus, StandsForOneHttpStatus) {
  using observe::GrpcStatus;
  EXPECT_EQ(http_status_of(GrpcStatus::none), 0U);
  EXPECT_EQ(http_status_of(GrpcStatus::ok), 200U);
  EXPECT_EQ(http_status_of(GrpcStatus::unavailable), 503U);
  EXPECT_EQ(http_status_of(GrpcStatus::unauthenticated), 401U);
  EXPECT_EQ(http_status_of(GrpcStatus::resource_exhausted), 429U);
  EXPECT_EQ(http_status_of(GrpcStatus::deadline_exceeded), 504U);
  EXPECT_EQ(http_status_of(GrpcStatus::unimplemented), 501U);
  EXPECT_EQ(http_status_of(GrpcStatus::other), 500U);
}

}  // namespace
}  // namespace headgate::gateway
