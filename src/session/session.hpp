#pragma once
// A client connection of any protocol while it serves a request, is idle, or lingers after its last answer.

#include "headgate/net/tls/secured.hpp"
#include "headgate/session/sessions.hpp"

#include <boost/asio/ip/address.hpp>
#include <boost/intrusive/list_hook.hpp>

#include <chrono>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace headgate::session {

/// The client of a connection, as far as it is known before the first request.
struct Peer {
  explicit Peer(const boost::asio::ip::address& from) { speak_for(from); }
  /// Sets the address of the client. Converts an IPv4-mapped IPv6 address to IPv4.
  void speak_for(const boost::asio::ip::address& source);

  boost::asio::ip::address address;
  std::string text;
  headgate::Clock::Steady accepted;  ///< when the connection was accepted
  ListenerSettingsPtr listener;      ///< the listener of the connection; never null once Sessions has taken it
  bool tls = false;  ///< the client uses TLS, either with the gateway or, as a trusted proxy reports, with the proxy
  bool certificate = false;       ///< the client's certificate was verified
  bool late = false;              ///< the opening time ended when only a part of the HTTP/2 preface had arrived
  bool source_untold = false;     ///< the PROXY header of a trusted proxy names no client address
  ConnectionBounds::Place place;  ///< the place of the client's address; empty if no bound applies to the address
  std::unique_ptr<const net::Secured> secured;  ///< TLS with the gateway; null without it
};

/// The base class of the sessions of all protocols. Sessions owns it, and end() deletes it. An idle session holds no
/// buffer and no coroutine: it only waits for readiness. Worker thread only.
class Session : public boost::intrusive::list_base_hook<boost::intrusive::link_mode<boost::intrusive::auto_unlink>> {
 public:
  /// Time that a connection without a request has during a drain to send its first request.
  static constexpr auto kFirstRequest = std::chrono::seconds(1);

  virtual ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  /// Serves bytes that were read already, or waits for the first ones.
  virtual void begin() = 0;
  /// Replaces begin() if there are too many connections. Sends the protocol's answer for this case, and closes.
  virtual void reject();
  /// Serves the requests that have arrived, then closes. A connection that has had no request may still send one.
  void drain();
  /// Called when a drain begins while the session is not idle.
  virtual void drain_on() {}
  /// Called when the connection should end soon but not at once: another process takes over, or a drain will begin.
  virtual void wind_down() {}
  bool idle() const noexcept { return state_ == State::idle; }
  /// Returns whether no request of the client is under way. In lists for operators, such connections are idle.
  virtual bool has_no_request() const noexcept { return idle(); }
  /// Returns whether the session waits for the client to begin or complete a request. If so, break_off() ends it within
  /// the call.
  virtual bool waits_for_request() const noexcept { return idle(); }
  /// Returns whether the last answer was sent. Bytes from the client are then read and discarded.
  bool lingering() const noexcept { return state_ == State::lingering; }
  /// Closes at once, even during an exchange, because the worker does not wait any longer.
  virtual void break_off() noexcept;
  /// Whether the connection stays open after an operator has ended its request.
  enum class Afterwards : std::uint8_t { as_usual, close };
  struct UnderWay {
    const Exchange* exchange = nullptr;  ///< null if there is none
    std::uint32_t stream = 0;            ///< 0 if the protocol has no streams
  };
  /// Returns the request under way with the lowest stream number not below `from`.
  virtual UnderWay under_way(std::uint32_t from) const noexcept { return static_cast<void>(from), UnderWay(); }
  struct Stopped {
    std::uint32_t answered = 0;  ///< requests whose clients are answered with 503
    std::uint32_t broken_off =
        0;  ///< requests whose answers had begun, so that their stream was reset or their connection closed
  };
  /// Ends the requests under way of these streams for an operator. May delete this.
  virtual Stopped stop(Afterwards afterwards, std::span<const std::uint32_t> streams) noexcept;

  const Peer& peer() const noexcept { return peer_; }
  /// Returns the number that identifies the connection among those of its worker.
  std::uint64_t number() const noexcept { return number_; }
  /// Returns the time at which the current request began or, without a request, at which the wait for one began.
  headgate::Clock::Steady since() const noexcept { return since_; }
  /// Links the session to the other sessions of the same address.
  boost::intrusive::list_member_hook<boost::intrusive::link_mode<boost::intrusive::auto_unlink>> of_address;

