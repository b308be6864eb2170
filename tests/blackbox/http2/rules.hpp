#pragma once
// Tests of what RFC 9113 and RFC 7541 say, with raw frames, on a listener without TLS and on one with it.

#include "blackbox/harness/gateway.hpp"
#include "blackbox/harness/h2_client.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>

namespace headgate::test {

/// RFC 9113 section 7.
enum H2Code : std::uint32_t {
  protocol_error = 1,
  flow_control = 3,
  stream_closed = 5,
  frame_size = 6,
  refused_stream = 7,
  compression = 9
};

inline std::string h2_setting(std::uint16_t id, std::uint32_t value) {
  return std::string{static_cast<char>(id >> 8), static_cast<char>(id & 0xff)} + h2_number(value);
}
inline std::string h2_settings_frame(std::uint16_t id, std::uint32_t value) {
  return h2_frame(h2_settings, 0, 0, h2_setting(id, value));
}

/// One gateway for all tests of a suite. The parameter is the listener.
class H2Rules : public testing::TestWithParam<const char*> {
 protected:
  static void SetUpTestSuite() {
    const Json tls = {{"certificate", tls_file("good.pem")}, {"key", tls_file("good.key")}};
    proxy = new Proxy(
        Json{{"listen", {{{"address", "127.0.0.1:0"}, {"http2", true}}, {{"address", "127.0.0.1:0"}, {"tls", tls}}}},
             {"all_routes", {{"max_body", "1GiB"}}}});
  }
  static void TearDownTestSuite() { delete std::exchange(proxy, nullptr); }

  static bool secure() { return std::string(GetParam()) == "Tls"; }
  static Socket connected() {
    Socket socket = Socket::connect(proxy->gateway.port(secure() ? 1 : 0));
    if (secure()) {
      EXPECT_TRUE(socket.secure({.protocols = "\x02h2"})) << socket.tls()->why();
    }
    return socket;
  }
  static std::unique_ptr<H2Client> client(std::string_view settings = {}) {
    return std::make_unique<H2Client>(connected(), settings);
  }

  /// An error of the connection (section 5.4.1).
  static void expect_end(H2Client& client, const std::string& bytes, H2Code code, const std::string& what) {
    client.send(bytes);
    EXPECT_TRUE(client.closes()) << what;
    ASSERT_TRUE(client.goaway) << what;
    EXPECT_EQ(*client.goaway, code) << what;
  }
  static void expect_end(const std::string& bytes, H2Code code, const std::string& what) {
    expect_end(*client(), bytes, code, what);
  }
  /// An error of the stream (section 5.4.2); the connection lives on.
  static void expect_reset(H2Client& client, std::uint32_t stream, const std::string& bytes, H2Code code,
                           const std::string& what) {
    client.send(bytes);
    while (!client.answers[stream].reset && !client.goaway) ASSERT_TRUE(client.read()) << what;
    ASSERT_FALSE(client.goaway) << what << ": GOAWAY " << *client.goaway;
    EXPECT_EQ(*client.answers[stream].reset, code) << what;
    expect_alive(client, what);
  }
  static void expect_alive(H2Client& client, const std::string& what) {
    client.send(h2_frame(h2_ping, 0, 0, "on there"));
    const auto answer = client.next(h2_ping);
    EXPECT_TRUE(answer && answer->payload == "on there") << what << ": the connection has ended";
  }

  static inline Proxy* proxy = nullptr;
};

inline std::string listener_name(const testing::TestParamInfo<const char*>& info) { return info.param; }

}  // namespace headgate::test
