#pragma once
// A server of an issuer, which behaves as badly as the test wants. Runs on its own thread, with TLS if it has a
// certificate.

#include "headgate/core/result.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/read_until.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/asio/write.hpp>

#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

namespace headgate::keyring::test {

/// A whole answer; `fields` are lines with their "\r\n".
inline std::string answer(std::string_view status, std::string_view body, std::string_view fields = "") {
  return "HTTP/1.1 " + std::string(status) + "\r\nContent-Length: " + std::to_string(body.size()) + "\r\n" +
         std::string(fields) + "\r\n" + std::string(body);
}

/// One connection at a time, one request each. What it answers may be changed at any moment, from any thread.
class Publisher {
 public:
  /// `certificate` and `key` are paths of PEM files; without them it speaks plainly.
  explicit Publisher(const std::string& certificate = "", const std::string& key = "")
      : acceptor_(loop_, {boost::asio::ip::address_v4::loopback(), 0}) {
    if (!certificate.empty()) {
      tls_.emplace(boost::asio::ssl::context::tls_server);
      tls_->use_certificate_chain_file(certificate);
      tls_->use_private_key_file(key, boost::asio::ssl::context::pem);
    }
    port_ = acceptor_.local_endpoint().port();
    thread_ = std::thread([this] { serve(); });
  }
  Publisher(const Publisher&) = delete;
  Publisher& operator=(const Publisher&) = delete;
  ~Publisher() {
    {
      // Closing would not wake a thread that accepts or reads.
      const std::lock_guard lock(mutex_);
      ::shutdown(acceptor_.native_handle(), SHUT_RDWR);
      if (connection_ >= 0) ::shutdown(connection_, SHUT_RDWR);
    }
    thread_.join();
  }

  std::uint16_t port() const noexcept { return port_; }
  std::string url(std::string_view path = "/keys") const {
    return std::string(tls_ ? "https" : "http") + "://127.0.0.1:" + std::to_string(port_) + std::string(path);
  }

  /// Its answer from now on. Empty: no answer; the connection stays open until the peer closes it.
  void answers(std::string text) {
    const std::lock_guard lock(mutex_);
    answer_ = std::move(text);
  }
  /// Requests with this If-None-Match get 304 instead.
  void has_etag(std::string etag) {
    const std::lock_guard lock(mutex_);
    etag_ = std::move(etag);
  }
  /// The heads of all requests so far.
  std::vector<std::string> requests() const {
    const std::lock_guard lock(mutex_);
    return requests_;
  }

 private:
  using Socket = boost::asio::ip::tcp::socket;

  void serve() {
    for (;;) {
      Socket socket(loop_);
      error_code ec;
      acceptor_.accept(socket, ec);
      if (ec) return;
      now_serving(socket.native_handle());
      tls_ ? serve_tls(socket) : serve(socket);
      now_serving(-1);
    }
  }

  void serve_tls(Socket& socket) {
    boost::asio::ssl::stream<Socket&> stream(socket, *tls_);
    error_code ec;
    stream.handshake(boost::asio::ssl::stream_base::server, ec);
    if (!ec) serve(stream);
    stream.shutdown(ec);
  }

  void now_serving(int connection) {
    const std::lock_guard lock(mutex_);
    connection_ = connection;
  }

  template <class Stream>
  void serve(Stream& stream) {
    std::string text;
    error_code ec;
    const auto size = boost::asio::read_until(stream, boost::asio::dynamic_buffer(text), "\r\n\r\n", ec);
    if (ec) return;
    const auto reply = reply_to(text.substr(0, size));
    if (!reply.empty()) {
      boost::asio::write(stream, boost::asio::buffer(reply), ec);
      return;
    }
    boost::asio::read_until(stream, boost::asio::dynamic_buffer(text), "never sent", ec);
  }

  std::string reply_to(std::string request) {
    const std::lock_guard lock(mutex_);
    requests_.push_back(std::move(request));
    const bool known = !etag_.empty() && requests_.back().find("If-None-Match: " + etag_) != std::string::npos;
    return known ? "HTTP/1.1 304 Not Modified\r\nETag: " + etag_ + "\r\n\r\n" : answer_;
  }

  boost::asio::io_context loop_;
  boost::asio::ip::tcp::acceptor acceptor_;
  std::optional<boost::asio::ssl::context> tls_;
  std::uint16_t port_ = 0;
  mutable std::mutex mutex_;
  std::string answer_ = answer("404 Not Found", "");
  std::string etag_;
  std::vector<std::string> requests_;
  int connection_ = -1;
  std::thread thread_;
};

}  // namespace headgate::keyring::test
