// An answer that comes before the body was read reaches a client that sends everything before it reads.

#include "blackbox/harness/gateway.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <thread>

namespace headgate::test {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kUpload = 10'000'000;

/// Rejects every request but the first with 429.
const Json kUsedUp = {{"limits", {{"x", {{"rate", "1/day"}, {"per", "client_ip"}}}}},
                      {"all_routes", {{"limits", {"x"}}, {"max_body", "64MiB"}}}};

std::string upload_of(std::size_t bytes) {
  return request("POST", "/", "Content-Length: " + std::to_string(bytes) + "\r\n");
}

/// Sends all of an upload, then reads the answer, as most HTTP libraries do.
Message upload(RawClient& client, std::size_t bytes = kUpload) {
  EXPECT_TRUE(client.send(upload_of(bytes) + std::string(bytes, 'x'))) << "cut off while sending";
  return client.read();
}

std::size_t sockets_of(Gateway& gateway) {
  std::size_t count = 0;
  for (const auto& each :
       std::filesystem::directory_iterator("/proc/" + std::to_string(gateway.process().pid()) + "/fd")) {
    std::error_code gone;
    count += std::filesystem::read_symlink(each, gone).string().starts_with("socket:") ? 1 : 0;
  }
  return count;
}

bool comes_to_sockets(Gateway& gateway, std::size_t count) {
  const auto until = Clock::now() + kPatience;
  while (sockets_of(gateway) > count && Clock::now() < until) std::this_thread::sleep_for(Milliseconds(20));
  return sockets_of(gateway) <= count;
}

TEST(RefusedUpload, RejectedByALimitGetsItsAnswer) {
  Proxy proxy(kUsedUp);
  EXPECT_EQ(proxy.client().get().status(), 200);
  for (int i = 0; i < 3; ++i) {
    RawClient client = proxy.client();
    expect_problem(upload(client), 429);
    EXPECT_TRUE(client.closes());
  }
  EXPECT_EQ(proxy.upstream.request_count(), 1U);
}

TEST(RefusedUpload, RefusedForAnotherReasonGetsItsAnswer) {
  Proxy proxy(R"({"all_routes": {"max_body": "1MiB"}, "bounds": {"head_fields": 20},
                  "routes": [{"path": "/api/*", "to": "app"}, {"path": "/fixed", "respond": {"status": 403}}]})"_json);
  const std::string length = "Content-Length: " + std::to_string(kUpload) + "\r\n";
  std::string fields;
  for (int i = 0; i < 20; ++i) fields += "A: b\r\n";
  const std::vector<std::pair<std::string, int>> refused = {
      {request("POST", "/api/", length), 413},
      {request("POST", "/api/", length + fields), 431},
      {request("POST", "/" + std::string(9000, 'a'), length), 414},
      {request("POST", "/api/", length + length), 400},
      {request("POST", "/api/", "Transfer-Encoding: chunked\r\n", "fffffff\r\n"), 413},
      {request("POST", "/api/", "Transfer-Encoding: chunked\r\n", "no size\r\n"), 400},
  };
  for (const auto& [head, status] : refused) {
    RawClient client = proxy.client();
    EXPECT_TRUE(client.send(head + std::string(kUpload, 'x'))) << status;
    expect_problem(client.read(), status);
  }
}

TEST(RefusedUpload, ToAFullGatewayGetsItsAnswer) {
  Proxy proxy(R"({"bounds": {"connections": 1}})"_json);
  RawClient first = proxy.client();
  ASSERT_TRUE(first.send(request("GET", "/", "X-Test-Hold: 1\r\n")));
  ASSERT_TRUE(proxy.upstream.wait_for_requests(1));
  for (int i = 0; i < 3; ++i) {
    RawClient client = proxy.client();
    expect_problem(upload(client), 503);
  }
  proxy.upstream.release();
  EXPECT_EQ(first.read().status(), 200);
  EXPECT_EQ(first.get().status(), 200);
}

TEST(RefusedUpload, OfASmallBodyThatIsThereAlreadyKeepsItsConnection) {
  Proxy proxy(kUsedUp);
  RawClient client = proxy.client();
  EXPECT_EQ(client.get().status(), 200);
  const std::string chunked =
      request("POST", "/", "Transfer-Encoding: chunked\r\n", "5\r\nhello\r\n3\r\nyou\r\n0\r\nA: b\r\n\r\n");
  for (const auto& sent : {request_with_body("POST", "/", "hello"), chunked, request_with_body("PUT", "/", "again")}) {
    const Message answer = client.ask(sent);
    expect_problem(answer, 429);
    EXPECT_FALSE(answer.has("Connection")) << visible(answer.head);
  }
}

