// What RFC 9113 says of malformed requests and frames, case by case, with raw frames on few connections.

#include "blackbox/harness/gateway.hpp"
#include "blackbox/harness/h2_client.hpp"

#include <gtest/gtest.h>

namespace headgate::test {
namespace {

enum : std::uint32_t { protocol_error = 1, flow_control = 3, stream_closed = 5, frame_size = 6, compression = 9 };

class Http2Rules : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    proxy = new Proxy(
        Json{{"listen", {{"address", "127.0.0.1:0"}, {"http2", true}}}, {"all_routes", {{"max_body", "1GiB"}}}});
  }
  static void TearDownTestSuite() { delete std::exchange(proxy, nullptr); }
  static inline Proxy* proxy = nullptr;
};

H2Fields without(H2Fields fields, const std::string& name) {
  std::erase_if(fields, [&](const auto& field) { return field.first == name; });
  return fields;
}

TEST_F(Http2Rules, MalformedRequestsAreErrorsOfTheirStream) {  // section 8.1.1
  const auto get = h2_get();
  const auto with = [&](const std::string& name, const std::string& value) {
    auto out = get;
    out.emplace_back(name, value);
    return out;
  };
  H2Fields late = {{":method", "GET"}, {":scheme", "http"}, {"x-a", "b"}, {":path", "/"}, {":authority", "a"}};
  const std::vector<std::pair<std::string, H2Fields>> cases = {
      {"no :method", without(get, ":method")},
      {"no :scheme", without(get, ":scheme")},
      {"no :path", without(get, ":path")},
      {"an empty :path", {{":method", "GET"}, {":scheme", "http"}, {":path", ""}, {":authority", "a"}}},
      {":path twice", with(":path", "/b")},
      {":status in a request", with(":status", "200")},
      {"an unknown pseudo field", with(":proto", "x")},
      {"a pseudo field behind others", late},
      {"Connection", with("connection", "close")},
      {"Keep-Alive", with("keep-alive", "1")},
      {"Proxy-Connection", with("proxy-connection", "close")},
      {"Transfer-Encoding", with("transfer-encoding", "chunked")},
      {"Upgrade", with("upgrade", "h2c")},
      {"TE beside trailers", with("te", "gzip")},
      {"capital letters in a name", with("X-A", "b")},
      {"a blank in a name", with("x a", "b")},
      {"a line end in a value", with("x-a", "b\r\nx-c: d")},
      {"a NUL in a value", with("x-a", std::string("b\0c", 3))},
      {"a blank before a value", with("x-a", " b")},
      {"two lengths",
       {{":method", "POST"},
        {":scheme", "http"},
        {":path", "/"},
        {":authority", "a"},
        {"content-length", "1"},
        {"content-length", "2"}}},
      {"a length without a body", with("content-length", "3")},
  };
  H2Client client(proxy->gateway.port());
  const auto before = proxy->upstream.request_count();
  std::uint32_t id = 1;
  for (const auto& [what, fields] : cases) {
    const auto answer = client.ask(id, fields);
    const bool refused = (answer.reset && *answer.reset == protocol_error) || answer.status == 400;
    EXPECT_TRUE(refused) << what << ": status " << answer.status << ", reset " << answer.reset.value_or(999);
    id += 2;
  }
  EXPECT_EQ(proxy->upstream.request_count(), before) << "none of them reaches the server";
  EXPECT_EQ(client.ask(id, h2_get()).status, 200) << "and the connection lives on";
}

