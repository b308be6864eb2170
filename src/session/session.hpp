#pragma once
// One client connection, of any protocol: serving, idle, or lingering after its last answer.

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
  /// Sets the address. An IPv4-mapped IPv6 address becomes the IPv4 address.
  void speak_for(const boost::asio::ip::address& source);

  boost::asio::ip::address address;
  std::string text;
  headgate::Clock::Steady accepted;  ///< when the connection was
  EntrancePtr entrance;              ///< the listener that it came through; never null once Sessions has taken it
  bool tls = false;                  ///< the client uses TLS with us, or a trusted proxy says that it uses TLS
  bool certificate = false;          ///< and its certificate was verified
  bool late = false;                 ///< its first bytes did not become a whole preface in time
  bool source_untold = false;        ///< a trusted proxy names no client address
  ConnectionBounds::Place place;     ///< of its address; none if no bound applies to it
  std::unique_ptr<const net::Secured> secured;  ///< of TLS with us; else null
};

/// The base of a protocol's session. Sessions owns it, and end() deletes it. An idle session holds no buffer and no
/// coroutine: it only waits for readiness. Worker thread only.
class Session : public boost::intrusive::list_base_hook<boost::intrusive::link_mode<boost::intrusive::auto_unlink>> {
 public:
  /// During a drain: how long a connection without a request may take to send its first one.
  static constexpr auto kFirstRequest = std::chrono::seconds(1);

  virtual ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  /// Serves the bytes that were read already, or waits for the first ones.
  virtual void begin() = 0;
  /// Called instead of begin() if there are too many connections. Sends what the protocol has for this case, and
  /// closes.
  virtual void reject();
  /// During a drain: serves the requests that have arrived, then closes. A connection without a request yet may send
  /// one.
  void drain();
  /// A drain has begun while it was not idle.
  virtual void drain_on() {}
  /// Its connection is to end, but not yet: another process serves, or a drain will begin.
  virtual void wind_down() {}
  bool idle() const noexcept { return state_ == State::idle; }
  /// Whether its client has nothing to wait for, for those who look.
  virtual bool rests() const noexcept { return idle(); }
  /// Whether it waits for the client to begin or to complete a request. Then break_off() ends it inside the call.
  virtual bool waits_for_request() const noexcept { return idle(); }
  /// The last answer was sent. Bytes from the client are read and thrown away.
  bool lingering() const noexcept { return state_ == State::lingering; }
  /// Closes at once, also during an exchange: the worker waits no longer.
  virtual void break_off() noexcept;
  /// What becomes of the connection after the request that an operator ends.
  enum class Afterwards : std::uint8_t { as_usual, close };
  struct UnderWay {
    const Exchange* exchange = nullptr;  ///< null: there is none
    std::uint32_t stream = 0;            ///< 0: the protocol has no streams
  };
  /// Of the requests that are answered now, that of the lowest stream from `from` on.
  virtual UnderWay under_way(std::uint32_t from) const noexcept { return static_cast<void>(from), UnderWay(); }
  struct Stopped {
    std::uint32_t answered = 0;  ///< requests whose clients get a 503
    std::uint32_t broken_off =
        0;  ///< requests whose answers had begun: their stream is reset, or their connection closed
  };
  /// An operator ends the requests under way of these streams. May delete this.
  virtual Stopped stop(Afterwards afterwards, std::span<const std::uint32_t> streams) noexcept;

  const Peer& peer() const noexcept { return peer_; }
  /// Names the connection among those of its worker.
  std::uint64_t number() const noexcept { return number_; }
  /// Since when it waits for a request, or when the request that it serves began.
  headgate::Clock::Steady since() const noexcept { return since_; }
  /// Links it to the others of its address.
  boost::intrusive::list_member_hook<boost::intrusive::link_mode<boost::intrusive::auto_unlink>> of_address;

 protected:
  Session(Sessions& owner, net::ReadBuffer input, Peer peer);
  /// It waits for a request since `now`.
  void begin_wait(headgate::Clock::Steady now) noexcept { since_ = now; }

  /// Sets the client of a new exchange, its clock and its start.
  void begin_exchange(Exchange& x);
  /// The session is no longer idle: bytes have arrived, or a drain begins.
  virtual void serve() = 0;
  /// Becomes idle. Without a byte within `timeout` the session ends.
  void wait_idle(Duration timeout);
  /// Answers in HTTP/1.1, as the last thing that is said, where no request is read. So there is no exchange, for a log
  /// or a metric of requests, and none of what a gateway adds to answers but their Date (RFC 9110 section 6.6.1).
  /// `status` is with its reason. False: it cannot be sent at once.
  [[nodiscard]] bool answer_unread(std::string_view status, std::string_view text);
  /// After an answer that was sent before the whole request was read: reads on for a while, at most this many bytes,
  /// then closes. Where nobody knows how much follows, the default ends a flood.
  void linger(std::uint64_t most = kUnknownRest);
  static constexpr std::uint64_t kUnknownRest = 16UL << 20;

  /// Closes the connection and deletes this.
  void end() noexcept { owner_.remove(*this); }
  /// Gives the connection to a session of its protocol, and deletes this. With `tls`, the handshake comes before.
  void give_way(net::ServerTlsPtr tls);

  Handler& handler() const noexcept { return owner_.handler_; }
  Clock& clock() const noexcept { return owner_.clock_; }
  const Timeouts& timeouts() const noexcept { return owner_.timeouts_; }
  const Bounds& bounds() const noexcept { return owner_.bounds_; }
  ExchangePool& exchanges() const noexcept { return owner_.exchanges_; }
  /// Takes a place for the client that a PROXY header has named. False: it has none left.
  bool admit() { return owner_.admit(peer_); }
  /// Of the connection, in the metrics of its listener: one of the two, once it is known.
  void count_accepted() noexcept {
    if (std::exchange(told_, true)) return;
    if (auto* const counter = peer_.entrance->counters.accepted) counter->add();
  }
  void count_refused() noexcept {
    if (std::exchange(told_, true)) return;
    if (auto* const counter = peer_.entrance->counters.refused) counter->add();
  }
  /// Whether a request must be refused because the buffers hold as much as they may.
  bool out_of_memory() const { return owner_.out_of_memory(peer_); }
  /// Counts the memory of the connection for `Bounds::buffered`; null: nobody does. Outlives this.
  net::LentBytes::Share* lent() const noexcept { return owner_.blocks_.lent; }
  /// How long a connection may be idle before its first request.
  Duration patience() const noexcept { return draining() ? Duration(kFirstRequest) : timeouts().idle; }
  /// Whether its listener drains, or the whole worker.
  bool draining() const noexcept { return peer_.entrance->draining; }
  /// Whether each answer is to be the last one of its connection.
  bool winding_down() const noexcept { return peer_.entrance->winding_down; }
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
  bool told_ = false;    // as accepted or refused
  bool parked_ = false;  // not begun: another worker may make room for it
};

}  // namespace headgate::session
