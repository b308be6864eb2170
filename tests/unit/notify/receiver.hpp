#pragma once
// A receiver of webhooks on the loop of the test, which behaves as badly as the test wants.

#include "headgate/core/result.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/read_until.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/asio/write.hpp>

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace headgate::notify::test {

struct Received {
  std::string head;
  std::string body;

  /// The value of a field, written as headgate writes it; "" if it is missing.
  std::string field(std::string_view name) const {
    const auto line = "\r\n" + std::string(name) + ": ";
    const auto at = head.find(line);
    if (at == head.npos) return {};
    const auto begin = at + line.size();
    return head.substr(begin, head.find("\r\n", begin) - begin);
  }
};

/// A whole answer; `fields` are lines with their "\r\n".
inline std::string answer(std::string_view status, std::string_view fields = "") {
  return "HTTP/1.1 " + std::string(status) + "\r\nContent-Length: 2\r\n" + std::string(fields) + "\r\n{}";
}

/// One request for each connection. Its answers may be changed at any moment.
class Receiver {
 public:
  enum class After {
    close,
    silence,  ///< the connection stays open
    flood     ///< bytes without end
  };

  /// `certificate` and `key` are paths of PEM files; without them it speaks plainly.
  explicit Receiver(boost::asio::io_context& loop, const std::string& certificate = "", const std::string& key = "")
      : acceptor_(loop, {boost::asio::ip::address_v4::loopback(), 0}) {
    if (!certificate.empty()) {
      tls_.emplace(boost::asio::ssl::context::tls_server);
      tls_->use_certificate_chain_file(certificate);
      tls_->use_private_key_file(key, boost::asio::ssl::context::pem);
    }
    port = acceptor_.local_endpoint().port();
    accept();
  }

  /// From now on. Without `text` it says nothing.
  void answers(std::string text, After after = After::close) {
    answer_ = std::move(text);
    after_ = after;
  }
  /// Nobody listens any more.
  void leave() { acceptor_.close(); }
  /// Somebody listens at the same port again.
  void come_back() {
    acceptor_ = Acceptor(acceptor_.get_executor(), {boost::asio::ip::address_v4::loopback(), port});
    accept();
  }

  std::vector<Received> requests;
  std::size_t open = 0;       ///< connections now
  std::size_t most_open = 0;  ///< at the same time
  std::uint16_t port = 0;

 private:
  using Socket = boost::asio::ip::tcp::socket;
  using Acceptor = boost::asio::ip::tcp::acceptor;

  template <class Stream>
  struct Session : std::enable_shared_from_this<Session<Stream>> {
    template <class... Rest>
    explicit Session(Receiver& whose, Rest&&... rest) : receiver(whose), stream(std::forward<Rest>(rest)...) {
      receiver.most_open = std::max(receiver.most_open, ++receiver.open);
    }
    Session(const Session&) = delete;
    Session& operator=(const Session&) = delete;
    ~Session() { --receiver.open; }

    void read_head() {
      boost::asio::async_read_until(stream, boost::asio::dynamic_buffer(text), "\r\n\r\n",
                                    [self = this->shared_from_this()](error_code ec, std::size_t size) {
                                      if (!ec) self->read_body(size);
                                    });
    }
    void read_body(std::size_t head) {
      received.head = text.substr(0, head);
      text.erase(0, head);
      const auto length = static_cast<std::size_t>(std::atol(received.field("Content-Length").c_str()));
      const auto missing = length - std::min(length, text.size());
      boost::asio::async_read(stream, boost::asio::dynamic_buffer(text), boost::asio::transfer_exactly(missing),
                              [self = this->shared_from_this()](error_code ec, std::size_t) {
                                if (!ec) self->reply();
                              });
    }
    void reply() {
      received.body = std::exchange(text, {});
      receiver.requests.push_back(std::move(received));
      out = receiver.answer_;
      boost::asio::async_write(stream, boost::asio::buffer(out),
                               [self = this->shared_from_this(), after = receiver.after_](error_code ec, std::size_t) {
                                 if (ec || after == After::close) return;
                                 after == After::flood ? self->flood() : self->read_head();
                               });
    }
    void flood() {
      out.assign(1 << 16, 'x');
      boost::asio::async_write(stream, boost::asio::buffer(out),
                               [self = this->shared_from_this()](error_code ec, std::size_t) {
                                 if (!ec) self->flood();
                               });
    }

    Receiver& receiver;
    Stream stream;
    std::string text;
    std::string out;
    Received received;
  };

  void accept() {
    acceptor_.async_accept([this](error_code ec, Socket socket) {
      if (ec) return;
      accept();
      if (!tls_) return std::make_shared<Session<Socket>>(*this, std::move(socket))->read_head();
      using Tls = boost::asio::ssl::stream<Socket>;
      const auto session = std::make_shared<Session<Tls>>(*this, std::move(socket), *tls_);
      session->stream.async_handshake(boost::asio::ssl::stream_base::server, [session](error_code failed) {
        if (!failed) session->read_head();
      });
    });
  }

  Acceptor acceptor_;
  std::optional<boost::asio::ssl::context> tls_;
  std::string answer_ = answer("200 OK");
  After after_ = After::close;
};

}  // namespace headgate::notify::test
