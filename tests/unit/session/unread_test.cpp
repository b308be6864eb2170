// What a client is told of whose connection no request is read.

#include "support/virtual_clock.hpp"
#include "unit/net/loop.hpp"

#include "headgate/gateway/answer.hpp"
#include "headgate/net/tls/handshake_turns.hpp"
#include "headgate/net/tls/server_tls.hpp"
#include "headgate/session/sessions.hpp"

#include <fstream>
#include <iterator>

namespace headgate::session {
namespace {

using headgate::test::VirtualClock;

/// Is never asked.
class Nobody final : public Handler {
 public:
  Task<void> handle(Exchange&) override { throw std::logic_error("a request was read"); }
  void refused(Exchange&) override {}
};

std::string file(const std::string& name) {
  std::ifstream in(HEADGATE_SOURCE_DIR "/tests/unit/config/beside/tls/" + name);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

class Unread : public net::test::Loop {
 protected:
  ~Unread() override { sessions_.close_all(); }

  /// The answer with this first line and this text, as the client gets it now.
  std::string answer(const std::string& first, const std::string& text) const {
    return "HTTP/1.1 " + first + "\r\nDate: " + std::string(gateway::date_now(clock_)) +
           "\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: " + std::to_string(text.size()) +
           "\r\nConnection: close\r\n\r\n" + text;
  }
  std::string answer_to(const std::string& sent) {
    say(sent);
    std::string out;
    const auto until = std::chrono::steady_clock::now() + net::test::seconds(10);
    while (!out.ends_with(".\n") && std::chrono::steady_clock::now() < until) {
      loop_.restart();
      loop_.run_one_for(net::test::milliseconds(20));
      out += heard();
    }
    return out;
  }

  VirtualClock clock_;
  Nobody handler_;
  net::Blocks blocks_{{16UL * 1024, 4}, {64UL * 1024, 4}};
  Timeouts timeouts_;
  Bounds bounds_;
  Totals connections_;
  net::HandshakeTurns turns_{loop_, 1};
  net::TlsLibrary library_;
  Sessions sessions_{handler_, clock_, blocks_, timeouts_, bounds_, connections_};
};

TEST_F(Unread, IsAnsweredWithADateWhereThereAreTooManyConnections) {
  bounds_.connections = 0;
  sessions_.use(timeouts_, bounds_);
  const auto listener = std::make_shared<ListenerSettings>();
  listener->http2 = true;  // so nobody knows yet what the client speaks
  sessions_.take(near_, listener);
  EXPECT_EQ(answer_to("GET / HTTP/1.1\r\n"),
            answer("503 Service Unavailable", "This gateway has too many connections. Please try again in a while.\n"));
}

TEST_F(Unread, IsAnsweredWithADateWherePlainHttpComesInPlaceOfTls) {
  sessions_.shake_hands_by(turns_, nullptr);
  net::ServerTlsOptions options;
  net::ServerTlsTexts texts;
  texts.pairs.push_back({file("good.pem"), file("good.key")});
  const auto tls = net::ServerTls::make(library_, options, texts);
  ASSERT_TRUE(tls.has_value()) << tls.error();
  const auto listener = std::make_shared<ListenerSettings>();
  listener->tls = *tls;
  sessions_.take(near_, listener);
  EXPECT_EQ(
      answer_to("GET / HTTP/1.1\r\n"),
      answer("400 Bad Request",
             "This port accepts only HTTPS, but the request was plain HTTP. Use a URL that begins with https://.\n"));
}

}  // namespace
}  // namespace headgate::session