 protected:
  Session(Sessions& owner, net::ReadBuffer input, Peer peer);
  /// Begins the wait for a request at `now`.
  void begin_wait(headgate::Clock::Steady now) noexcept { since_ = now; }

  /// Sets client, clock and start of a new exchange.
  void begin_exchange(Exchange& x);
  /// Called when the session is no longer idle: bytes have arrived, or a drain begins.
  virtual void serve() = 0;
  /// Makes the session idle. It ends unless a byte arrives within `timeout`.
  void wait_idle(Duration timeout);
  /// Sends an HTTP/1.1 answer as the last bytes of the connection, without reading a request. There is no exchange, so
  /// the answer is neither logged nor counted as a request. Of the gateway's fields, it has only Date (RFC 9110 section
  /// 6.6.1). `status` includes the reason phrase. Returns false if the answer cannot be sent at once.
  [[nodiscard]] bool answer_unread(std::string_view status, std::string_view text);
  /// Closes the connection after an answer that was sent before the whole request had arrived, but first reads and
  /// discards at most `most` bytes for a while. The default is for a request whose remaining length is unknown.
  void linger(std::uint64_t most = kUnknownRest);
  static constexpr std::uint64_t kUnknownRest = 16UL << 20;

  /// Closes the connection and deletes this.
  void end() noexcept { owner_.remove(*this); }
  /// Passes the connection to a session of its protocol and deletes this. With `tls`, the handshake comes first.
  void give_way(net::ServerTlsPtr tls);

  Handler& handler() const noexcept { return owner_.handler_; }
  Clock& clock() const noexcept { return owner_.clock_; }
  const Timeouts& timeouts() const noexcept { return owner_.timeouts_; }
  const Bounds& bounds() const noexcept { return owner_.bounds_; }
  ExchangePool& exchanges() const noexcept { return owner_.exchanges_; }
  /// Takes a place for the client that a PROXY header names. Returns false if the client has no place left.
  bool admit() { return owner_.admit(peer_); }
  /// Count the connection for its listener as accepted or refused, unless it was counted before.
  void count_accepted() noexcept {
    if (std::exchange(told_, true)) return;
    if (auto* const counter = peer_.listener->counters.accepted) counter->add();
  }
  void count_refused() noexcept {
    if (std::exchange(told_, true)) return;
    if (auto* const counter = peer_.listener->counters.refused) counter->add();
  }
  /// Returns whether a request must be refused because the buffers are at their bound.
  bool out_of_memory() const { return owner_.out_of_memory(peer_); }
  /// Returns the counter for the connection's memory, which `Bounds::buffered` bounds; null if there is none. Outlives
  /// this object.
  net::LentBytes::Share* lent() const noexcept { return owner_.blocks_.lent; }
  /// Returns how long a connection may be idle before its first request.
  Duration patience() const noexcept { return draining() ? Duration(kFirstRequest) : timeouts().idle; }
  /// Returns whether the listener or the whole worker drains.
  bool draining() const noexcept { return peer_.listener->draining; }
  /// Returns whether each answer must be the last one of its connection.
  bool winding_down() const noexcept { return peer_.listener->winding_down; }
  Handshakes& handshakes() const noexcept { return *owner_.handshakes_; }

  net::StreamPtr stream_;  // null after give_way()
  net::ReadBuffer read_buffer_;
  Peer peer_;

 private:
  friend class Sessions;
  enum class State : std::uint8_t { serving, idle, lingering };

  static void event(void* self, net::Stream& stream);
  static void lingered(void* self, net::Stream& stream);
  void discard();

  Sessions& owner_;
  headgate::Clock::Steady linger_until_;
  std::uint64_t linger_bytes_ = 0;
  headgate::Clock::Steady since_;
  std::uint64_t number_;
  State state_ = State::serving;
  bool counted_ = true;
  bool told_ = false;    // whether the connection was counted as accepted or refused
  bool parked_ = false;  // the session has not begun, because another worker may make room for it
};

}  // namespace headgate::session
