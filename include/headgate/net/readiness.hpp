#pragma once
// Reports which connections can be read or written. Each connection is registered once with an edge-triggered epoll set
// inside the worker's Asio loop. Asio's own waits call epoll_ctl for each wait (Boost 1.81 re-arms descriptor waits
// with EPOLL_CTL_MOD), which is two calls for each proxied request. With Asio's waits a request cost 14.3 µs of CPU (64
// connections, 128 bytes). Used by stream and upstream.

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

/// A service of an io_context, created at first use. The loop's thread only. It waits only while connections are
/// registered, so a loop without open connections can end.
class Readiness final : public boost::asio::execution_context::service {
 public:
  using key_type = Readiness;
  inline static boost::asio::execution_context::id id;

  explicit Readiness(boost::asio::execution_context& context);

  /// Reports each edge of `descriptor` to `stream`. Throws std::system_error if the kernel has no memory for it.
  void add(int descriptor, Stream& stream);
  /// Gives `stream` another turn after the other ready connections had theirs. Needed if the stream has not read all
  /// bytes in its turn, because the kernel reports bytes only once.
  void repeat(Stream& stream);
  /// Makes `call` once, after the turns of at most kTogether other streams. If no stream is in its turn, makes the call
  /// at once.
  void later(LateCall& call);
  static constexpr std::size_t kTogether = 16;
  /// Removes the descriptor. Call it before the descriptor is closed.
  void remove(int descriptor) noexcept;

  /// Returns the number of polls, each of which polls all streams at once.
  std::uint64_t looks() const noexcept { return looks_; }
  /// Returns whether the results of the last poll are still fresh, as they are during the turns of the first streams
  /// after the poll. Then Transport::readable() of each stream is exact for the time of the poll, even for a stream
  /// that still waits for its turn. In later turns too much may have arrived since the poll.
  bool tells() const noexcept { return tells_; }
  /// Polls all streams again during the turn of one of them. Newly ready streams wait for their turn behind the others.
  /// Returns false if no stream is in its turn, or if more streams are ready than may wait. After such a poll, only the
  /// next round polls again.
  bool look_again();
  /// Maximum number of streams that wait for their turn. The kernel keeps further ready streams.
  static constexpr std::size_t kWaiting = 512;

 private:
  using Descriptor = boost::asio::posix::basic_stream_descriptor<boost::asio::io_context::executor_type>;
  static constexpr std::size_t kRound = 128;  // turns before other work of the loop gets its turn
  static_assert(kRound % kTogether == 0);     // no late call is left over at the end of a round

  void shutdown() override;
  void wait();
  void round();
  void look();
  void dispatch_repeats();
  void call_late();

  Descriptor set_;
  std::size_t registered_ = 0;
  std::uint64_t looks_ = 0;
  /// Streams that a poll found ready, each once (Stream::told_). Kept alive until their turn, because the turn of
  /// another stream may close and release them.
  boost::circular_buffer<boost::intrusive_ptr<Stream>> ready_{kWaiting};
  std::size_t turn_ = 0;    // number of turns in this round
  std::size_t looked_ = 0;  // the turn of the last poll
  std::vector<boost::intrusive_ptr<Stream>> repeats_;
  boost::intrusive::list<LateCall, boost::intrusive::constant_time_size<false>> late_;
  bool in_round_ = false;
  bool in_turns_ = false;  // true while a round, or the turns of streams that asked for another one, are running
  bool waiting_ = false;   // true if a round is scheduled or running
  bool more_ = false;      // true if the last poll had no room for all ready streams
  bool tells_ = false;
};

}  // namespace headgate::net
