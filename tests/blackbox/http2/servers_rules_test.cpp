// What RFC 9113 says of the frames that servers send, with raw frames: each error ends that connection, its caller gets
// a 502, and the next request has a new connection.

#include "blackbox/http2/asking.hpp"
#include "blackbox/http2/rules.hpp"
#include "support/redis_cli.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

namespace headgate::test {
namespace {

struct Wrong {
  const char* what;
  std::function<std::string(std::uint32_t)> frames;  // as the answer on this stream
};

std::vector<Wrong> wrong_frames() {
  const auto always = [](const std::string& frames) { return [frames](std::uint32_t) { return frames; }; };
  const H2Fields head = {{":status", "200"}};
  return {
      {"HEADERS on an even stream (5.1.1)", always(h2_answer(2, head, "x"))},
      {"HEADERS on a stream that nobody began (5.1)", [=](std::uint32_t id) { return h2_answer(id + 100, head, "x"); }},
      {"DATA on a stream that nobody began (5.1)",
       [](std::uint32_t id) { return h2_frame(h2_data, kEndStream, id + 100, "x"); }},
      {"DATA on stream 0 (6.1)", always(h2_frame(h2_data, 0, 0, "x"))},
      {"a frame that is too large (4.2)",
       [](std::uint32_t id) { return h2_frame(h2_headers, 5, id, std::string(16'385, 'a')); }},
      {"PUSH_PROMISE (8.4)",
       [](std::uint32_t id) { return h2_frame(h2_push_promise, kEndHeaders, id, h2_number(2) + h2_block(h2_get())); }},
      {"ENABLE_PUSH of 1 (6.5.2)", always(h2_settings_frame(2, 1))},
      {"INITIAL_WINDOW_SIZE of 2^31 (6.5.2)", always(h2_settings_frame(4, 0x80000000))},
      {"MAX_FRAME_SIZE of 1 (6.5.2)", always(h2_settings_frame(5, 1))},
      {"SETTINGS on a stream (6.5)", [](std::uint32_t id) { return h2_frame(h2_settings, 0, id); }},
      {"PING of 7 bytes (6.7)", always(h2_frame(h2_ping, 0, 0, "1234567"))},
      {"GOAWAY on a stream (6.8)", [](std::uint32_t id) { return h2_frame(h2_goaway, 0, id, std::string(8, '\0')); }},
      {"WINDOW_UPDATE of 0 (6.9)", always(h2_frame(h2_window_update, 0, 0, h2_number(0)))},
      {"a window beyond its size (6.9.1)", always(h2_frame(h2_window_update, 0, 0, h2_number(0x7fffffff)))},
      {"CONTINUATION alone (6.10)", [](std::uint32_t id) { return h2_frame(h2_continuation, kEndHeaders, id); }},
      {"another frame in a head (6.2)",
       [=](std::uint32_t id) {
         return h2_frame(h2_headers, kEndStream, id, h2_block(head)) + h2_frame(h2_ping, 0, 0, "12345678");
       }},
      {"an index that nothing has (RFC 7541, 2.3.3)",
       [](std::uint32_t id) { return h2_frame(h2_headers, 5, id, "\xbe"); }},
      {"a table that is too large (RFC 7541, 6.3)",
       [=](std::uint32_t id) { return h2_frame(h2_headers, 5, id, "\x3f\xe2\x1f" + h2_block(head)); }},
  };
}

TEST(Http2ServersRules, EndTheConnectionsOfServersThatBreakThem) {
  const auto wrong = wrong_frames();
  H2Server server(once_ended([&](const H2Asked& asked) {
    const auto at = std::stoul(asked.fields.at(":path").substr(1));
    return at < wrong.size() ? wrong[at].frames(asked.stream) : h2_answer(asked.stream, {{":status", "200"}}, "good");
  }));
  Proxy proxy(asking(server.url()));
  for (std::size_t i = 0; i < wrong.size(); ++i) {
    SCOPED_TRACE(wrong[i].what);
    const auto before = server.connections();
    expect_problem(proxy.client().get("/" + std::to_string(i)), 502);
    EXPECT_EQ(proxy.client().get("/1000").body, "good");
    EXPECT_EQ(server.connections(), i == 0 ? 2 : before + 1) << "on a new connection";
  }
}

TEST(Http2ServersRules, LetNoServerSendMoreThanItsWindow) {  // section 6.9.1
  H2Server server(once_ended([&](const H2Asked& asked) {
    if (asked.fields.at(":path") == "/good") return h2_answer(asked.stream, {{":status", "200"}}, "good");
    std::string all = h2_request(asked.stream, {{":status", "200"}}, false);
    for (int i = 0; i < 64; ++i) all += h2_frame(h2_data, 0, asked.stream, std::string(16'384, 'x'));
    return all;
  }));
  Proxy proxy(asking(server.url()));
  H2Client client(proxy.gateway.port(), h2_setting(4, 0));  // it takes nothing
  client.send(h2_request(1, h2_get()));
  EXPECT_TRUE(wait_until([&] { return !server.asked().empty() && server.asked().back().reset; }));
  EXPECT_EQ(server.asked().back().code, flow_control) << "an error of the stream alone";
  EXPECT_EQ(proxy.client().get("/good").body, "good");
  EXPECT_EQ(server.connections(), 1U);
}

}  // namespace
}  // namespace headgate::test
