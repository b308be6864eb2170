#pragma once
// One client connection, whatever it speaks: idle, served, or lingering after its last answer.

#include "headgate/gateway/sessions.hpp"

#include <boost/asio/ip/address.hpp>
#include <boost/intrusive/list_hook.hpp>

#include <chrono>
#include <cstdint>
#include <string>

namespace headgate::gateway {

/// Who is at the other end, as far as is known before a request.
struct Peer {
  explicit Peer(const boost::asio::ip::address& from) { speak_for(from); }
  /// It is `source` that the connection comes from. A mapped address is the IPv4 address it stands for.
  void speak_for(const boost::asio::ip::address& source);

  boost::asio::ip::address address;
  std::string text;
  bool tls = false;            ///< the client came by TLS, by the word of a trusted peer
  bool certificate = false;    ///< and showed a certificate that was verified
  bool source_untold = false;  ///< a trusted peer would not say where it comes from
};

/// What Sessions keeps. What a protocol's session is made of: it
/// begins, serves what comes, and says when it is idle or done. Worker thread only; deletes itself through its
/// Sessions. While it is idle, it holds no buffer and no coroutine, only the readiness that the kernel owes it.
class Session : public boost::intrusive::list_base_hook<boost::intrusive::link_mode<boost::intrusive::auto_unlink>> {
 public:
  /// How long a connection made before a drain began may take to send what it was made for.
  static constexpr auto kFirstRequest = std::chrono::seconds(1);

  virtual ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  /// Serves what has come already, or waits for it.
  virtual void begin() = 0;
  /// Says that there are too many connections, where its protocol has a word for it, and closes. The session is not
  /// counted.
  virtual void reject();
  /// While draining: serves what has arrived already, then closes; a connection that never asked may ask once.
  void drain();
  bool idle() const noexcept { return state_ == State::idle; }
  /// It has been answered for good, and what it still sends is thrown away.
  bool lingering() const noexcept { return state_ == State::lingering; }
  /// Breaks off, whatever is under way: the worker does not wait for its end.
  virtual void break_off() noexcept;

 protected:
  Session(Sessions& owner, net::ReadBuffer input, Peer peer);

  /// Tells an exchange whose it is and when it began.
  void begin_exchange(Exchange& x);
  /// Something has come, or a drain begins: the session is no longer idle.
  virtual void serve() = 0;
  /// Waits for more without holding anything; whoever sends nothing within `timeout` is gone.
  void wait_idle(Duration timeout);
  /// Behind an answer that came before all was read.
  void linger();

  /// The connection is done: deletes this.
  void end() noexcept { owner_.remove(*this); }
  /// Deletes this; a session of what is spoken serves the connection from here on.
  void give_way();

  Handler& handler() const noexcept { return owner_.handler_; }
  Clock& clock() const noexcept { return owner_.clock_; }
  const Timeouts& timeouts() const noexcept { return owner_.timeouts_; }
  const Bounds& bounds() const noexcept { return owner_.bounds_; }
  ExchangePool& exchanges() const noexcept { return owner_.exchanges_; }
  /// How long a connection that has not asked yet may take to do so.
  Duration patience() const noexcept { return owner_.patience(); }
  bool draining() const noexcept { return owner_.draining(); }

  net::StreamPtr stream_;  // null once it was handed on
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
  State state_ = State::serving;
  bool counted_ = true;
};

}  // namespace headgate::gateway
