#pragma once
// A TCP connection for coroutines. Each operation is tried first and waits, with a deadline, only when the kernel
// reports "would block". A stream yields after its turn, so that the other connections of the loop are served too. Used
// by session, upstream, redis and load.

#include "headgate/core/result.hpp"
#include "headgate/net/pace.hpp"
#include "headgate/net/readiness.hpp"
#include "headgate/net/timers.hpp"
#include "headgate/net/transport.hpp"

#include <boost/asio/basic_stream_socket.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/smart_ptr/intrusive_ptr.hpp>
#include <boost/smart_ptr/intrusive_ref_counter.hpp>

#include <sys/uio.h>

#include <array>
#include <coroutine>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

namespace headgate::net {

using Tcp = boost::asio::ip::tcp;
using Executor = boost::asio::io_context::executor_type;
using Socket = boost::asio::basic_stream_socket<Tcp, Executor>;

class Stream;
using StreamPtr = boost::intrusive_ptr<Stream>;

/// No deadline.
constexpr Duration kForever = Duration::max();

/// A connection. Worker thread only. At most one reader and one writer wait at a time. A waiting coroutine must not be
/// destroyed before it is woken (see Readable). Reference-counted, without atomics, because the kernel may report an
/// edge after the last user is gone.
class Stream : public boost::intrusive_ref_counter<Stream, boost::thread_unsafe_counter> {
 public:
  /// Takes an open socket, makes it non-blocking and turns off Nagle's delay. `timers` outlives the stream. Throws
  /// std::system_error like Readiness::add().
  Stream(Socket socket, Timers& timers);
  /// Takes a connected or connecting socket that is non-blocking and without Nagle's delay. Throws like the other
  /// constructor, and then closes the socket.
  Stream(int descriptor, boost::asio::io_context& loop, Timers& timers);
  ~Stream();
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  /// Sends and receives through `transport`, which uses descriptor(), from now on. Call this while no operation waits
  /// and no bytes are unread.
  void use_transport(std::unique_ptr<Transport> transport) noexcept;
  Transport& transport() noexcept { return *transport_; }
  int descriptor() const noexcept { return descriptor_; }

  /// Reads without waiting. Errors: would_block, eof, others.
  Result<std::size_t> read_now(std::span<char> into);
  /// Reads like read_now(), but drops up to kMaxDiscarded bytes, which the kernel does not copy.
  Result<std::size_t> discard_now();
  static constexpr std::size_t kMaxDiscarded = 1UL << 20;

  /// co_await readable(t) waits until a read would not block and it is this stream's turn. Returns no error, timed_out,
  /// or operation_aborted after an interrupt.
  class Readable;
  Readable readable(Duration timeout) noexcept;

  /// Number of bytes that are read in one turn. Afterwards the other connections of the loop are served; otherwise a
  /// peer that sends fast would occupy the worker. A new turn begins each time the loop comes to the stream.
  static constexpr std::int64_t kTurn = 256L * 1024;
  /// Counts work other than reading, in bytes of a turn.
  void charge(std::int64_t bytes) noexcept { turn_left_ -= bytes; }
  /// co_await turn() continues at once within this turn, otherwise in the next turn. Returns no error or
  /// operation_aborted.
  Readable turn() noexcept;
  /// Makes `call` soon; see Readiness::later().
  void later(LateCall& call) { readiness_.later(call); }

  /// co_await write_all(pieces, t) waits until the kernel has all bytes. `t` bounds each wait for progress. The bytes
  /// must not move or change until then. Takes at most kMaxPieces pieces, with one system call if the kernel accepts
  /// them all.
  class WriteAll;
  static constexpr std::size_t kMaxPieces = 5;
  WriteAll write_all(std::span<const std::string_view> pieces, Duration timeout) noexcept;
  /// co_await flush(t) waits until the kernel has the bytes that the transport still holds; on a connecting socket,
  /// until it is connected.
  WriteAll flush(Duration timeout) noexcept;

  /// Writes a few bytes without waiting. Returns false if the kernel did not accept them all; then the stream is
  /// unusable.
  [[nodiscard]] bool write_now(std::string_view bytes) noexcept;
  /// Writes as many of `bytes` as the kernel accepts, without waiting. The next write must begin with the rest. Errors:
  /// would_block, also while a writer waits; others.
  Result<std::size_t> write_some(std::string_view bytes) noexcept;

  /// Waits without a coroutine: calls `event(owner, stream)` once, when the stream becomes readable or after `timeout`
  /// (see timed_out()). Made for idle connections, which wait for a new request or the end of the connection. The watch
  /// ends with the call or with unwatch(). Releasing the stream does not end the watch, because the loop keeps streams
  /// that wait for their turn.
  using Event = void (*)(void* owner, Stream& stream);
  void watch(Event event, void* owner, Duration timeout) noexcept;
  /// Waits like watch() above, but without a timeout.
  void watch(Event event, void* owner) noexcept;
  /// Waits like watch() with a timeout, but only bytes that arrive after this call cause an event. For use after an
  /// event that left bytes unread.
  void watch_on(Event event, void* owner, Duration timeout) noexcept;
  void unwatch() noexcept;
  /// Returns whether there is nothing to read: no byte, no end, no error. Asks the kernel, because an event may not
  /// have come yet.
  bool silent() noexcept;
  /// Returns whether the peer has reset the connection. Reads nothing.
  bool broken() noexcept;
  /// Returns whether the peer has closed the connection or its sending side, as far as the loop knows.
  bool peer_ended() const noexcept;
  /// Returns whether peer_ended() is true or the peer has announced the end in its protocol (see
  /// Transport::sees_end()).
  bool sees_end() noexcept;
  bool timed_out() const noexcept { return watch_timed_out_; }
  /// Returns whether a coroutine waits for the peer to send or accept bytes.
  bool waits_for_peer() const noexcept;

