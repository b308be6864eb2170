// A gRPC caller that waits as it is told in its own words is admitted, whichever gateway it comes back to.

#include "blackbox/grpc/calling.hpp"
#include "support/redis_server.hpp"

#include <gtest/gtest.h>
#include <openssl/evp.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

namespace headgate::test {
namespace {

std::string from_base64(std::string text) {
  text.append((4 - text.size() % 4) % 4, '=');
  std::string out(text.size(), '\0');
  const auto length =
      EVP_DecodeBlock(reinterpret_cast<unsigned char*>(out.data()), reinterpret_cast<const unsigned char*>(text.data()),
                      static_cast<int>(text.size()));
  out.resize(static_cast<std::size_t>(std::max(length, 0)));
  return out;
}

/// The delay of a google.rpc.RetryInfo in grpc-status-details-bin, in milliseconds.
std::int64_t told_by_details(const std::string& details) {
  constexpr std::string_view kName = "google.rpc.RetryInfo";
  const auto bytes = from_base64(details);
  std::size_t at = bytes.find(kName);
  if (at == std::string::npos) return -1;
  at += kName.size() + 4;  // the keys and lengths of the detail's value and of its delay: one byte each
  std::int64_t out = 0;
  while (at < bytes.size()) {
    const auto field = bytes[at++] >> 3;
    std::uint64_t number = 0;
    for (unsigned shift = 0; at < bytes.size(); shift += 7) {
      const auto byte = static_cast<unsigned char>(bytes[at++]);
      number |= static_cast<std::uint64_t>(byte & 0x7F) << shift;
      if ((byte & 0x80) == 0) break;
    }
    out += static_cast<std::int64_t>(field == 1 ? number * 1000 : number / 1'000'000);
  }
  return out;
}

TEST(GrpcToldWait, HoldsAtTheOtherGateway) {
  if (!RedisServer::installed()) GTEST_SKIP() << "no redis-server on this machine";
  RedisServer redis;
  ASSERT_TRUE(redis.start()) << redis.error();
  H2Server server(once_ended([](const H2Asked& asked) { return grpc_answer(asked.stream, "0"); }));
  std::vector<std::unique_ptr<Proxy>> gateways;
  std::vector<std::unique_ptr<H2Client>> clients;
  for (int i = 0; i < 2; ++i) {
    gateways.push_back(std::make_unique<Proxy>(asking(
        server.url(),
        {{"redis",
          {{"url", "redis://127.0.0.1:" + std::to_string(redis.port())}, {"timeout", "5s"}, {"if_down", "reject"}}},
         {"limits", {{"x", {{"rate", "20/second"}, {"burst", 4}, {"per", "header:X-Api-Key"}, {"if_absent", "skip"}}}}},
         {"all_routes", {{"limits", {"x"}}}}})));
    clients.push_back(std::make_unique<H2Client>(gateways.back()->gateway.port()));
  }
  bool promised = false;
  int kept = 0;
  for (std::uint32_t at = 0; kept < 20; ++at) {
    const auto answer = clients[at % 2]->ask(2 * (at / 2) + 1, call("Any", {{"x-api-key", "one"}}));
    const auto status = grpc_status_of(answer);
    if (std::exchange(promised, false)) {
      ASSERT_EQ(status, "0") << "after " << kept << " promises";
      ++kept;
    }
    if (status == "0") continue;
    ASSERT_EQ(status, "8");
    promised = true;
    const auto pushback = std::stoll(answer.fields.at("grpc-retry-pushback-ms"));
    EXPECT_EQ(told_by_details(answer.fields.at("grpc-status-details-bin")), pushback);
    std::this_thread::sleep_for(std::chrono::milliseconds(pushback));
  }
}

}  // namespace
}  // namespace headgate::test
