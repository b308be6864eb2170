#pragma once
// An HTTP/2 connection to a server: reads and writes its frames with nghttp2, for all its streams.

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

/// The connection. Worker thread only. Lives as long as its attempts and its tasks. Once it is lost, it no longer uses
/// its pool.
class H2Link final : public boost::intrusive_ref_counter<H2Link, boost::thread_unsafe_counter> {
 public:
  /// Maximum number of concurrent streams, unless the server wants fewer.
  static constexpr std::uint32_t kMaxStreams = 100;
  /// Bytes of an answer that the server may send before its client has taken them. With a round trip of 1 ms this
  /// allows 256 MB/s per stream, and with 50 ms still 5 MB/s.
  static constexpr std::int32_t kStreamWindow = 256 * 1024;
  /// Bytes that the server may send on all streams together. The number is so large that a stream whose client does not
  /// read never delays other streams.
  static constexpr std::int32_t kConnectionWindow = static_cast<std::int32_t>(kMaxStreams) * kStreamWindow;
  /// Size of the output buffer, in bytes, beyond which no more frames are made until the server has taken some.
  static constexpr std::size_t kMaxWritten = 64UL * 1024;
  /// Minimum length of a wait for bytes that gives reason to doubt the connection.
  static constexpr Duration kSilence = std::chrono::seconds(1);
  /// Time that a server has to answer a PING. A PING is sent only when a wait for an answer has timed out and nothing
  /// at all has arrived meanwhile.
  static constexpr Duration kPingPatience = std::chrono::seconds(5);
  /// Minimum time between two PINGs, because gRPC servers end connections that send many (`too_many_pings`).
  static constexpr Duration kBetweenPings = std::chrono::seconds(10);

  H2Link(H2Pool& pool, net::Connected connected, Clock::Steady closes_at);
  H2Link(const H2Link&) = delete;
  H2Link& operator=(const H2Link&) = delete;
  ~H2Link();

  /// Sends the preface, and reads from then on. Returns false if there is no memory.
  bool begin();
  /// Waits for the server's first SETTINGS (RFC 9113 section 3.4), which has its maximum number of streams.
  Task<error_code> greeted(Duration most);
  /// Lets the connection carry streams, because the server has sent its SETTINGS. `number` is its number in the pool.
  void enter(std::uint64_t number) noexcept { number_ = number; }
  /// Returns whether the connection can carry one more stream now.
  bool has_room() const noexcept;
  /// Returns the maximum number of concurrent streams.
  std::uint32_t room() const noexcept;
  /// Reads the frames that arrived while the connection was idle, so that its end is noticed before the next request is
  /// sent.
  void look();
  /// Opens no more streams on the connection, and closes it when the last stream has ended.
  void retire();
  /// Ends all attempts with this error. `taken_down` says that an operator has taken the server down.
  void lose(error_code why, bool taken_down = false);

  H2Pool& pool() noexcept { return pool_; }
  net::Timers& timers() noexcept { return stream_->timers(); }
  const net::Tcp::endpoint& to() const noexcept { return to_; }
  std::uint64_t number() const noexcept { return number_; }  ///< number in the pool; 0 before enter()
  std::uint64_t heard() const noexcept { return heard_; }    ///< number of times that bytes have arrived
  bool taken_down() const noexcept { return taken_down_; }
  bool has_answered() const noexcept { return answered_; }
  bool is_open() const noexcept { return !lost_; }
  /// Returns whether the connection has neither a stream nor room that is reserved for one.
  bool idle() const noexcept { return streams_.empty() && promised_ == 0; }

  // The functions below are called by the attempts.
  /// Reserves room for one more stream, until open() or leave() is called.
  void keep_room() noexcept { ++promised_; }
  /// Opens a stream for the request of `attempt`. `ends` says that the request ends with its head. Returns false if no
  /// stream is available any more.
  bool open(H2Attempt& attempt, const RequestStart& start, bool ends);
  /// Reports that more of the body, or the trailers, can be sent.
  void resume(const H2Attempt& attempt);
  /// Opens the window by `bytes`, the number of bytes that were passed on to the client.
  void consumed(std::int32_t id, std::size_t bytes);
  /// Called by an `attempt` that is being destroyed. Resets its stream if it has not ended.
  void leave(const H2Attempt& attempt);
  /// Sends the buffered frames, at once or together with frames of other streams.
  void flush();
  /// Resumes the coroutine that waits for this stream, if its wait is over. This may release the attempt and this
  /// object.
  void let_go_on(std::int32_t id);
  /// Called when a wait has timed out. Sends a PING if heard() is still `before`.
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
  Clock::Steady closes_at_;  // time after which no new stream is opened; zero if unlimited
  Clock::Steady idle_since_{};
  Clock::Steady asked_at_{};  // time of the last PING
  net::H2Memory memory_;
  net::H2Held written_;  // memory of frames that are not sent yet
  nghttp2_session* h2_ = nullptr;
  std::vector<H2Attempt*> attempts_;    // attempts with a stream, which may have ended; sorted by stream number
  mutable H2Attempt* found_ = nullptr;  // the last result of find(); the next call mostly searches for the same stream
  std::vector<std::int32_t> streams_;   // streams that are open or queued in nghttp2; sorted
  PooledVector<std::int32_t> touched_;  // streams with an event to handle
  std::string out_;                     // frames whose write has not begun
  std::string sending_;
  net::Wake greeting_;
  // expires if the connection is idle for too long, or if a PING is not answered
  net::Timer timer_{&H2Link::expired, this};
  // a scheduled write, which holds a reference to this object
  net::LateCall write_call_{&H2Link::write_late, this};
  Duration write_timeout_ = std::chrono::seconds(10);
  std::uint64_t heard_ = 0;
  std::uint32_t heads_sent_ = 0;
  std::uint32_t promised_ = 0;  // number of attempts that have no stream yet
  bool inside_ = false;         // whether a function of nghttp2 is running, so that none may be called
  bool in_take_ = false;
  bool writing_ = false;
  bool greeted_ = false;
  bool asked_ = false;     // whether a PING is unanswered
  bool refusing_ = false;  // whether the server has refused a stream and no stream has ended since
  bool retired_ = false;
  bool lost_ = false;
  bool answered_ = false;
  bool taken_down_ = false;
  error_code why_lost_;
};

}  // namespace headgate::upstream
