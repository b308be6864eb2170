#pragma once
// A client connection over HTTP/2. It reads and writes frames with nghttp2 and answers each stream as an exchange of
// its own.

#include "../session.hpp"
#include "abuse.hpp"
#include "frame_rules.hpp"
#include "stream_list.hpp"
#include "unread.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

struct nghttp2_session;

namespace headgate::session {

/// The bytes that every HTTP/2 client sends first (RFC 9113 section 3.4).
inline constexpr std::string_view kH2Preface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

/// A session of HTTP/2. Without a stream it holds no buffer, only the state of nghttp2. Worker thread only.
class H2Session final : public Session {
 public:
  /// Maximum number of streams whose exchange has not ended.
  static constexpr std::size_t kMaxStreams = 100;
  /// Maximum number of streams while the buffers of all connections are at their bound (`Bounds::buffered`). Further
  /// streams are refused unread.
  static constexpr std::size_t kStreamsWhenFull = 8;
  /// Bytes of bodies that the gateway may hold, for one stream and for all streams of a connection.
  static constexpr std::int32_t kStreamWindow = 64 * 1024 - 1;
  static constexpr std::int32_t kConnectionWindow = 256 * 1024;
  /// Size of the output buffer, in bytes, beyond which no more frames are made.
  static constexpr std::size_t kMaxWritten = 32UL * 1024;
  /// Number of streams in the life of a connection after which the client is asked to open a new connection.
  static constexpr std::uint32_t kMaxAge = 10'000;

  H2Session(Sessions& owner, net::ReadBuffer input, Peer peer);
  ~H2Session() override;

  void begin() override;
  void break_off() noexcept override;
  bool waits_for_request() const noexcept override { return idle() || streams_.empty(); }
  bool has_no_request() const noexcept override { return idle() || streams_.empty(); }
  void drain_on() override { wind_down(); }
  void wind_down() override;
  UnderWay under_way(std::uint32_t from) const noexcept override;
  Stopped stop(Afterwards afterwards, std::span<const std::uint32_t> streams) noexcept override;

  // The functions below are called by the streams.
  /// Opens the window by `bytes`, the number of bytes that were passed on to the server.
  void consumed(std::int32_t id, std::size_t bytes);
  void say_continue(std::int32_t id);
  void begin_tunnel(std::int32_t id, Duration timeout);
  net::MinPace pace_of(std::int32_t id) const;
  void submit_interim(std::int32_t id, unsigned status, const http::Fields& fields);
  /// Queues the answer; returns false if the stream has ended.
  bool submit_answer(std::int32_t id, unsigned status, const http::Fields& fields, const std::uint64_t* length,
                     bool ends);
  bool submit_trailers(std::int32_t id, const http::Fields& fields);
  /// Reports that there are bytes or trailers to send on the stream.
  void resume(std::int32_t id);
  /// Makes frames until the output buffer is full.
  void make_frames();
  /// Sends as many buffered frames as the connection accepts, at once or together with later frames of other streams.
  void flush();
  /// Begins to end the connection: asks the client to begin no more streams on it. Streams in flight are still
  /// answered. finish_goaway() is the second step.
  void begin_goaway();

 private:
  friend struct H2Callbacks;
  enum class Goaway : std::uint8_t { none, noticed, last };
  /// A guard that prevents the deletion of the session. The function that has the guard must return right after its
  /// destruction, which may delete the session.
  class Hold {
   public:
    explicit Hold(H2Session& session) noexcept : session_(&session) { ++session.holds_; }
    Hold(Hold&& other) noexcept : session_(std::exchange(other.session_, nullptr)) {}
    Hold& operator=(Hold&&) = delete;
    ~Hold() {
      if (session_ && --session_->holds_ == 0) session_->over();
    }

   private:
    H2Session* session_;
  };

