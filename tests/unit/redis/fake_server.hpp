#pragma once
// A server that a test tells what to answer: for what a real Redis never does.

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/write.hpp>

#include <array>
#include <functional>
#include <list>
#include <memory>
#include <string>
#include <vector>

namespace headgate::redis {

/// On the test's own loop. Behaves as an empty Redis during the handshake; the rest is up to `on_decision`.
class FakeServer {
 public:
  using Tcp = boost::asio::ip::tcp;
  using Words = std::vector<std::string>;

  class Peer {
   public:
    void write(std::string bytes) {
      boost::system::error_code ignored;
      boost::asio::write(socket_, boost::asio::buffer(bytes), ignored);
    }
    void close() {
      boost::system::error_code ignored;
      socket_.close(ignored);
    }

   private:
    friend class FakeServer;
    explicit Peer(Tcp::socket socket) : socket_(std::move(socket)) {}
    Tcp::socket socket_;
    std::array<char, 4096> in_;
    std::string unread_;
  };

  explicit FakeServer(boost::asio::io_context& loop)
      : acceptor_(loop, Tcp::endpoint(boost::asio::ip::address_v4::loopback(), 0)) {
    accept();
  }

  std::uint16_t port() const { return acceptor_.local_endpoint().port(); }

  /// Called with each EVALSHA and EVAL but for probes; what it returns is sent as it is.
  std::function<std::string(Peer&, const Words&)> on_decision = [](Peer&, const Words&) { return std::string(); };
  /// The same with each probe, which otherwise is answered as by a server that is well. Null: on_decision has them.
  std::function<std::string(Peer&, const Words&)> on_probe = [](Peer&, const Words&) {
    return std::string("*4\r\n:1\r\n:1000000\r\n:0\r\n:0\r\n");
  };
  int probes = 0;
  /// Sent to each new connection before it said a word.
  std::string greeting;
  int connections = 0;
  std::list<std::shared_ptr<Peer>> peers;

 private:
  void accept() {
    acceptor_.async_accept([this](boost::system::error_code ec, Tcp::socket socket) {
      if (ec) return;
      ++connections;
      peers.push_back(std::shared_ptr<Peer>(new Peer(std::move(socket))));
      if (!greeting.empty()) peers.back()->write(greeting);
      read(peers.back());
      accept();
    });
  }

  void read(std::shared_ptr<Peer> peer) {
    peer->socket_.async_read_some(boost::asio::buffer(peer->in_),
                                  [this, peer](boost::system::error_code ec, std::size_t got) {
                                    if (ec) return;
                                    peer->unread_.append(peer->in_.data(), got);
                                    for (Words words; take_command(peer->unread_, words);) answer(*peer, words);
                                    if (peer->socket_.is_open()) read(peer);
                                  });
  }

  static bool take_command(std::string& bytes, Words& words) {
    words.clear();
    std::size_t at = 0;
    const auto number = [&]() -> long {
      const auto end = bytes.find("\r\n", at);
      if (end == std::string::npos) return -1;
      const long value = std::stol(bytes.substr(at + 1, end - at - 1));
      at = end + 2;
      return value;
    };
    const long count = number();
    for (long i = 0; i < count; ++i) {
      const long length = number();
      if (length < 0 || bytes.size() < at + static_cast<std::size_t>(length) + 2) return false;
      words.push_back(bytes.substr(at, static_cast<std::size_t>(length)));
      at += static_cast<std::size_t>(length) + 2;
    }
    if (count < 0) return false;
    bytes.erase(0, at);
    return true;
  }

  const std::function<std::string(Peer&, const Words&)>& handler(const Words& words) {
    const bool probe = words.size() > 3 && words[3].ends_with("::probe");
    probes += probe ? 1 : 0;
    return probe && on_probe ? on_probe : on_decision;
  }

  void answer(Peer& peer, const Words& words) {
    if (words[0] == "ROLE")
      peer.write("*3\r\n$6\r\nmaster\r\n:0\r\n*0\r\n");
    else if (words[0] == "SCRIPT")
      peer.write("-NOPERM no permission for 'script|load'\r\n");
    else if (const std::string reply = handler(words)(peer, words); !reply.empty())
      peer.write(reply);
  }

  Tcp::acceptor acceptor_;
};

}  // namespace headgate::redis
