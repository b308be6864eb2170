#pragma once
// Tells which connections can be read or written: one edge-triggered epoll set inside the worker's Asio loop.
// It registers a connection once. Asio calls epoll_ctl for each wait (Boost 1.81 re-arms descriptor waits with
// EPOLL_CTL_MOD): two calls for each proxied request. With Asio's waits a request cost 14.3 µs of CPU (64 connections,
// 128 bytes).

#include "headgate/net/late_call.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/basic_stream_descriptor.hpp>
#include <boost/circular_buffer.hpp>
#include <boost/smart_ptr/intrusive_ptr.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace headgate::net {

class Stream;

/// A service of an io_context, made at first use. Used on the loop's thread only. It waits only while connections are
/// registered, so a loop without open connections can end.
class Readiness final : public boost::asio::execution_context::service {
 public:
  using key_type = Readiness;
  inline static boost::asio::execution_context::id id;

  explicit Readiness(boost::asio::execution_context& context);

  /// Reports each edge of `descriptor` to `stream`. Throws std::system_error if the kernel has no memory for it.
  void add(int descriptor, Stream& stream);
  /// Gives `stream` another turn after the other ready connections had theirs. For bytes that it has not read yet: the
  /// kernel reports them only once.
  void repeat(Stream& stream);
  /// Makes `call` once, behind the turns of a few other streams: at most kTogether of them have theirs before. At once
  /// if no stream has its turn.
  void later(LateCall& call);
  static constexpr std::size_t kTogether = 16;
  /// Call it before a descriptor is closed.
  void remove(int descriptor) noexcept;

  /// How often it has looked at all streams at once.
  std::uint64_t looks() const noexcept { return looks_; }
  /// Whether the last of these looks is told just now, to one of the first streams behind it. Transport::readable() of
  /// each stream then says what that look saw, whose turn it is or not. Later turns know too little of what came since.
  bool tells() const noexcept { return tells_; }
  /// Looks at all streams again, in the turn of one of them. What it finds waits for its turn behind the others. False
  /// if no stream has its turn, or if more are ready than may wait; after such a look only the next round looks again.
  bool look_again();
  /// So many streams wait for their turns at most. The kernel keeps what is ready beyond them.
  static constexpr std::size_t kWaiting = 512;

 private:
  using Descriptor = boost::asio::posix::basic_stream_descriptor<boost::asio::io_context::executor_type>;
  static constexpr std::size_t kRound = 128;  // turns, before others of the loop have theirs
  static_assert(kRound % kTogether == 0);     // no late call is left behind

  void shutdown() override;
  void wait();
  void round();
  void look();
  void dispatch_repeats();
  void call_late();

  Descriptor set_;
  std::size_t registered_ = 0;
  std::uint64_t looks_ = 0;
  /// Those that a look saw, each once (Stream::told_). Kept alive until its turn: another one's turn may close and
  /// release it.
  boost::circular_buffer<boost::intrusive_ptr<Stream>> ready_{kWaiting};
  std::size_t turn_ = 0;    // of this round
  std::size_t looked_ = 0;  // in which turn it looked last
  std::vector<boost::intrusive_ptr<Stream>> repeats_;
  boost::intrusive::list<LateCall, boost::intrusive::constant_time_size<false>> late_;
  bool in_round_ = false;
  bool in_turns_ = false;  // of a round, or of streams that asked for another one
  bool waiting_ = false;   // a round will come, or is there
  bool more_ = false;      // more may be ready than the last look had room for
  bool tells_ = false;
};

}  // namespace headgate::net