  /// Wakes the waiting reader and writer with operation_aborted. Later waits fail at once.
  void interrupt() noexcept;
  /// Wakes only the waiting reader, with operation_aborted. Later waits are not affected.
  void interrupt_read() noexcept;
  /// Tells the peer that no more bytes follow. Reading remains possible.
  void shutdown_send() noexcept;
  /// Closes at once. Wakes the waiting reader and writer.
  void close() noexcept;
  /// Closes with RST, so that the peer knows that the message is incomplete.
  void reset() noexcept;
  bool is_open() const noexcept { return descriptor_ >= 0; }
  bool interrupted() const noexcept { return interrupted_; }

  /// Requires the peer to keep the pace of `rule` while a write waits; otherwise the write fails with too_slow().
  /// Acknowledged bytes count. The owner of the rule must outlive all writes.
  void demand_pace(PaceRule rule) noexcept { write_rule_ = rule; }

  /// Turns on TCP keep-alive: the kernel checks whether a silent peer is still there.
  void keep_alive() noexcept;

  Result<boost::asio::ip::address> peer_address() const;
  Timers& timers() noexcept { return timers_; }

 private:
  friend class Readiness;
  void on_writable();
  void on_turn();
  void fire();
  void end() noexcept;
  void close_descriptor() noexcept;
  Result<std::size_t> charged(Result<std::size_t> got) noexcept;
  void wake_reader(error_code ec);
  void wake_writer(error_code ec);
  void arm_writer(Duration timeout) noexcept;
  bool write_goes_on();
  static void read_expired(void* self);
  static void write_expired(void* self);

  int descriptor_;
  PlainTransport plain_;
  Transport* transport_ = &plain_;
  std::unique_ptr<Transport> over_;  // transport over the socket; null for plain sockets, whose calls are not virtual
  Readiness& readiness_;
  Timers& timers_;
  Timer read_timer_{&read_expired, this};
  Timer write_timer_{&write_expired, this};
  Readable* reader_ = nullptr;
  WriteAll* writer_ = nullptr;
  Event event_ = nullptr;
  void* event_owner_ = nullptr;
  std::int64_t turn_left_ = kTurn;
  PaceRule write_rule_;
  PaceWatch write_pace_;
  PaceWatch::Steady write_until_{};  // end of a write without progress; only used with a rule
  bool interrupted_ = false;
  bool watch_timed_out_ = false;
  std::uint32_t told_ = 0;  // events that polls of Readiness found; if not zero, the stream waits for its turn
};

/// The awaitable of readable() and turn(); co_await it at once. While it waits, the stream points to it, and it does
/// not unlink itself. So its frame must not be destroyed meanwhile; spawned tasks guarantee that (core/task.hpp). Call
/// interrupt() or close() to end a wait.
class Stream::Readable {
 public:
  enum class For : std::uint8_t { bytes, turn };
  Readable(Stream& stream, For what, Duration timeout) noexcept : stream_(stream), for_(what), timeout_(timeout) {}
  bool await_ready() const noexcept {
    return (may_go_on() && stream_.turn_left_ > 0) || stream_.interrupted_ || !stream_.is_open();
  }
  void await_suspend(std::coroutine_handle<> waiter) noexcept;
  error_code await_resume() noexcept;

 private:
  friend class Stream;
  /// Returns whether the stream only has to wait for its turn.
  bool may_go_on() const noexcept { return for_ == For::turn || stream_.transport_->readable(); }

  Stream& stream_;
  For for_;
  Duration timeout_;
  std::coroutine_handle<> waiter_;
  error_code result_;
};

inline bool Stream::waits_for_peer() const noexcept {
  return writer_ != nullptr || (reader_ != nullptr && reader_->for_ == Readable::For::bytes);
}

/// The awaitable of write_all() and flush(). Waits like Readable.
class Stream::WriteAll {
 public:
  WriteAll(Stream& stream, std::span<const std::string_view> pieces, Duration timeout) noexcept;
  /// Creates an awaitable that writes only the bytes that the transport still holds.
  WriteAll(Stream& stream, Duration timeout) noexcept : stream_(stream), timeout_(timeout), pieces_{}, count_(1) {}
  bool await_ready() noexcept { return proceed(); }
  void await_suspend(std::coroutine_handle<> waiter) noexcept;
  Result<void> await_resume() const noexcept;

 private:
  friend class Stream;
  bool proceed() noexcept;  // Writes as much as possible; returns true when done or failed.
  void arm() const noexcept;

  Stream& stream_;
  Duration timeout_;
  std::array<iovec, kMaxPieces> pieces_;
  std::size_t first_ = 0;
  std::size_t count_ = 0;
  std::coroutine_handle<> waiter_;
  error_code result_;
};

}  // namespace headgate::net
