#include "headgate/http/websocket.hpp"

#include <gtest/gtest.h>

namespace headgate::http {
namespace {

TEST(WebSocketKey, IsSixteenOctetsAsBase64) {
  EXPECT_EQ(websocket_key(0, 0), "AAAAAAAAAAAAAAAAAAAAAA==");
  EXPECT_EQ(websocket_key(~0ULL, ~0ULL), "/////////////////////w==");
  // RFC 6455 section 1.3: the octets 1 to 16.
  EXPECT_EQ(websocket_key(0x0807060504030201, 0x100f0e0d0c0b0a09), "AQIDBAUGBwgJCgsMDQ4PEA==");
}

TEST(WebSocketKey, HasAnAnswerThatOnlyItsReaderKnows) {
  EXPECT_EQ(websocket_accept("dGhlIHNhbXBsZSBub25jZQ=="), "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=") << "RFC 6455 section 1.3";
  EXPECT_EQ(websocket_accept("x3JJHMbDL1EzLkh9GBhXDw=="), "HSmrc0sMlYUkAGmm5OPpG2HaGWk=");
  EXPECT_NE(websocket_accept(""), websocket_accept("AAAAAAAAAAAAAAAAAAAAAA=="));
}

}  // namespace
}  // namespace headgate::http
