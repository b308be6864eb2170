#pragma once
// One HTTP/2 connection to a server: reads and writes its frames with nghttp2, for all its streams.

#include "h2_attempt.hpp"

#include "headgate/net/connect.hpp"
#include "headgate/net/h2_memory.hpp"
#include "headgate/net/read_buffer.hpp"

#include <boost/smart_ptr/intrusive_ref_counter.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

struct nghttp2_session;

namespace headgate::upstream {

class H2Pool;

/// Worker thread only. Lives as long as its attempts and its tasks. Once it is lost, it does not use its pool any more.
class H2Link final : public boost::intrusive_ref_counter<H2Link, boost::thread_unsafe_counter> {
 public:
  /// Streams at the same time, if the server does not want fewer.
  static constexpr std::uint32_t kMaxStreams = 100;
  /// Bytes of an answer that the server may send before its client has taken them: at 1 ms away 256 MB/s for each
  /// stream, and at 50 ms still 5.
  static constexpr std::int32_t kStreamWindow = 256 * 1024;
  /// Of all streams together: so much that one whose client does not read never holds up the others.
  static constexpr std::int32_t kConnectionWindow = static_cast<std::int32_t>(kMaxStreams) * kStreamWindow;
  /// Beyond it no more frames are made until the server has taken these.
  static constexpr std::size_t kMaxWritten = 64UL * 1024;
  /// A wait for bytes that is shorter says nothing.
  static constexpr Duration kSilence = std::chrono::seconds(1);
  /// How long a server may take to answer a PING. It is asked only when a wait for an answer was in vain and nothing at
  /// all had come meanwhile ...
  static constexpr Duration kPingPatience = std::chrono::seconds(5);
  /// ... and not again within this time: servers of gRPC end connections that send them often (`too_many_pings`).
  static constexpr Duration kBetweenPings = std::chrono::seconds(10);

  H2Link(H2Pool& pool, net::Connected connected, Clock::Steady closes_at);
  H2Link(const H2Link&) = delete;
  H2Link& operator=(const H2Link&) = delete;
  ~H2Link();

  /// Sends the preface, and reads from then on. False: there is no memory.
  bool begin();
  /// Waits for what every server sends first (RFC 9113 section 3.4), with the number of streams that it wants.
  Task<error_code> greeted(Duration most);
  /// The server has greeted: from now on it is the pool's connection of this number, and carries streams.
  void enter(std::uint64_t number) noexcept { number_ = number; }
  /// Whether it may carry one more stream now.
  bool has_room() const noexcept;
  /// Streams that it carries at the same time.
  std::uint32_t room() const noexcept;
  /// Idle: takes what the server has sent meanwhile, so that its end is seen before the next request goes out.
  void look();
  /// It carries no new streams any more, and is closed when the last one has ended.
  void retire();
  /// All its attempts end with this error. `taken_down`: an operator took the server down.
  void lose(error_code why, bool taken_down = false);

  H2Pool& pool() noexcept { return pool_; }
  net::Timers& timers() noexcept { return stream_->timers(); }
  const net::Tcp::endpoint& to() const noexcept { return to_; }
  std::uint64_t number() const noexcept { return number_; }  ///< 0: not entered yet
  std::uint64_t heard() const noexcept { return heard_; }    ///< how often bytes have come
  bool taken_down() const noexcept { return taken_down_; }
  bool has_answered() const noexcept { return answered_; }
  bool is_open() const noexcept { return !lost_; }
  /// No stream, and none that is promised.
  bool idle() const noexcept { return streams_.empty() && promised_ == 0; }

  // For its attempts.
  /// One more stream will be opened, or left().
  void keep_room() noexcept { ++promised_; }
  /// The request of `attempt` on a stream of its own. `ends`: with its head. False: there is none any more.
  bool open(H2Attempt& attempt, const RequestStart& start, bool ends);
  /// There is more of its body, or its trailers.
  void resume(const H2Attempt& attempt);
  /// These bytes have gone on: the server may send as many more.
  void consumed(std::int32_t id, std::size_t bytes);
  /// `attempt` is about to end. Its stream is reset if it has not ended.
  void leave(const H2Attempt& attempt);
  /// Sends what there is: at once, or with that of other streams.
  void flush();
  /// Continues who waits for this stream, if there is news for it. It may release the attempt, and this.
  void let_go_on(std::int32_t id);
  /// A wait was in vain. If nothing has come since it had been heard `before` times, it is asked whether it is there.
  void ask_after_silence(std::uint64_t before);

 private:
  friend struct H2LinkCalls;

  H2Attempt* find(std::int32_t id) const noexcept;
  std::vector<H2Attempt*>::const_iterator place_of(std::int32_t id) const noexcept;
  Task<void> read_all();
  void write();
  static void write_late(void* self);
  Task<void> write_all();
  void take();
  void make_frames();
  void run_touched();
  void end_stream(std::int32_t id);
  void note_refusal();
  bool any_begun() const noexcept;
  void rest_if_idle();
  void end_if_over();
  void arm();
  static void expired(void* self);

  H2Pool& pool_;
  net::StreamPtr stream_;
  net::ReadBuffer input_;
  net::Tcp::endpoint to_;
  std::uint64_t number_ = 0;
  Clock::Steady closes_at_;  // zero: whenever
  Clock::Steady idle_since_{};
  Clock::Steady asked_at_{};  // by the last PING
  net::H2Memory memory_;
  net::H2Held written_;  // the memory of frames that are not sent yet
  nghttp2_session* h2_ = nullptr;
  std::vector<H2Attempt*> attempts_;    // with a stream, which may have ended; by its number
  mutable H2Attempt* found_ = nullptr;  // what was asked for last is mostly asked for again
  std::vector<std::int32_t> streams_;   // open in nghttp2, or waiting there; in order
  PooledVector<std::int32_t> touched_;  // something has happened to them
  std::string out_;                     // frames that are not being written yet
  std::string sending_;
  net::Wake greeting_;
  net::Timer timer_{&H2Link::expired, this};             // idle for too long, or no answer to a PING
  net::LateCall write_call_{&H2Link::write_late, this};  // has a reference
  Duration write_timeout_ = std::chrono::seconds(10);
  std::uint64_t heard_ = 0;
  std::uint32_t heads_sent_ = 0;
  std::uint32_t promised_ = 0;  // attempts that have no stream yet
  bool inside_ = false;         // nghttp2 must not be called again
  bool in_take_ = false;
  bool writing_ = false;
  bool greeted_ = false;
  bool asked_ = false;     // a PING is under way
  bool refusing_ = false;  // the server has refused a stream, and none has ended since
  bool retired_ = false;
  bool lost_ = false;
  bool answered_ = false;
  bool taken_down_ = false;
  error_code why_lost_;
};

}  // namespace headgate::upstream
