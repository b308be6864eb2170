// Requests and answers that are made to cost far more than their size.

#include "blackbox/harness/gateway.hpp"

#include <gtest/gtest.h>

#include <list>

namespace headgate::test {
namespace {

TEST(Amplification, ARequestTakesMemoryInProportionToItsHead) {
  Proxy proxy;
  const std::string via = "Via: 1.1 " + std::string(140, 'v') + "\r\n";
  std::string fields = "X-Test-Hold: 1\r\n";
  for (int i = 0; i < 95; ++i) fields += via;
  std::list<RawClient> clients;
  const auto ask = [&](const std::string& more) {
    clients.push_back(proxy.client());
    clients.back().send(request("GET", "/", more));
    return proxy.upstream.wait_for_heads(clients.size());
  };
  for (int i = 0; i < 10; ++i) ASSERT_TRUE(ask("X-Test-Hold: 1\r\n"));
  const auto before = proxy.gateway.resident_kib();
  constexpr std::size_t kRequests = 50;
  for (std::size_t i = 0; i < kRequests; ++i) ASSERT_TRUE(ask(fields));
  // A head of 15 KiB, its copies and its connection, with a margin; a tenth of what quadratic memory would take.
  EXPECT_LT(proxy.gateway.resident_kib() - before, kRequests * 250 * HEADGATE_SHADOW);
  proxy.upstream.release();
  for (auto& client : clients) EXPECT_EQ(client.read().status(), 200);
}

TEST(Amplification, ConnectionNamesAFewFieldsAndNotAll) {
  Proxy proxy;
  std::string names = "n0";
  for (int i = 1; i < 32; ++i) names += ", n" + std::to_string(i);
  EXPECT_EQ(proxy.client().get("/", "Connection: " + names + ", close\r\nN31: x\r\n").status(), 200);
  EXPECT_FALSE(proxy.forwarded().has("N31"));
  const std::string answer = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: " + names + ", n32\r\n\r\n";
  expect_problem(proxy.client().get("/", "X-Test-Raw: " + to_hex(answer) + "\r\n"), 502);
  Proxy scattered;
  expect_problem(scattered.client().ask(request("GET", "/", "Connection: " + names + "\r\nConnection: n32\r\n")), 400);
  std::string everywhere;
  for (int i = 0; i < 90; ++i) everywhere += "Connection: b,b,b,b,b,b,b,b,b,b,b,b,b,b,b,b,b,b,b,b,b,b,b,b,b\r\n";
  expect_problem(scattered.client().ask(request("GET", "/", everywhere)), 400);
}

/// A body's chunks, which nothing in `body` looks like.
std::size_t chunks_of(const Message& message) {
  std::size_t lines = 0;
  for (auto at = message.framed_body.find("\r\n"); at != std::string::npos;
       at = message.framed_body.find("\r\n", at + 2))
    ++lines;
  return lines / 2 - 1;
}

TEST(Amplification, TinyChunksGoOnInLargeOnes) {
  constexpr std::size_t kBytes = 500'000;
  Proxy proxy;
  const std::string body(kBytes, 'x');
  std::string tiny;
  for (const char byte : body) tiny += "1\r\n" + std::string(1, byte) + "\r\n";
  RawClient client = proxy.client();
  client.send(request("PUT", "/", "Transfer-Encoding: chunked\r\n", tiny + "0\r\n\r\n"));
  EXPECT_EQ(client.read().status(), 200);
  EXPECT_TRUE(proxy.forwarded().body == body);
  EXPECT_LT(chunks_of(proxy.forwarded()), kBytes / 100) << "a system call for each byte";

  const Message answer = client.get("/", "X-Test-Bytes: 500000\r\nX-Test-Chunked: 1\r\n");
  ASSERT_TRUE(answer.ok()) << answer.error;
  EXPECT_TRUE(answer.body == pattern(kBytes));
  EXPECT_LT(chunks_of(answer), kBytes / 100);
}

}  // namespace
}  // namespace headgate::test
