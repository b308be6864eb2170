// Compressed answers as the clients of others decode them, and what may go wrong on their way.

#include "blackbox/harness/h2_client.hpp"
#include "blackbox/harness/look.hpp"
#include "blackbox/harness/real_server.hpp"
#include "blackbox/harness/reloaded.hpp"
#include "blackbox/servers/compressing.hpp"
#include "support/decoded.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <random>
#include <thread>
#include <vector>

namespace headgate::test {
namespace {

using testing::HasSubstr;

/// Text of which a compressor saves a quarter.
std::string noise(std::size_t bytes) {
  std::minstd_rand dice(5);
  std::string out(bytes, ' ');
  for (auto& each : out) each = static_cast<char>('!' + (dice() >> 8) % 64);
  return out;
}

std::string printed_by(const std::string& line) {
  Process process({"-c", line}, {}, "/bin/sh");
  process.wait(2 * kPatience);
  return process.out() + process.err();
}

TEST(Compression, GivesWhatTheServerSaid) {
  Proxy proxy(compressing());
  RawClient client = proxy.client();
  const auto text = page(300'000);
  const auto plain = client.ask(ask_for(text, ""));
  EXPECT_FALSE(plain.has("Content-Encoding"));
  EXPECT_EQ(plain.value("Vary"), "Accept-Encoding");
  EXPECT_EQ(plain.body, text);
  for (const std::string coding : {"br", "gzip"})
    for (const std::string how :
         {"", "X-Test-Chunked: 7000\r\n", "X-Test-Piece-Delay-Ms: 5\r\n", "X-Test-No-Length: 1\r\n"}) {
      const auto answer = client.ask(ask_for(text, how + "Accept-Encoding: " + coding + "\r\n"));
      EXPECT_EQ(answer.value("Content-Encoding"), coding);
      EXPECT_TRUE(answer.ok()) << answer.error;
      EXPECT_FALSE(answer.has("Content-Length"));
      EXPECT_TRUE(read(answer) == text) << coding << ' ' << how;
      EXPECT_LT(answer.body.size(), text.size() / 4);
    }
  EXPECT_EQ(proxy.forwarded().value("Accept-Encoding"), "gzip") << "as the client asked";
}

TEST(Compression, SaysTheLengthOfWhatIsThereAtOnce) {
  Proxy proxy(compressing());
  const auto answer = proxy.client().ask(ask_for(page(5000), kAll));
  EXPECT_EQ(answer.value("Content-Encoding"), "br");
  EXPECT_EQ(answer.value("Content-Length"), std::to_string(answer.body.size()));
  EXPECT_EQ(read(answer), page(5000));
}

TEST(Compression, IsOffUnlessTheRouteSaysSo) {
  for (const Json& routes : {Json::array({{{"path", "/*"}, {"to", "app"}}}),
                             Json::array({{{"path", "/*"}, {"to", "app"}, {"compress", false}}})}) {
    Proxy proxy(Json{{"routes", routes}});
    const auto answer = proxy.client().ask(ask_for(page(5000), kAll));
    EXPECT_EQ(answer.body, page(5000));
    EXPECT_FALSE(answer.has("Vary"));
  }
  Proxy all(Json{{"all_routes", {{"compress", true}}},
                 {"routes", Json::array({{{"path", "/*"}, {"to", "app"}},
                                         {{"path", "/secret/*"}, {"to", "app"}, {"compress", false}}})}});
  RawClient client = all.client();
  EXPECT_EQ(client.ask(ask_for(page(5000), kAll)).value("Content-Encoding"), "br");
  const auto secret = client.ask(request_with_body("POST", "/secret/", page(5000), "X-Test-Echo: 1\r\n" + kAll));
  EXPECT_EQ(secret.body, page(5000)) << "its length says nothing of what is in it";
}

TEST(Compression, LeavesWhatTheServerHasCompressed) {
  Proxy proxy(compressing());
  const auto answer = proxy.client().ask(ask_for(page(5000), kAll + "X-Test-Field: Content-Encoding: zstd\r\n"));
  EXPECT_EQ(answer.all("Content-Encoding"), "zstd");
  EXPECT_EQ(answer.body, page(5000));
  EXPECT_FALSE(answer.has("Vary")) << "its server says what it varies by";
}

TEST(Compression, HeadSaysWhatGetSaysAndKeepsTheConnection) {
  Proxy proxy(compressing());
  RawClient client = proxy.client();
  client.send(request("HEAD", "/", "X-Test-Bytes: 5000\r\nX-Test-Field: ETag: \"v1\"\r\n" + kAll));
  const auto head = client.read(Kind::answer_to_head);
  EXPECT_EQ(head.value("Content-Encoding"), "br");
  EXPECT_EQ(head.value("ETag"), "W/\"v1\"");
  EXPECT_FALSE(head.has("Content-Length"));
  EXPECT_FALSE(head.has("Transfer-Encoding"));
  EXPECT_EQ(client.get().status(), 200) << "on the same connection";
}

TEST(Compression, KeepsTrailers) {
  Proxy proxy(compressing());
  const auto answer =
      proxy.client().ask(ask_for(page(5000), kAll + "X-Test-Chunked: 100\r\nX-Test-Trailer: X-Sum: 7\r\n"));
  EXPECT_EQ(answer.value("Content-Encoding"), "br");
  EXPECT_EQ(read(answer), page(5000));
  EXPECT_EQ(answer.trailer("X-Sum"), "7");
}

TEST(Compression, SendsWhatHasComeBeforeTheRest) {
  for (const std::string coding : {"br", "gzip"}) {
    Proxy proxy(compressing());
    RawClient client = proxy.client();
    client.send(ask_for(page(2000), "X-Test-Chunked: 100\r\nX-Test-Stall: 1\r\nAccept-Encoding: " + coding + "\r\n"));
    auto answer = client.read_head();
    EXPECT_EQ(answer.value("Content-Encoding"), coding);
    // Chunks as they are: what is in the first ones must be decodable without the rest.
    std::string bytes;
    std::string so_far;
    const auto until = std::chrono::steady_clock::now() + kPatience;
    while (so_far.size() < 900 && std::chrono::steady_clock::now() < until) {
      bytes += client.read_bytes(1);
      std::string coded;
      for (std::size_t at = 0; at < bytes.size();) {
        const auto line = bytes.find("\r\n", at);
        if (line == bytes.npos) break;
        const auto size = std::stoul(bytes.substr(at, line - at), nullptr, 16);
        coded += bytes.substr(line + 2, size);
        at = line + 2 + size + 2;
      }
      so_far = decoded(std::string_view(coding), coded).bytes;
    }
    EXPECT_EQ(so_far, page(2000).substr(0, so_far.size())) << coding;
    EXPECT_GE(so_far.size(), 900U) << coding;
    proxy.upstream.release();
    EXPECT_FALSE(client.read_bytes(2).empty());
  }
}

TEST(Compression, OfWhatBreaksOffHasNoEnd) {
  Proxy proxy(compressing());
  for (const std::string coding : {"br", "gzip"})
    for (const std::string how : {"X-Test-Chunked: 100\r\n", ""}) {
      RawClient client = proxy.client();
      const auto answer =
          client.ask(ask_for(page(200'000), how + "X-Test-Cut: 1\r\nAccept-Encoding: " + coding + "\r\n"));
      EXPECT_FALSE(answer.ok()) << "it does not look whole";
      EXPECT_FALSE(decoded(std::string_view(coding), answer.body).ended);
      EXPECT_TRUE(client.closes());
    }
  EXPECT_EQ(proxy.client().ask(ask_for(page(5000), kAll)).status(), 200);
}

TEST(Compression, GoesOnForOthersWhenOneLeavesOrDoesNotRead) {
  auto config = compressing();
  config["admin"] = {{"listen", "127.0.0.1:0"}};
  config["all_routes"] = {{"max_body", "16MiB"}};
  Proxy proxy(config);
  {
    RawClient leaves = proxy.client();
    leaves.send(ask_for(page(500'000), kAll + "X-Test-Chunked: 1000\r\nX-Test-Stall: 1\r\n"));
    leaves.read_head();
  }
  proxy.upstream.release();
  const Look look(proxy.gateway.process());
  const auto held = [](const MetricsText& now) { return now.value("headgate_buffered_bytes").value_or(-1); };
  constexpr double kOne = 2 << 20;  // what an encoder of Brotli is charged with
  EXPECT_TRUE(look.comes_to([&](const MetricsText& now) { return held(now) < kOne; })) << "the one that left";
  {
    RawClient idles = proxy.client();
    idles.socket().shrink_receive_buffer();
    idles.send(ask_for(noise(12'000'000), kAll));
    EXPECT_EQ(idles.read_head().value("Content-Encoding"), "br");
    RawClient other = proxy.client();
    for (int i = 0; i < 3; ++i) {
      EXPECT_EQ(read(other.ask(ask_for(page(50'000), kAll))), page(50'000));
      const auto now = held(look.metrics());
      EXPECT_GE(now, kOne) << "it is not over";
      EXPECT_LT(now, 3 * kOne) << "its answer waits at the server; the encoder of the other one may be still there";
    }
  }
  EXPECT_TRUE(look.comes_to([&](const MetricsText& now) { return held(now) < kOne; }));
}

TEST(Compression, HasSoManyAnswersOfAnAddressAtTheSameTime) {
  auto config = compressing();
  config["admin"] = {{"listen", "127.0.0.1:0"}};
  config["workers"] = 1;
  Proxy proxy(config);
  std::vector<RawClient> clients;
  std::vector<Message> heads;
  unsigned compressed = 0;
  for (int i = 0; i < 20; ++i) {
    auto& each = clients.emplace_back(proxy.client());
    each.send(ask_for(page(5000), kAll + "X-Test-Chunked: 100\r\nX-Test-Stall: 1\r\n"));
    heads.push_back(each.read_head());
    if (heads.back().has("Content-Encoding")) ++compressed;
  }
  EXPECT_EQ(compressed, 16U);
  EXPECT_EQ(Look(proxy.gateway.process()).metrics().value("headgate_not_compressed_total"), 4);
  proxy.upstream.release();
  for (std::size_t i = 0; i < clients.size(); ++i) {
    clients[i].read_body(heads[i]);
    EXPECT_EQ(heads[i].has("Content-Encoding") ? read(heads[i]) : heads[i].body, page(5000));
  }
  EXPECT_TRUE(proxy.client().ask(ask_for(page(5000), kAll)).has("Content-Encoding")) << "there is room again";
}

TEST(Compression, GoesOnAcrossAReload) {
  Reloaded gateway(compressing());
  RawClient client = gateway.client();
  client.send(request_with_body("POST", "/", page(50'000),
                                "X-Test-Echo: 1\r\nX-Test-Chunked: 100\r\nX-Test-Stall: 1\r\n" + kAll));
  auto answer = client.read_head();
  ASSERT_TRUE(gateway.reload(Json{{"routes", Json::array({{{"path", "/*"}, {"to", "app"}}})}}));
  gateway.upstream.release();
  client.read_body(answer);
  EXPECT_EQ(read(answer), page(50'000));
  EXPECT_FALSE(client.get("/", "X-Test-Bytes: 5000\r\n" + kAll).has("Content-Encoding")) << "the new file";
}

TEST(Compression, LeavesAWebSocketAlone) {
  Proxy proxy(compressing());
  RawClient client = proxy.client();
  client.send(request("GET", "/ws",
                      "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
                      "Sec-WebSocket-Version: 13\r\n" +
                          kAll));
  const auto head = client.read_head();
  EXPECT_EQ(head.status(), 101);
  EXPECT_FALSE(head.has("Content-Encoding"));
  client.send("bytes");
  EXPECT_EQ(client.read_bytes(5), "bytes");
}

TEST(Compression, OverHttp2HasNoLengthAndAnEnd) {
  auto config = compressing();
  config["listen"] = {{"address", "127.0.0.1:0"}, {"http2", true}};
  Proxy proxy(config);
  H2Client client(proxy.gateway.port());
  const auto ask = [&](std::uint32_t stream, const std::string& coding, const std::string& bytes) {
    return client.ask(stream, {{":method", "GET"},
                               {":scheme", "http"},
                               {":authority", "a.example"},
                               {":path", "/"},
                               {"x-test-bytes", bytes},
                               {"x-test-chunked", "900"},
                               {"accept-encoding", coding}});
  };
  std::uint32_t stream = 1;
  for (const std::string coding : {"br", "gzip"}) {
    const auto answer = ask(stream, coding, "50000");
    stream += 2;
    EXPECT_EQ(answer.fields.at("content-encoding"), coding);
    EXPECT_EQ(answer.fields.count("content-length"), 0U);
    const auto whole = decoded(std::string_view(coding), answer.body);
    EXPECT_EQ(whole.bytes, pattern(50'000));
    EXPECT_TRUE(whole.ended);
    EXPECT_TRUE(answer.ended);
  }
  const auto cut = client.ask(stream, {{":method", "GET"},
                                       {":scheme", "http"},
                                       {":authority", "a.example"},
                                       {":path", "/"},
                                       {"x-test-bytes", "50000"},
                                       {"x-test-chunked", "900"},
                                       {"x-test-cut", "1"},
                                       {"accept-encoding", "gzip"}});
  EXPECT_TRUE(cut.reset.has_value());
  EXPECT_FALSE(gunzipped(cut.body).ended);
}

TEST(Compression, IsInTheLog) {
  Proxy proxy(compressing());
  const auto answer = proxy.client().ask(ask_for(page(5000), kAll));
  EXPECT_EQ(answer.status(), 200);
  const auto logged = [&] { return proxy.gateway.process().out(); };
  const auto until = std::chrono::steady_clock::now() + kPatience;
  while (!has(logged(), "compressed") && std::chrono::steady_clock::now() < until)
    std::this_thread::sleep_for(Milliseconds(5));
  EXPECT_THAT(logged(), HasSubstr(R"("compressed":"br","compressed_from":5000,)"));
}

TEST(Compression, IsDecodedByTheClientsOfOthers) {
  Proxy proxy(compressing());
  const auto url = "http://127.0.0.1:" + std::to_string(proxy.gateway.port()) + "/";
  const auto text = pattern(100'000);
  const TemporaryFile plain(text, "plain");
  for (const std::string how : {"", "-H 'X-Test-Chunked: 700'", "-H 'Accept-Encoding: gzip'"})
    EXPECT_EQ(printed_by("curl -sS --compressed -H 'X-Test-Bytes: 100000' " + how + " " + url + " | cmp - " +
                         plain.path() + " && echo same"),
              "same\n")
        << how;
  EXPECT_EQ(printed_by("/usr/bin/python3 -c \"import gzip,urllib.request as u; r=u.Request('" + url +
                       "',headers={'X-Test-Bytes':'100000','Accept-Encoding':'gzip'}); "
                       "print(len(gzip.decompress(u.urlopen(r).read())))\""),
            "100000\n");
  const std::string node =
      "const get = (coding, unpack) => new Promise((done) => require('http').get('" + url +
      "', { headers: { 'X-Test-Bytes': '100000', 'Accept-Encoding': coding } }, (answer) => { let size = 0;"
      " answer.pipe(unpack).on('data', (some) => { size += some.length; }).on('end', () => done(size)); }));"
      "const zlib = require('zlib');"
      "(async () => console.log(await get('br', zlib.createBrotliDecompress()), await get('gzip', "
      "zlib.createGunzip())))();";
  EXPECT_EQ(printed_by(kNode + " -e \"" + node + "\""), "100000 100000\n");
}

TEST(Compression, OfTheExampleIsRouteByRoute) {
  FakeUpstream app;
  const Gateway gateway(Words{"run", "-c", std::string(HEADGATE_SOURCE_DIR) + "/conf/examples/compression.json"}, 1,
                        {"LISTEN=127.0.0.1:0", "ADMIN_LISTEN=127.0.0.1:0", "APP_URL=" + app.url()});
  RawClient client = gateway.client();
  const std::string fields = "X-Test-Bytes: 5000\r\n" + kAll;
  EXPECT_EQ(client.get("/assets/a.js", fields).value("Content-Encoding"), "br");
  EXPECT_EQ(client.get("/api/orders", fields).value("Content-Encoding"), "") << "it is no JSON";
  EXPECT_EQ(client.get("/", fields).value("Content-Encoding"), "");
  const std::string body(600, ' ');
  const auto json = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 600\r\n\r\n" + body;
  EXPECT_EQ(client.get("/api/orders", "X-Test-Raw: " + to_hex(json) + "\r\n" + kAll).value("Content-Encoding"), "gzip");
}

}  // namespace
}  // namespace headgate::test
