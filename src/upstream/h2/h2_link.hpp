#pragma once
// One HTTP/2 connection to a server: reads and writes its frames with nghttp2, for all its streams.

#include "h2_attempt.hpp"

#include "headgate/net/read_buffer.hpp"

#include <boost/smart_ptr/intrusive_ref_counter.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

struct nghttp2_session;

namespace headgate::upstream {

class H2Pool;

/// Worker thread only. Lives as long as its streams and its tasks, and not longer than its pool.
class H2Link final : public boost::intrusive_ref_counter<H2Link, boost::thread_unsafe_counter> {
 public:
  /// Streams at the same time, if the server does not want fewer.
  static constexpr std::uint32_t kMaxStreams = 100;
  /// Of all streams together: so much that one whose client does not read never holds up the others.
  static constexpr std::int32_t kConnectionWindow = static_cast<std::int32_t>(kMaxStreams) * 65'535;
  /// Beyond it no more frames are made until the server has taken these.
  static constexpr std::size_t kMaxWritten = 64UL * 1024;
  /// A connection with streams that is silent for this long is asked whether it is still there (PING) ...
  static constexpr Duration kQuiet = std::chrono::seconds(10);
  /// ... and given up after this.
  static constexpr Duration kPingPatience = std::chrono::seconds(5);

  H2Link(H2Pool& pool, net::StreamPtr stream, const net::Tcp::endpoint& to, Clock::Steady closes_at);
  H2Link(const H2Link&) = delete;
  H2Link& operator=(const H2Link&) = delete;
  ~H2Link();

  /// Sends the preface, and reads from then on. False: there is no memory.
  bool begin();
  /// Whether it may carry one more stream now.
  bool has_room() const noexcept;
  /// It carries no new streams any more, and is closed when the last one has ended.
  void retire();
  /// All its streams end with this error. `taken_down`: an operator took the server down.
  void lose(error_code why, bool taken_down = false);

  H2Pool& pool() noexcept { return pool_; }
  net::Timers& timers() noexcept { return stream_->timers(); }
  const net::Tcp::endpoint& to() const noexcept { return to_; }
  bool taken_down() const noexcept { return taken_down_; }
  bool used() const noexcept { return used_; }
  bool is_open() const noexcept { return !lost_; }

  // For its streams.
  /// The request of `attempt` on a stream of its own. `ends`: with its head. False: there is none any more.
  bool open(H2Attempt& attempt, const RequestStart& start, bool ends);
  /// There is more of its body, or its trailers.
  void resume(const H2Attempt& attempt);
  /// These bytes have gone on: the server may send as many more.
  void consumed(std::int32_t id, std::size_t bytes);
  /// `attempt` is about to end. Its stream is reset if it has not ended.
  void leave(const H2Attempt& attempt);
  /// Sends what there is.
  void flush();

 private:
  friend struct H2LinkCalls;

  Task<void> read_all();
  Task<void> write_all();
  void take();
  void make_frames();
  void run_touched();
  bool stays();
  Duration patience() const;
  void end_if_over();

  H2Pool& pool_;
  net::StreamPtr stream_;
  net::ReadBuffer input_;
  net::Tcp::endpoint to_;
  Clock::Steady closes_at_;  // zero: whenever
  Clock::Steady idle_until_{};
  nghttp2_session* h2_ = nullptr;
  std::vector<H2Attempt*> attempts_;
  std::vector<H2AttemptPtr> touched_;  // something has happened to them
  std::string out_;                    // frames that are not being written yet
  std::string sending_;
  std::string names_;  // of fields, in lower case, while they are submitted
  Duration write_timeout_ = std::chrono::seconds(10);
  std::uint32_t streams_ = 0;  // open in nghttp2, or waiting there
  bool inside_ = false;        // nghttp2 must not be called again
  bool in_take_ = false;
  bool writing_ = false;
  bool pinged_ = false;
  bool retired_ = false;
  bool lost_ = false;
  bool used_ = false;
  bool taken_down_ = false;
};

}  // namespace headgate::upstream