TEST(RefusedUpload, IsReadToItsEndWhileTheGatewayDrains) {
  Json changes = kUsedUp;
  changes["drain"] = "20s";
  Proxy proxy(changes);
  EXPECT_EQ(proxy.client().get().status(), 200);
  RawClient under_way = proxy.client();
  under_way.send(upload_of(kUpload) + "x");
  Message refused = under_way.read();
  expect_problem(refused, 429);
  RawClient late = proxy.client();
  proxy.gateway.process().signal(SIGTERM);
  expect_problem(upload(late), 429);
  EXPECT_TRUE(under_way.send(std::string(kUpload - 1, 'x'))) << "cut off by the drain";
  late.socket().close();
  under_way.socket().close();
  EXPECT_EQ(proxy.gateway.process().wait(), 0) << proxy.gateway.process().err();
}

TEST(RefusedUpload, ThatFallsSilentIsClosed) {
  Proxy proxy(kUsedUp);
  const auto before = sockets_of(proxy.gateway) + 1;  // includes the connection to the server, which is pooled
  EXPECT_EQ(proxy.client().get().status(), 200);
  ASSERT_TRUE(comes_to_sockets(proxy.gateway, before));
  RawClient client = proxy.client();
  client.send(upload_of(kUpload) + std::string(100'000, 'x'));
  expect_problem(client.read(), 429);
  const auto start = Clock::now();
  EXPECT_TRUE(comes_to_sockets(proxy.gateway, before));
  EXPECT_GT(Clock::now() - start, std::chrono::seconds(4)) << "a client may pause";
}

TEST(RefusedUpload, TakesNoPlaceFromOthers) {
  Json changes = kUsedUp;
  changes["bounds"] = {{"connections", 1}};
  Proxy proxy(changes);
  EXPECT_EQ(proxy.client("127.0.0.2").get().status(), 200);
  RawClient refused = proxy.client("127.0.0.2");
  const auto until = Clock::now() + kPatience;
  while (true) {  // until the first one has ended
    refused.send(upload_of(kUpload) + "x");
    const auto status = refused.read().status();
    if (status == 429 || Clock::now() > until) break;
    refused = proxy.client("127.0.0.2");
  }
  EXPECT_EQ(proxy.client("127.0.0.3").get().status(), 200) << "while that one goes on sending";
  EXPECT_TRUE(refused.send(std::string(kUpload - 1, 'x')));
}

TEST(RefusedUpload, IsOneOfABoundedNumber) {
  Json changes = kUsedUp;
  changes["bounds"] = {{"connections", 10000}};
  Proxy proxy(changes);
  EXPECT_EQ(proxy.client().get().status(), 200);
  constexpr std::size_t kMany = 1300;
  std::vector<RawClient> clients;
  clients.reserve(kMany);
  for (std::size_t i = 0; i < kMany; ++i) {
    clients.push_back(proxy.client());
    clients.back().send(upload_of(kUpload) + "x");
    ASSERT_EQ(clients.back().read().status(), 429) << i;
  }
  EXPECT_LT(sockets_of(proxy.gateway), 1100U);
  EXPECT_TRUE(clients.back().send(std::string(kUpload - 1, 'x'))) << "the latest one is still read";
  EXPECT_EQ(proxy.client("127.0.0.2").get().status(), 200);
}

/// A client of another project.
struct Library {
  const char* name;
  const char* program;
  const char* script;
  const char* needs;  ///< a command that fails if the client is not installed
};

class RefusedUploadOf : public testing::TestWithParam<Library> {};

INSTANTIATE_TEST_SUITE_P(
    Libraries, RefusedUploadOf,
    testing::Values(Library{"http.client", "/usr/bin/python3", "upload.py", "/usr/bin/python3 -c 'import http.client'"},
                    Library{"httpx", "/usr/bin/python3", "upload.py", "/usr/bin/python3 -c 'import httpx'"},
                    Library{"fetch", "/usr/bin/node", "upload.js", "/usr/bin/node -e 'fetch'"},
                    Library{"http", "/usr/bin/node", "upload.js", "/usr/bin/node -e 0"}),
    [](const auto& each) {
      const std::string name = each.param.name;
      return name == "http.client" ? std::string("http_client") : name;
    });

TEST_P(RefusedUploadOf, GetsItsAnswer) {
  const auto& library = GetParam();
  if (std::system((std::string(library.needs) + " >/dev/null 2>&1").c_str()) != 0)
    GTEST_SKIP() << "this fails here: " << library.needs;
  Proxy proxy(kUsedUp);
  EXPECT_EQ(proxy.client().get().status(), 200);
  for (const char* bytes : {"2000000", "10000000"}) {
    Process client({std::string(HEADGATE_SOURCE_DIR) + "/tests/blackbox/clients/" + library.script, library.name,
                    std::to_string(proxy.gateway.port()), "/", bytes, "6"},
                   {}, library.program);
    EXPECT_EQ(client.wait(Milliseconds(60'000)), 0) << client.err();
    EXPECT_EQ(client.out(), "429\n429\n429\n429\n429\n429\n") << bytes;
  }
}

}  // namespace
}  // namespace headgate::test
