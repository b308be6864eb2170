#pragma once
// One client connection speaking HTTP/1.1. At rest it is this small object and a readiness the kernel owes it; while a
// request is served it is a coroutine with buffers.

#include "headgate/gateway/problem.hpp"
#include "headgate/gateway/sessions.hpp"
#include "headgate/http/h1/parse.hpp"
#include "headgate/net/h1_body.hpp"

#include <boost/intrusive/list_hook.hpp>

#include <chrono>
#include <cstdint>
#include <optional>

namespace headgate::gateway {

class H1Reply;

/// Worker thread only. Deletes itself through its Sessions when the connection is done.
class H1Session : public boost::intrusive::list_base_hook<boost::intrusive::link_mode<boost::intrusive::auto_unlink>> {
 public:
  /// How long a connection made before a drain began may take to send what it was made for.
  static constexpr auto kFirstRequest = std::chrono::seconds(1);

  H1Session(Sessions& owner, net::StreamPtr stream, const boost::asio::ip::address& peer);
  ~H1Session();
  H1Session(const H1Session&) = delete;
  H1Session& operator=(const H1Session&) = delete;

  /// Before its first byte is read: it begins with a PROXY header.
  void expect_proxy_header() noexcept;
  /// Waits for a request without holding anything.
  void rest(Duration timeout);
  /// Answers 503 and closes.
  void turn_away();
  /// While draining: serves what has arrived already, then closes; a connection that never asked may ask once.
  void drain();
  bool resting() const noexcept { return state_ == State::resting; }
  /// It has been answered for good, and what it still sends is thrown away.
  bool lingering() const noexcept { return state_ == State::lingering; }
  /// Breaks off, whatever is under way.
  void close() noexcept;

 private:
  enum class Next { exchange, rest, close, linger };
  enum class State : std::uint8_t { serving, resting, lingering };

  static void event(void* self, net::Stream& stream);
  static Task<Result<void>> say_continue(void* self);
  static void stirred(void* self, net::Stream& stream);
  static void lingered(void* self, net::Stream& stream);
  Task<void> serve();
  Task<void> refuse_service();
  Task<Next> read_proxy_header();
  Task<Next> serve_all(Exchange& x);
  Task<Next> read_head(Exchange& x);
  Task<Next> serve_one(Exchange& x);
  Task<Next> refuse(Exchange& x, http::h1::Refusal refusal);
  Task<Next> settle(const H1Reply& reply);
  void watch_client();
  void linger();
  void discard();
  void begin_exchange(Exchange& x);
  void speak_for(const boost::asio::ip::address& peer);
  Duration left_for_proxy_header() const noexcept;  // may be none

  Sessions& owner_;
  net::StreamPtr stream_;
  net::Input input_;
  net::H1Body body_;
  net::H1Output output_;
  std::string peer_text_;
  boost::asio::ip::address peer_;  // the client, as the PROXY header has it where there is one
  std::optional<std::chrono::steady_clock::time_point> proxy_header_due_;  // while it is awaited
  friend class Sessions;
  Exchange* current_ = nullptr;  // while it is being answered
  std::chrono::steady_clock::time_point linger_until_;
  State state_ = State::serving;
  bool counted_ = true;
  bool fresh_ = true;  // no request has come yet
  bool client_tls_ = false;
  bool client_certificate_ = false;
  bool source_untold_ = false;
};

}  // namespace headgate::gateway