  void serve() override;
  Task<void> serve_all();
  Task<void> read_all();
  bool open();
  /// Passes the bytes that were read to nghttp2, and resumes all affected streams.
  void take();
  void feed(std::string_view bytes);
  /// Checks DATA or HEADERS on this stream, because nghttp2 silently ignores frames on a closed stream.
  void look_if_late(std::int32_t id);
  void run_streams();
  Task<void> answer(H2Stream& stream);
  Task<void> answer_request(H2Stream& stream, Exchange& x);
  Task<void> refuse(H2Stream& stream, Exchange& x, http::ParseError refusal);
  void end_stream(H2Stream& stream);
  /// Delays the reset of a stream whose answer is complete, so that a client that is still sending its body notices the
  /// answer.
  void let_notice(std::int32_t id);
  static void notice_due(void* self);
  static std::uint32_t breaks_off_as(const H2Stream& stream) noexcept;
  void write();
  static void write_late(void* self);
  Task<void> write_all();
  /// Ends all exchanges and closes the connection.
  void lose(gateway::ActiveExchange::Because because) noexcept;
  void abort(std::int32_t id, gateway::ActiveExchange::Because because) noexcept;
  void stop(H2Stream& stream) noexcept;
  void abort_all(gateway::ActiveExchange::Because because) noexcept;
  /// Refuses the request whose head was not complete in time.
  void refuse_late_head();
  /// Makes reads of a malformed body fail. The reader of the body logs the reason.
  void fail_body(H2Stream& stream);
  void judge();
  /// Reports glitches, which limits may count. With `all`, also reports the few glitches of the last second.
  void tell_glitches(bool all);
  bool has_enough() const;
  void finish_goaway();
  static void goaway_due(void* self);
  /// Called when nothing holds the session any more.
  void over() noexcept;
  bool served_out() const noexcept;
  Duration patience_left() const noexcept;
  H2Stream* find(std::int32_t id) const noexcept { return streams_.find(id); }
  /// Marks the stream as having an event to handle.
  void touch(std::int32_t id) {
    if (touched_.empty() || touched_.back() != id) touched_.push_back(id);
  }
  void set_priority(const H2Stream& stream);
  void submit_reset(std::int32_t id, std::uint32_t code);

  net::H2Memory memory_;
  nghttp2_session* h2_ = nullptr;
  H2StreamList streams_;
  PooledVector<std::int32_t> begun_;    // streams whose heads are complete and whose exchanges have not begun
  PooledVector<std::int32_t> touched_;  // streams with an event to handle
  std::string out_;                     // frames that are not written yet
  net::H2Held written_;                 // the memory of the frames
  H2Limits limits_;
  H2FrameRules rules_;
  H2ClosedStreams closed_;
  H2FrameHeads heads_;
  std::int32_t reset_by_client_ = 0;  // number of the stream that the client reset last
  std::uint32_t holds_ = 0;
  std::uint32_t begun_streams_ = 0;
  std::uint32_t heads_sent_ = 0;
  std::int32_t head_of_ = 0;  // number of the stream whose head is not complete; 0 if there is none
  headgate::Clock::Steady head_until_{};
  headgate::Clock::Steady idle_since_{};
  net::Timer goaway_timer_{&H2Session::goaway_due, this};
  H2Unread unread_;
  net::Timer notice_timer_{&H2Session::notice_due, this};
  net::LateCall write_call_{&H2Session::write_late, this};  // a scheduled write; the session is not deleted before it
  Goaway goaway_ = Goaway::none;
  bool in_batch_ = false;
  bool making_ = false;   // nghttp2 makes frames and must not be called
  bool writing_ = false;  // a coroutine is writing
  bool sending_ = false;  // a write is under way, and out_ must not change
  bool reading_ = false;
  bool lost_ = false;
  bool greeted_ = false;      // the first frame has arrived
  std::uint32_t broken_ = 0;  // the connection error; 0 if no rule was broken
  bool failed_ = false;       // further input is not read
};

}  // namespace headgate::session