TEST_F(Http2Rules, RefusedRequestsAreAnswered) {
  const auto with = [](const H2Fields& changed) {
    H2Fields out = {{":method", "GET"}, {":scheme", "http"}, {":path", "/"}, {":authority", "a.example"}};
    for (const auto& [name, value] : changed) {
      const auto found = std::find_if(out.begin(), out.end(), [&n = name](const auto& f) { return f.first == n; });
      if (found != out.end() && name.starts_with(':'))
        found->second = value;
      else
        out.emplace_back(name, value);
    }
    return out;
  };
  struct Case {
    const char* what;
    H2Fields fields;
    int status;
  };
  H2Fields many;
  for (int i = 0; i < 101; ++i) many.emplace_back("x-" + std::to_string(i), "1");
  H2Fields crumbs;
  for (int i = 0; i < 90; ++i) crumbs.emplace_back("cookie", "a" + std::to_string(i) + "=1");
  for (int i = 0; i < 15; ++i) crumbs.emplace_back("x-" + std::to_string(i), "1");
  H2Fields too_many_crumbs;
  for (int i = 0; i < 129; ++i) too_many_crumbs.emplace_back("cookie", "a=1");
  const std::vector<Case> cases = {
      {"CONNECT", {{":method", "CONNECT"}, {":authority", "a:443"}}, 501},
      {"a method in small letters", with({{":method", "get"}}), 400},
      {"Host that differs", with({{"host", "b.example"}}), 400},
      {"Host that is the same", with({{"host", "a.example"}}), 200},
      {"a user in the authority", with({{":authority", "user@a.example"}}), 400},
      {"another scheme", with({{":scheme", "ftp"}}), 400},
      {"an encoded slash", with({{":path", "/a%2fb"}}), 400},
      {"dots in the path", with({{":path", "/../../a"}}), 200},
      {"a fragment", with({{":path", "/a#b"}}), 400},
      {"an expectation", with({{"expect", "200-ok"}}), 417},
      {"101 fields", with(many), 431},
      {"90 crumbs and 15 fields", with(crumbs), 200},
      {"129 crumbs", with(too_many_crumbs), 431},
      {"20 KB of fields", with({{"x-a", std::string(20'000, 'a')}}), 431},
      {"a path of 9 KB", with({{":path", "/" + std::string(9'000, 'a')}}), 414},
      {"OPTIONS *", with({{":method", "OPTIONS"}, {":path", "*"}}), 200},
  };
  H2Client client(proxy->gateway.port());
  std::uint32_t id = 1;
  for (const auto& each : cases) {
    const auto answer = client.ask(id, each.fields);
    EXPECT_EQ(answer.status, each.status) << each.what << ", reset " << answer.reset.value_or(999);
    id += 2;
  }
}

TEST_F(Http2Rules, BodiesMustHaveTheLengthTheySay) {  // section 8.1.1
  H2Client client(proxy->gateway.port());
  client.send(h2_request(1, h2_get("/", {{"content-length", "3"}}, "POST"), false) +
              h2_frame(h2_data, kEndStream, 1, "abcd"));
  EXPECT_TRUE(client.answer(1).reset);
  client.send(h2_request(3, h2_get("/", {{"content-length", "3"}}, "POST"), false) +
              h2_frame(h2_data, kEndStream, 3, "ab"));
  EXPECT_TRUE(client.answer(3).reset);
  client.send(h2_request(5, h2_get("/", {}, "POST"), false) +
              h2_frame(h2_headers, kEndHeaders, 5, h2_block({{"x-a", "trailers that do not end the stream"}})));
  EXPECT_TRUE(client.answer(5).reset);
  EXPECT_EQ(client.ask(7, h2_get()).status, 200);
}

TEST_F(Http2Rules, ErrorsOfTheConnectionEndIt) {
  struct Case {
    const char* what;
    std::string bytes;
    std::uint32_t code;
  };
  const std::string get = h2_request(1, h2_get());
  const std::vector<Case> cases = {
      {"DATA on stream 0 (6.1)", h2_frame(h2_data, 0, 0, "a"), protocol_error},
      {"HEADERS on stream 0 (6.2)", h2_frame(h2_headers, 5, 0, h2_block(h2_get())), protocol_error},
      {"an even stream (5.1.1)", h2_request(2, h2_get()), protocol_error},
      {"DATA on an idle stream (5.1)", h2_frame(h2_data, 0, 1, "a"), protocol_error},
      {"RST_STREAM on an idle stream (6.4)", h2_frame(h2_rst_stream, 0, 1, h2_number(8)), protocol_error},
      {"WINDOW_UPDATE on an idle stream (5.1)", h2_frame(h2_window_update, 0, 1, h2_number(8)), protocol_error},
      {"SETTINGS on a stream (6.5)", h2_frame(h2_settings, 0, 1), protocol_error},
      {"SETTINGS of 5 bytes (6.5)", h2_frame(h2_settings, 0, 0, "12345"), frame_size},
      {"SETTINGS ack with bytes (6.5)", h2_frame(h2_settings, kAck, 0, std::string(6, '\0')), frame_size},
      {"PUSH_PROMISE (8.4)", h2_frame(h2_push_promise, kEndHeaders, 1, h2_number(2)), protocol_error},
      {"PING of 7 bytes (6.7)", h2_frame(h2_ping, 0, 0, "1234567"), frame_size},
      {"PING on a stream (6.7)", h2_frame(h2_ping, 0, 1, "12345678"), protocol_error},
      {"GOAWAY on a stream (6.8)", h2_frame(h2_goaway, 0, 1, std::string(8, '\0')), protocol_error},
      {"WINDOW_UPDATE of 0 (6.9)", h2_frame(h2_window_update, 0, 0, h2_number(0)), protocol_error},
      {"a window beyond its size (6.9.1)", h2_frame(h2_window_update, 0, 0, h2_number(0x7fffffff)), flow_control},
      {"a frame that is too large (4.2)", h2_frame(h2_ping, 0, 0, std::string(16'385, 'a')), frame_size},
      {"CONTINUATION alone (6.10)", h2_frame(h2_continuation, kEndHeaders, 1, ""), protocol_error},
      {"another frame in a head (6.2)",
       h2_frame(h2_headers, kEndStream, 1, h2_block(h2_get())) + h2_frame(h2_ping, 0, 0, "12345678"), protocol_error},
      {"a broken head (4.3)", h2_frame(h2_headers, 5, 1, std::string(1, '\x7f') + "\xff\xff\xff\xff\xff"), compression},
      {"padding longer than the frame (6.1)",
       h2_request(1, h2_get("/", {}, "POST"), false) + h2_frame(h2_data, 8, 1,
                                                                "\x09"
                                                                "abc"),
       protocol_error},
  };
  for (const auto& each : cases) {
    H2Client client(proxy->gateway.port());
    client.send(each.bytes);
    EXPECT_TRUE(client.closes()) << each.what;
    ASSERT_TRUE(client.goaway) << each.what;
    EXPECT_EQ(*client.goaway, each.code) << each.what;
  }
}

TEST_F(Http2Rules, WhatMayComeIsTaken) {
  H2Client client(proxy->gateway.port());
  client.send(h2_frame(0x77, 0xff, 0, "unknown") + h2_frame(h2_settings, 0, 0, std::string("\xfa\xfa\0\0\0\1", 6)) +
              h2_frame(h2_priority, 0, 3, std::string(4, '\0') + "\x0a"));
  client.send(
      h2_frame(h2_headers, 0x20 | 0x08 | kEndStream | kEndHeaders, 1,
               std::string("\x02") + std::string(4, '\0') + "\x0a" + h2_block(h2_get()) + std::string(2, '\0')));
  EXPECT_EQ(client.answer(1).status, 200) << "padding and a priority";
  client.send(h2_frame(h2_headers, kEndStream, 3, h2_block(h2_get()).substr(0, 5)) +
              h2_frame(h2_continuation, 0, 3, h2_block(h2_get()).substr(5, 7)) +
              h2_frame(h2_continuation, kEndHeaders, 3, h2_block(h2_get()).substr(12)));
  EXPECT_EQ(client.answer(3).status, 200) << "a head in three frames";
  client.send(h2_request(5, h2_get("/", {{"x-test-echo", "1"}}, "POST"), false) +
              h2_frame(h2_data, 8, 5, std::string("\x03") + "abc" + std::string(3, '\0')) +
              h2_frame(h2_data, kEndStream, 5));
  EXPECT_EQ(client.answer(5).body, "abc") << "padding of a body";
}

TEST_F(Http2Rules, AnUploadMayNotGoBeyondItsWindow) {  // section 6.9.1
  H2Client client(proxy->gateway.port());
  client.send(h2_request(1, h2_get("/", {{"x-test-wait-body", "1"}}, "POST"), false));
  for (int i = 0; i < 4'000 && client.send(h2_frame(h2_data, 0, 1, std::string(16'384, 'a'))); ++i) {
  }
  while (!client.answers[1].reset && !client.goaway) ASSERT_TRUE(client.read());
  EXPECT_EQ(client.goaway ? *client.goaway : *client.answers[1].reset, flow_control);
}

TEST_F(Http2Rules, ABadPrefaceIsNoHttp2) {
  RawClient client = proxy->client();
  client.send("PRI * HTTP/2.0\r\n\r\nSM\r\n\rx");
  EXPECT_EQ(client.read().status(), 505);
}

}  // namespace
}  // namespace headgate::test
