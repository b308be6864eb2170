// Bodies are streamed in any framing and size, in constant memory.

#include "blackbox/harness/gateway.hpp"

#include <gtest/gtest.h>

#include <thread>

namespace headgate::test {
namespace {

constexpr std::size_t kLarge = 50U << 20;
constexpr std::size_t kMemory = 16U << 10;  // KiB the gateway may grow by
const Json kBigBodies = R"({"all_routes": {"max_body": "64MiB"}})"_json;
// AddressSanitizer keeps freed memory, which would look like memory of the gateway.
const std::vector<std::string> kSmallQuarantine = {
    "ASAN_OPTIONS=quarantine_size_mb=1:thread_local_quarantine_size_kb=64"};

std::string in_chunks(const std::string& body, std::size_t size, const std::string& extension = "",
                      const std::string& trailers = "") {
  std::string text;
  char digits[20];
  for (std::size_t at = 0; at < body.size(); at += size) {
    const std::string piece = body.substr(at, size);
    std::snprintf(digits, sizeof digits, "%zX", piece.size());
    text += digits + extension + "\r\n" + piece + "\r\n";
  }
  return text + "0" + extension + "\r\n" + trailers + "\r\n";
}

TEST(Bodies, OfAnySizeArriveWhole) {
  Proxy proxy(kBigBodies);
  RawClient client = proxy.client();
  for (const std::size_t bytes : {0U, 1U, 16383U, 16384U, 16385U, 65535U, 65536U, 65537U, 1000000U}) {
    const std::string body = pattern(bytes);
    const Message answer = client.ask(request_with_body("PUT", "/", body, "X-Test-Echo: 1\r\n"));
    ASSERT_TRUE(answer.ok()) << answer.error;
    EXPECT_TRUE(answer.body == body) << bytes;
    EXPECT_TRUE(proxy.forwarded().body == body) << bytes;
  }
}

TEST(Bodies, InChunksArriveWholeInBothDirections) {
  Proxy proxy(kBigBodies);
  RawClient client = proxy.client();
  for (const std::size_t chunk : {1U, 7U, 4096U, 16384U, 65536U, 200000U}) {
    const std::string body = pattern(chunk == 1 ? 2000 : 150000);
    const Message answer = client.ask(
        request("POST", "/",
                "Transfer-Encoding: chunked\r\nX-Test-Echo: 1\r\nX-Test-Chunked: " + std::to_string(chunk) + "\r\n",
                in_chunks(body, chunk)));
    ASSERT_TRUE(answer.ok()) << answer.error;
    EXPECT_TRUE(answer.body == body) << chunk;
    EXPECT_EQ(proxy.forwarded().all("Transfer-Encoding"), "chunked");
    EXPECT_EQ(proxy.forwarded().count("Content-Length"), 0U);
  }
  EXPECT_EQ(proxy.upstream.connections(), 1U);
  EXPECT_EQ(proxy.upstream.complaints(), "");
}

TEST(Bodies, ArriveHoweverTheBytesAreCut) {
  Proxy proxy;
  RawClient client = proxy.client();
  const std::string sent = request("POST", "/", "Transfer-Encoding: chunked\r\nX-Test-Echo: 1\r\n",
                                   in_chunks(pattern(50), 9, ";a=\"b\"", "X-Sum: 1\r\n"));
  for (std::size_t cut = 1; cut < sent.size(); cut += 3) {
    client.send(sent.substr(0, cut));
    client.send(sent.substr(cut));
    const Message answer = client.read();
    ASSERT_EQ(answer.body, pattern(50)) << "cut at " << cut << ": " << answer.error << visible(answer.head);
  }
  client.send_slowly(sent, 1, Milliseconds(0));
  EXPECT_EQ(client.read().body, pattern(50));
  EXPECT_EQ(proxy.upstream.complaints(), "") << "chunk extensions end here";
}

TEST(Bodies, TrailersPassInBothDirections) {
  Proxy proxy;
  RawClient client = proxy.client();
  const Message answer =
      client.ask(request("POST", "/",
                         "Transfer-Encoding: chunked\r\nTrailer: X-Sum\r\nTE: trailers\r\nX-Test-Chunked: 2\r\n"
                         "X-Test-Trailer: X-Back: yes\r\nX-Test-Field: Trailer: X-Back\r\n",
                         in_chunks("abc", 2, "", "X-Sum: 42\r\n")));
  ASSERT_TRUE(answer.ok()) << answer.error;
  EXPECT_EQ(proxy.forwarded().trailer("X-Sum"), "42") << visible(proxy.forwarded().framed_body);
  EXPECT_FALSE(proxy.forwarded().has("X-Sum")) << "a trailer is not a header field";
  EXPECT_EQ(answer.trailer("X-Back"), "yes") << visible(answer.framed_body);
  EXPECT_EQ(client.get().status(), 200);
}

TEST(Bodies, TrailersCannotBringFraming) {
  for (const char* evil : {"Content-Length: 5", "Transfer-Encoding: chunked", "Host: evil", "Connection: close",
                           "X-Forwarded-For: 1.2.3.4", "Authorization: x"}) {
    Proxy proxy;
    RawClient client = proxy.client();
    const Message answer = client.ask(
        request("POST", "/", "Transfer-Encoding: chunked\r\n", in_chunks("abc", 9, "", evil + std::string("\r\n"))));
    const std::string name = std::string(evil).substr(0, std::string(evil).find(':'));
    EXPECT_EQ(proxy.forwarded().trailer(name), "") << evil;
    EXPECT_TRUE(answer.status() == 200 || answer.status() == 400) << visible(answer.head);
  }
}

TEST(Bodies, ChunkExtensionsOfAServerEndHere) {
  Proxy proxy;
  const Message answer =
      proxy.client().get("/", "X-Test-Chunked: 10\r\nX-Test-Bytes: 35\r\nX-Test-Chunk-Extension: a=\"b;c\"\r\n");
  EXPECT_TRUE(answer.ok()) << answer.error;
  EXPECT_EQ(answer.body, pattern(35));
}

TEST(Bodies, EndedByTheServersCloseAreWhole) {
  Proxy proxy;
  RawClient client = proxy.client();
  const Message answer = client.get("/", "X-Test-No-Length: 1\r\nX-Test-Bytes: 100000\r\n");
  EXPECT_TRUE(answer.ok()) << answer.error;
  EXPECT_TRUE(answer.body == pattern(100000));
  const std::string old = "HTTP/1.0 200 OK\r\nContent-Type: a/b\r\n\r\nold but good";
  const Message from_old = proxy.client().get("/", "X-Test-Close: 1\r\nX-Test-Raw: " + to_hex(old) + "\r\n");
  EXPECT_TRUE(from_old.ok()) << from_old.error;
  EXPECT_EQ(from_old.body, "old but good");
  EXPECT_TRUE(from_old.start_line.starts_with("HTTP/1.1 200")) << from_old.start_line;
}

TEST(Bodies, AreStreamedNotCollected) {
  Proxy proxy(kBigBodies);
  RawClient client = proxy.client();
  client.send(request("POST", "/", "Content-Length: 20\r\nX-Test-Stall: 1\r\nX-Test-Bytes: 10\r\n", "0123456789"));
  EXPECT_TRUE(proxy.upstream.wait_for_body_bytes(10)) << "the first half of a request waits for the second";
  client.send("0123456789");
  Message answer = client.read_head();
  EXPECT_EQ(answer.status(), 200);
  EXPECT_EQ(client.read_bytes(5), pattern(10).substr(0, 5)) << "the first half of an answer waits for the second";
  proxy.upstream.release();
  EXPECT_EQ(client.read_bytes(5), pattern(10).substr(5));
}

TEST(Bodies, ChunksAreStreamedNotCollected) {
  Proxy proxy;
  RawClient client = proxy.client();
  client.send(request("POST", "/", "Transfer-Encoding: chunked\r\n", "a\r\n0123456789\r\n"));
  EXPECT_TRUE(proxy.upstream.wait_for_body_bytes(10));
  client.send("5\r\n01234\r\n0\r\n\r\n");
  EXPECT_EQ(client.read().status(), 200);
  EXPECT_EQ(proxy.forwarded().body, "012345678901234");
}

TEST(Bodies, FiftyMegabytesUpWaitForAServerThatDoesNotRead) {
  Proxy proxy(R"({"all_routes": {"max_body": "64MiB"}, "timeouts": {"write": "20s", "body": "20s"}})"_json,
              kSmallQuarantine);
  const std::string body = pattern(kLarge);
  RawClient client = proxy.client();
  const std::size_t before = proxy.gateway.resident_kib();
  client.send(request("PUT", "/", "X-Test-Wait-Body: 1\r\nContent-Length: " + std::to_string(kLarge) + "\r\n"));
  ASSERT_TRUE(proxy.upstream.wait_for_heads(1));
  std::size_t sent = 0;
  for (int idle = 0; idle < 20 && sent < kLarge;) {
    const std::size_t now = client.socket().send_some(std::string_view(body).substr(sent));
    sent += now;
    idle = now > 0 ? 0 : idle + 1;
    if (now == 0) std::this_thread::sleep_for(Milliseconds(5));
  }
  EXPECT_LT(sent, kLarge) << "somebody keeps fifty megabytes";
  EXPECT_LT(proxy.gateway.resident_kib(), before + kMemory);
  proxy.upstream.release();
  EXPECT_TRUE(client.send(std::string_view(body).substr(sent)));
  EXPECT_EQ(client.read().status(), 200);
  EXPECT_TRUE(proxy.forwarded().body == body);
  EXPECT_LT(proxy.gateway.resident_kib(), before + kMemory);
}

void expect_large_download(const std::string& fields) {
  Proxy proxy(R"({"timeouts": {"write": "20s", "body": "20s"}})"_json, kSmallQuarantine);
  RawClient client = proxy.client();
  const std::size_t before = proxy.gateway.resident_kib();
  client.send(request("GET", "/", "X-Test-Bytes: " + std::to_string(kLarge) + "\r\n" + fields));
  Message answer = client.read_head();
  ASSERT_EQ(answer.status(), 200);
  std::this_thread::sleep_for(Milliseconds(300));  // as long as a gateway without back-pressure needs to read all of it
  EXPECT_LT(proxy.gateway.resident_kib(), before + kMemory) << "while the client does not read";
  client.read_body(answer);
  EXPECT_TRUE(answer.ok()) << answer.error;
  EXPECT_TRUE(answer.body == pattern(kLarge));
  EXPECT_LT(proxy.gateway.resident_kib(), before + kMemory);
}

TEST(Bodies, FiftyMegabytesDownWaitForAClientThatDoesNotRead) { expect_large_download(""); }

TEST(Bodies, FiftyMegabytesOfChunksDownWaitForAClientThatDoesNotRead) {
  expect_large_download("X-Test-Chunked: 100000\r\n");
}

TEST(Bodies, FiftyMegabytesOfChunksUpArriveWhole) {
  Proxy proxy(kBigBodies, kSmallQuarantine);
  const std::string body = pattern(kLarge);
  RawClient client = proxy.client();
  const std::size_t before = proxy.gateway.resident_kib();
  client.send(request("PUT", "/", "Transfer-Encoding: chunked\r\n", in_chunks(body, 30000)));
  EXPECT_EQ(client.read().status(), 200);
  EXPECT_TRUE(proxy.forwarded().body == body);
  EXPECT_LT(proxy.gateway.resident_kib(), before + kMemory);
}

}  // namespace
}  // namespace headgate::test
