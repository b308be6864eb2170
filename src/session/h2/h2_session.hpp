#pragma once
// One HTTP/2 client connection: reads and writes its frames with nghttp2, and answers each of its streams as an
// exchange of its own.

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

/// What every client sends first (RFC 9113 section 3.4).
inline constexpr std::string_view kH2Preface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

/// Without a stream it holds no buffer, only what nghttp2 keeps. Worker thread only.
class H2Session final : public Session {
 public:
  /// Streams whose exchange has not ended.
  static constexpr std::size_t kMaxStreams = 100;
  /// The same while all connections together hold as much as they may (`Bounds::buffered`): the rest is refused unread.
  static constexpr std::size_t kStreamsWhenFull = 8;
  /// Of one stream, and of all of a connection: bytes of bodies that are held.
  static constexpr std::int32_t kStreamWindow = 64 * 1024 - 1;
  static constexpr std::int32_t kConnectionWindow = 256 * 1024;
  /// Beyond it no more frames are made.
  static constexpr std::size_t kMaxWritten = 32UL * 1024;
  /// Streams in all, before the client is asked to connect anew.
  static constexpr std::uint32_t kMaxAge = 10'000;

  H2Session(Sessions& owner, net::ReadBuffer input, Peer peer);
  ~H2Session() override;

  void begin() override;
  void break_off() noexcept override;
  bool waits_for_request() const noexcept override { return idle() || streams_.empty(); }
  bool rests() const noexcept override { return idle() || streams_.empty(); }
  void drain_on() override { wind_down(); }
  void wind_down() override;
  UnderWay under_way(std::uint32_t from) const noexcept override;
  Stopped stop(Afterwards afterwards, std::span<const std::uint32_t> streams) noexcept override;

  // For its streams.
  /// The bytes have gone on: the client may send as many more.
  void consumed(std::int32_t id, std::size_t bytes);
  void say_continue(std::int32_t id);
  void begin_tunnel(std::int32_t id, Duration timeout);
  net::MinPace pace_of(std::int32_t id) const;
  void submit_interim(std::int32_t id, unsigned status, const http::Fields& fields);
  /// False: the stream is gone.
  bool submit_answer(std::int32_t id, unsigned status, const http::Fields& fields, const std::uint64_t* length,
                     bool ends);
  bool submit_trailers(std::int32_t id, const http::Fields& fields);
  /// There are bytes or trailers for the stream.
  void resume(std::int32_t id);
  /// Makes frames until the buffer is full.
  void make_frames();
  /// Sends what there is, as far as the client takes it: at once, or with that of other streams.
  void flush();
  /// The first of two steps: the client begins no more streams here. Those on their way are still answered.
  void begin_goaway();

 private:
  friend struct H2Callbacks;
  enum class Goaway : std::uint8_t { none, noticed, last };
  /// The session is not deleted while one lives. Whoever has it returns right after it.
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
  /// Gives nghttp2 what was read, and lets all streams go on that it concerns.
  void take();
  void feed(std::string_view bytes);
  /// DATA or HEADERS come on this stream. If it is closed, nghttp2 only leaves them out.
  void look_if_late(std::int32_t id);
  void run_streams();
  Task<void> answer(H2Stream& stream);
  Task<void> answer_request(H2Stream& stream, Exchange& x);
  Task<void> refuse(H2Stream& stream, Exchange& x, http::ParseError refusal);
  void end_stream(H2Stream& stream);
  /// Its answer is complete, and more of its body may come.
  void let_notice(std::int32_t id);
  static void notice_due(void* self);
  static std::uint32_t breaks_off_as(const H2Stream& stream) noexcept;
  void write();
  static void write_late(void* self);
  Task<void> write_all();
  /// Ends all exchanges, and closes the connection.
  void lose(gateway::ActiveExchange::Because because) noexcept;
  void abort(std::int32_t id, gateway::ActiveExchange::Because because) noexcept;
  void stop(H2Stream& stream) noexcept;
  void abort_all(gateway::ActiveExchange::Because because) noexcept;
  /// The head that is under way will not be whole any more.
  void refuse_late_head();
  /// Its body is malformed: whoever reads it says so in the log.
  void fail_body(H2Stream& stream);
  void judge();
  /// Those that limits may count. `all`: also a few that came a moment ago.
  void tell_glitches(bool all);
  bool has_enough() const;
  void finish_goaway();
  static void goaway_due(void* self);
  /// Nothing holds it any more.
  void over() noexcept;
  bool served_out() const noexcept;
  Duration patience_left() const noexcept;
  H2Stream* find(std::int32_t id) const noexcept { return streams_.find(id); }
  /// Something has happened to the stream.
  void touch(std::int32_t id) {
    if (touched_.empty() || touched_.back() != id) touched_.push_back(id);
  }
  void set_priority(const H2Stream& stream);
  void submit_reset(std::int32_t id, std::uint32_t code);

  net::H2Memory memory_;
  nghttp2_session* h2_ = nullptr;
  H2StreamList streams_;
  PooledVector<std::int32_t> begun_;    // their heads are complete
  PooledVector<std::int32_t> touched_;  // something has happened to them
  std::string out_;                     // frames that are not written yet
  net::H2Held written_;                 // its memory
  H2Limits limits_;
  H2FrameRules rules_;
  H2ClosedStreams closed_;
  H2FrameHeads heads_;
  std::int32_t reset_by_client_ = 0;  // the last stream that the client has reset
  std::uint32_t holds_ = 0;
  std::uint32_t begun_streams_ = 0;
  std::uint32_t heads_sent_ = 0;
  std::int32_t head_of_ = 0;  // the stream whose head is not complete; 0: none
  headgate::Clock::Steady head_until_{};
  headgate::Clock::Steady idle_since_{};
  net::Timer goaway_timer_{&H2Session::goaway_due, this};
  H2Unread unread_;
  net::Timer notice_timer_{&H2Session::notice_due, this};
  net::LateCall write_call_{&H2Session::write_late, this};  // holds the session
  Goaway goaway_ = Goaway::none;
  bool in_batch_ = false;
  bool making_ = false;   // frames: inside nghttp2
  bool writing_ = false;  // a coroutine writes
  bool sending_ = false;  // and out_ must not change
  bool reading_ = false;
  bool lost_ = false;
  bool greeted_ = false;      // a frame has come
  std::uint32_t broken_ = 0;  // the error of the connection; 0: no rule was broken
  bool failed_ = false;       // what follows is not read any more
};

}  // namespace headgate::session
