#pragma once
// A TCP connection as coroutines want it: try first, wait only when the kernel says "would block", a deadline for each
// wait; and never more than its turn, for the others on its loop wait as well.

#include "headgate/core/result.hpp"
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

/// To write without a deadline.
constexpr Duration kForever = Duration::max();

/// One connection. Worker thread only; at most one reader and one writer wait at a time, and who waits stays until it
/// is woken (a coroutine that is destroyed while it waits would be resumed). Reference-counted (without atomics), for a
/// readiness the kernel still owes outlives whoever asked for it.
class Stream : public boost::intrusive_ref_counter<Stream, boost::thread_unsafe_counter> {
 public:
  /// Takes an open socket and makes it non-blocking, without delay.
  Stream(Socket socket, Timers& timers);
  ~Stream();
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  /// From now on bytes go through `transport`, which works on descriptor(); nobody waits and nothing is unread.
  void carry_by(std::unique_ptr<Transport> transport) noexcept;
  Transport& transport() noexcept { return *transport_; }
  int descriptor() const noexcept { return descriptor_; }

  /// Reads what is there: bytes, `would_block`, or `eof` and other errors.
  Result<std::size_t> read_now(std::span<char> into);
  /// As read_now(), but throws away what is there, up to kMaxDiscarded bytes: the kernel copies none of them.
  Result<std::size_t> discard_now();
  static constexpr std::size_t kMaxDiscarded = 1UL << 20;

  /// co_await readable(t): until a read would not block and it is this stream's turn. error_code: none, timed_out,
  /// operation_aborted when interrupted.
  class Readable;
  Readable readable(Duration timeout) noexcept;

  /// How much of a stream is dealt with before the other ones on its loop have their turn, in bytes read: a peer that
  /// sends faster than it is served would otherwise never let go of its worker. Each time that the loop comes to the
  /// stream is a turn of its own.
  static constexpr std::int64_t kTurn = 256L * 1024;
  /// Counts work that costs more than the bytes it was read in.
  void charge(std::int64_t bytes) noexcept { turn_left_ -= bytes; }
  /// co_await turn(): at once while this turn lasts, else in the next one. error_code: none, or operation_aborted.
  Readable turn() noexcept;

  /// co_await write_all({...}, t): until all bytes are the kernel's; `t` bounds the wait for each bit of progress. The
  /// bytes must stay put until then. At most kMaxPieces pieces; they leave in one system call where the kernel takes
  /// them.
  class WriteAll;
  static constexpr std::size_t kMaxPieces = 5;
  WriteAll write_all(std::span<const std::string_view> pieces, Duration timeout) noexcept;
  /// co_await flush(t): until what the transport owes the kernel is the kernel's.
  WriteAll flush(Duration timeout) noexcept;

  /// Hands a few bytes to the kernel at once; false where it does not take them all, after which the stream is of no
  /// more use.
  [[nodiscard]] bool write_now(std::string_view bytes) noexcept;
  /// Hands the kernel what it takes of `bytes`; the next write must begin with the rest. Errors: would_block, also
  /// while somebody waits to write; others.
  Result<std::size_t> write_some(std::string_view bytes) noexcept;

  /// Waits for readability on behalf of nobody: `event(owner)` is called when it comes or after `timeout` (timed_out()
  /// then), unless somebody reads first. For connections at rest: a new request, or the peer's close. Ends by being
  /// called, or by unwatch().
  using Event = void (*)(void* owner, Stream& stream);
  void watch(Event event, void* owner, Duration timeout) noexcept;
  /// The same, however long it takes.
  void watch(Event event, void* owner) noexcept;
  void unwatch() noexcept;
  /// Whether nothing is there to be read: no byte, no end, no error. Asks the kernel, for no event may have told yet.
  bool silent() noexcept;
  /// Whether the peer has reset the connection; what it sent stays unread.
  bool broken() noexcept;
  bool timed_out() const noexcept { return watch_timed_out_; }

  /// Wakes a waiting reader and writer with operation_aborted, and makes later waits fail at once.
  void interrupt() noexcept;
  /// Wakes a waiting reader only, this once.
  void interrupt_read() noexcept;
  void shutdown_send() noexcept;
  /// Closes at once; a waiting reader or writer is woken.
  void close() noexcept;
  /// Closes so that the peer is told that the message broke off (RST).
  void reset() noexcept;
  bool is_open() const noexcept { return descriptor_ >= 0; }
  bool interrupted() const noexcept { return interrupted_; }

  /// Has the kernel ask now and then whether a peer that says nothing is still there.
  void keep_alive() noexcept;

  Result<boost::asio::ip::address> peer_address() const;
  Timers& timers() noexcept { return timers_; }

 private:
  friend class Readiness;
  void on_readable(Transport::Ends ends);
  void on_writable();
  void on_turn();
  void fire();
  void end() noexcept;
  void close_descriptor() noexcept;
  Result<std::size_t> charged(Result<std::size_t> got) noexcept;
  void wake_reader(error_code ec);
  void wake_writer(error_code ec);
  static void read_expired(void* self);
  static void write_expired(void* self);

  int descriptor_;
  PlainTransport plain_;
  Transport* transport_ = &plain_;
  std::unique_ptr<Transport> over_;  // where it is not plain, which is asked first: then no call goes by a table
  Readiness& readiness_;
  Timers& timers_;
  Timer read_timer_{&read_expired, this};
  Timer write_timer_{&write_expired, this};
  Readable* reader_ = nullptr;
  WriteAll* writer_ = nullptr;
  Event event_ = nullptr;
  void* event_owner_ = nullptr;
  std::int64_t turn_left_ = kTurn;
  bool interrupted_ = false;
  bool watch_timed_out_ = false;
};

/// Lives in the frame that awaits it, which must not die before it is woken: interrupt() or close() the stream.
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
  /// Whether it is only the turn that is waited for.
  bool may_go_on() const noexcept { return for_ == For::turn || stream_.transport_->readable(); }

  Stream& stream_;
  For for_;
  Duration timeout_;
  std::coroutine_handle<> waiter_;
  error_code result_;
};

/// As Readable.
class Stream::WriteAll {
 public:
  WriteAll(Stream& stream, std::span<const std::string_view> pieces, Duration timeout) noexcept;
  /// Nothing but what is owed.
  WriteAll(Stream& stream, Duration timeout) noexcept : stream_(stream), timeout_(timeout), pieces_{}, count_(1) {}
  bool await_ready() noexcept { return proceed(); }
  void await_suspend(std::coroutine_handle<> waiter) noexcept;
  Result<void> await_resume() const noexcept;

 private:
  friend class Stream;
  bool proceed() noexcept;  // true when done or failed
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
