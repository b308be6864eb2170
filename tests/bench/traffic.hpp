#pragma once
// Both ends of the measured proxy, in one thread with one epoll loop: keep-alive clients that send the next request
// after each answer, or open the next connection, and the upstream. Both do as little work as possible. Each end speaks
// HTTP/1.1 or HTTP/2.

#include "h2/answerer.hpp"
#include "h2/caller.hpp"
#include "tls_client.hpp"

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace headgate::bench {

/// What the load has seen so far.
struct Tally {
  std::uint64_t ok = 0;       ///< answers with 200 and the whole body
  std::uint64_t refused = 0;  ///< answers with 429
  std::uint64_t failed = 0;   ///< any other answer, and connections that ended too early
  std::uint64_t opened = 0;   ///< connections of the load
  std::uint64_t resumed = 0;  ///< of these, those that resumed a TLS session
  std::uint64_t held = 0;     ///< requests that a silent upstream has
  int wrong = 0;              ///< the last other status
  const char* why = "";       ///< what was wrong last, over HTTP/2
};

/// How the load connects.
enum class Secrecy {
  none,     ///< plain HTTP
  full,     ///< TLS, with a whole handshake for each connection
  resumed,  ///< TLS; a connection resumes the newest session with that port
};

/// What a connection of the load is for.
struct Calling {
  unsigned connections = 1;
  unsigned requests_each = 0;  ///< then it stays open and silent; 0: no end
  bool anew = false;           ///< then it is closed instead, and another is opened
  Secrecy secrecy = Secrecy::none;
  unsigned streams = 0;  ///< at the same time on a connection of HTTP/2; 0: HTTP/1.1
  bool grpc = false;     ///< over HTTP/2: calls of gRPC in place of GET
  bool decides = false;  ///< over HTTP/2: calls of a rate limit service, and `requests` are their messages
};

/// A request as curl sends it, with this field besides ("Name: value").
std::string request_with(const std::string& field);
/// The same with so many different values of X-API-Key, and with further fields ("\r\nName: value").
std::vector<std::string> requests_of(unsigned keys, const std::string& fields = "");

/// One thread only. Owns every socket it opened.
class Traffic {
 public:
  /// Listens on a free port of 127.0.0.1 as the upstream. Throws std::system_error where it cannot.
  Traffic();
  ~Traffic();
  Traffic(const Traffic&) = delete;
  Traffic& operator=(const Traffic&) = delete;

  std::uint16_t upstream_port() const noexcept { return upstream_port_; }
  /// The same for servers of gRPC (HTTP/2 by prior knowledge).
  std::uint16_t grpc_port() const noexcept { return grpc_port_; }

  /// From now on the upstream answers 200 with this many bytes.
  void answer_with(std::size_t body_bytes);
  /// From now on the upstream gives no answers, or again.
  void be_silent(bool silent) noexcept { silent_ = silent; }

  /// Opens connections to 127.0.0.1:`port`; once run, each sends the next of `requests` as soon as it has its answer.
  /// Over HTTP/2 all requests are the same, and `requests` says nothing unless the calls ask for decisions.
  void start(std::uint16_t port, const Calling& calling, std::vector<std::string> requests);
  /// Each connection of HTTP/2 begins so many more streams.
  void open_more(unsigned streams);
  void run_for(std::chrono::microseconds duration);
  /// Runs until this many answers came, a wrong one came, or a connection was lost; at most this long.
  void run_until(std::uint64_t answers, std::chrono::microseconds at_most);
  /// Closes the connections of the clients. The proxy decides about those of the upstream.
  void stop();

  const Tally& tally() const noexcept { return tally_; }

 private:
  struct Connection;
  enum class Role { listener, grpc_listener, upstream, load };

  std::uint16_t listen_as(Role role);
  Connection& adopt(int fd, Role role);
  void call();
  void drop(Connection& connection);
  void on_ready(Connection& connection);
  void accept_all(const Connection& listener);
  void take_sealed(Connection& connection, std::string_view bytes);
  void serve(Connection& connection, std::string_view bytes);
  void take_answer(Connection& connection, std::string_view bytes);
  void take_chunks(Connection& connection, std::string_view bytes);
  void take_frames(Connection& connection, std::string_view bytes);
  void send_frames(Connection& connection);
  void answered(Connection& connection);
  void send_request(Connection& connection);
  void send_all(Connection& connection, std::string_view bytes);

  int epoll_ = -1;
  std::uint16_t upstream_port_ = 0;
  std::uint16_t grpc_port_ = 0;
  std::string answer_;
  std::size_t body_bytes_ = 0;
  bool silent_ = false;
  std::vector<std::string> requests_;
  std::size_t next_request_ = 0;
  std::uint16_t port_ = 0;
  Calling calling_;
  std::map<std::uint16_t, TlsClient> tls_;  // by port, as each proxy has tickets of its own
  Tally tally_;
  std::vector<std::unique_ptr<Connection>> connections_;  // a connection knows its index here
  std::vector<std::unique_ptr<Connection>> dropped_;      // kept until the batch of events that may name them is over
  std::array<char, 64 * 1024> scratch_;
};

}  // namespace headgate::bench
