// What is read of a call of gRPC, and what is written of it.

#include "../../../../src/gateway/grpc/grpc_call.hpp"

#include "../../../../src/gateway/answers/grpc_answer.hpp"

#include "headgate/http/head.hpp"

#include <gtest/gtest.h>

namespace headgate::gateway {
namespace {

using namespace std::chrono_literals;

TEST(GrpcCall, IsAPostOverHttp2WithItsMediaType) {
  const auto is = [](unsigned version, std::string_view method, std::string_view type) {
    Exchange x;
    x.request.version = version;
    x.request.method = method;
    if (!type.empty()) x.request.fields.push_back({http::Known::content_type, "Content-Type", type});
    return is_grpc(x);
  };
  for (const auto* const type : {"application/grpc", "application/grpc+proto", "Application/GRPC;x=y"})
    EXPECT_TRUE(is(20, "POST", type)) << type;
  for (const auto* const type :
       {"", "application/grpc-web", "application/grpc-web+proto", "application/grp", "text/plain"})
    EXPECT_FALSE(is(20, "POST", type)) << type;
  EXPECT_FALSE(is(11, "POST", "application/grpc"));
  EXPECT_FALSE(is(20, "GET", "application/grpc"));
}

TEST(GrpcCall, TellsItsTimeoutInEightDigitsAndAUnit) {
  EXPECT_EQ(grpc_timeout_in("2H"), 2h);
  EXPECT_EQ(grpc_timeout_in("90M"), 90min);
  EXPECT_EQ(grpc_timeout_in("99999999S"), 99999999s);
  EXPECT_EQ(grpc_timeout_in("0m"), 0ms);
  EXPECT_EQ(grpc_timeout_in("12345678u"), 12345678us);
  EXPECT_EQ(grpc_timeout_in("1999n"), 1us);
  for (const auto* const wrong : {"", "1", "S", "1s", "-1S", "+1S", " 1S", "1 S", "123456789S", "1.5S", "0x1S", "1Su"})
    EXPECT_FALSE(grpc_timeout_in(wrong)) << wrong;
}

TEST(GrpcCall, IsToldTheTimeThatIsLeftAndNoMore) {
  char room[9];
  EXPECT_EQ(grpc_timeout(-5s, room), "0u");
  EXPECT_EQ(grpc_timeout(1us, room), "1u");
  EXPECT_EQ(grpc_timeout(99'999'999us, room), "99999999u");
  EXPECT_EQ(grpc_timeout(100'000'999us, room), "100000m");
  EXPECT_EQ(grpc_timeout(Duration(99'999'999'999), room), "99999999m");
  EXPECT_EQ(grpc_timeout(Duration(100'000'000'000), room), "100000S");
  EXPECT_EQ(grpc_timeout(Duration::max(), room), "99999999S");
  for (const auto left : {Duration(1), Duration(123'456'789), Duration(123'456'789'012)})
    EXPECT_LE(*grpc_timeout_in(grpc_timeout(left, room)), left);
}

TEST(GrpcCall, HasAStatusThatIsANumber) {
  using observe::GrpcStatus;
  EXPECT_EQ(grpc_status_in(""), GrpcStatus::none);
  EXPECT_EQ(grpc_status_in("0"), GrpcStatus::ok);
  EXPECT_EQ(grpc_status_in("16"), GrpcStatus::unauthenticated);
  for (const auto* const odd : {"17", "-1", "x", "1x", "99999999999"})
    EXPECT_EQ(grpc_status_in(odd), GrpcStatus::other) << odd;
}

// Written by the library of Protocol Buffers: Status(code=8, message="wait", details=[Any(RetryInfo(1.5 s))]).
TEST(GrpcCall, IsToldAWaitAsProtocolBuffersWriteIt) {
  TextArena text;
  EXPECT_EQ(retry_info(text, 8, "wait", 1500),
            "CAgSBHdhaXQaNgoodHlwZS5nb29nbGVhcGlzLmNvbS9nb29nbGUucnBjLlJldHJ5SW5mbxIKCggIARCAyrXuAQ");
  EXPECT_EQ(retry_info(text, 8, "", 0), "CAgaLgoodHlwZS5nb29nbGVhcGlzLmNvbS9nb29nbGUucnBjLlJldHJ5SW5mbxICCgA");
}

}  // namespace
}  // namespace headgate::gateway
