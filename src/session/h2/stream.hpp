#pragma once
// One stream of an HTTP/2 connection: one request, its body as it comes, and its answer.

#include "abuse.hpp"
#include "head.hpp"

#include "headgate/core/frame_pool.hpp"
#include "headgate/core/pooled_memory.hpp"
#include "headgate/gateway/active_exchange.hpp"
#include "headgate/http/exchange_io.hpp"
#include "headgate/net/h2_memory.hpp"
#include "headgate/net/pace.hpp"
#include "headgate/net/wake.hpp"

#include <cstdint>
#include <memory>
#include <string_view>

namespace headgate::session {

using gateway::Exchange;
class H2Session;

/// The body of a request. What was returned by a read gives its window back with the next one, so a slow server slows
/// its client. Lives as long as its stream. Worker thread only.
class H2Body final : public http::BodyReader {
 public:
  H2Body(H2Session& session, std::int32_t id, Duration timeout, net::Timers& timers,
         net::LentBytes::Share* lent) noexcept
      : session_(session), id_(id), timeout_(timeout), wake_(timers), memory_(lent) {}

  bool take_at_most(std::uint64_t most) noexcept override;
  Result<std::string_view> ready() override { return take(); }
  Task<Result<std::string_view>> read() override;
  bool ended() const noexcept override { return closed_ || (ended_ && arrived_.empty()); }
  void cancel() noexcept override { wake_.wake(boost::asio::error::operation_aborted); }
  const http::Fields& trailers() const noexcept override { return *trailers_; }

  /// Before the first read.
  void begin(const http::Framing& framing, bool expects_continue) noexcept;
  /// Instead of begin(): what comes is not a body, but what a tunnel carries. Until tunnel() it looks like a body of
  /// nothing.
  void close() noexcept { is_tunnel_ = closed_ = true; }
  bool is_tunnel() const noexcept { return is_tunnel_; }
  void tunnel(Duration timeout) noexcept;
  void trailers(const http::Fields& fields) noexcept { trailers_ = &fields; }
  /// Bytes have come. The reader is continued by go_on().
  void arrived(std::string_view bytes);
  void end() noexcept { ended_ = true; }
  /// No more will come: every read fails from now on.
  void fail(error_code why) noexcept { failed_ = why; }
  bool complete() const noexcept { return ended_; }
  bool failed() const noexcept { return failed_.failed(); }
  /// Continues who waits for what has come meanwhile.
  void go_on() { wake_.wake(); }
  bool waits() const noexcept { return wake_.waits(); }
  /// What is held and was not given back yet.
  std::size_t held() const noexcept { return arrived_.size() + given_.size(); }

 private:
  Result<std::string_view> take();
  void give_back();
  void release();

  H2Session& session_;
  std::int32_t id_;
  Duration timeout_;
  net::Wake wake_;
  http::Framing framing_;
  std::uint64_t most_ = UINT64_MAX;
  std::uint64_t total_ = 0;
  PooledString arrived_;
  PooledString given_;
  net::H2Held memory_;
  bool ended_ = false;
  bool tells_continue_ = false;
  bool is_tunnel_ = false;
  bool closed_ = false;
  error_code failed_;
  http::Fields none_;
  const http::Fields* trailers_ = &none_;
  net::PaceWatch pace_;
  std::uint64_t received_ = 0;
};

/// The answer. Worker thread only.
class H2Reply final : public http::ReplyWriter {
 public:
  H2Reply(H2Session& session, std::int32_t id, Duration timeout, net::Timers& timers) noexcept
      : session_(session), id_(id), timeout_(timeout), wake_(timers) {}

  Task<Result<void>> interim(const http::ReplyStart& start) override;
  Task<Result<void>> send(const http::ReplyStart& start, std::string_view first, http::EndStream last) override;
  Task<Result<void>> write(std::string_view bytes, http::EndStream last) override;
  Task<Result<void>> finish(const http::Fields& trailers) override;
  void tunnel(Duration timeout) override;
  bool started() const noexcept override { return started_; }
  std::uint64_t bytes_sent() const noexcept override { return bytes_; }

  /// What the session does with the bytes: gives some of them to a frame.
  std::string_view pending() const noexcept { return pending_; }
  void taken(std::size_t bytes) noexcept;
  /// Whether the frame that takes the last of them ends the stream.
  bool ends_here() const noexcept { return last_; }
  const http::Fields* trailers() const noexcept { return trailers_; }
  /// A frame that ends the stream was made.
  void ended() noexcept { ended_ = true; }
  void count(std::size_t bytes) noexcept { bytes_ += bytes; }
  /// The stream or its connection is gone.
  void fail(error_code why) noexcept { failed_ = why; }
  /// It is reset because its request is malformed: that is its answer, whatever is sent.
  void leave_to_reset() noexcept { left_ = true; }
  bool failed() const noexcept { return failed_.failed(); }
  /// Whether the answer is complete.
  bool complete() const noexcept { return ended_; }
  bool slow() const noexcept { return slow_; }
  bool is_tunnel() const noexcept { return is_tunnel_; }
  void of(const Exchange& x) noexcept { x_ = &x; }
  /// Whether what it waits for has happened.
  bool done() const noexcept { return failed() || (last_ || trailers_ != nullptr ? ended_ : pending_.empty()); }
  bool waits() const noexcept { return wake_.waits(); }
  void go_on() { wake_.wake(); }
  /// Continues who waits, with an error.
  void cancel() { wake_.wake(boost::asio::error::operation_aborted); }

 private:
  Task<Result<void>> taken_all();

  H2Session& session_;
  std::int32_t id_;
  Duration timeout_;
  net::Wake wake_;
  const Exchange* x_ = nullptr;
  std::string_view pending_;
  const http::Fields* trailers_ = nullptr;
  std::uint64_t bytes_ = 0;
  std::uint64_t moved_ = 0;  // of the body, into frames
  bool last_ = false;
  bool started_ = false;
  bool ended_ = false;
  bool bodiless_ = false;
  bool slow_ = false;
  bool left_ = false;
  bool is_tunnel_ = false;
  error_code failed_;
  net::PaceWatch pace_;
};

struct H2Stream : frame_pool::Pooled {
  H2Stream(H2Session& session, std::int32_t number, headgate::Clock::Steady now, Duration body_timeout,
           Duration write_timeout, net::Timers& timers, net::LentBytes::Share* lent)
      : id(number),
        begun(now),
        body(session, number, body_timeout, timers, lent),
        reply(session, number, write_timeout, timers),
        heads(lent) {}

  /// A field was added to `head` or `trailers`.
  void count_heads() noexcept { heads.is(head.held() + (trailers ? trailers->held() : 0)); }
  H2Head& trailers_begun() {
    if (!trailers) trailers = std::make_unique<H2Head>();
    return *trailers;
  }

  std::int32_t id;
  headgate::Clock::Steady begun;
  H2Head head;
  std::unique_ptr<H2Head> trailers;  ///< null: none have come, as of most requests
  H2Body body;
  H2Reply reply;
  net::H2Held heads;
  gateway::ActiveExchange exchange;
  bool answering = false;  ///< its head was complete, and its exchange has begun
  bool gone = false;       ///< nghttp2 has closed it, or it is to be ended
  /// Why no server gets it; a text of ours, or null. Then nghttp2 has reset it, or will.
  const char* malformed = nullptr;
  bool late = false;             ///< its head was not whole in time
  bool reset_by_client = false;  ///< the client has sent RST_STREAM
  bool own_reset = false;        ///< for a reason that is not the client's
  bool stopped = false;          ///< an operator has ended it after its answer had begun
  bool suspended = false;        ///< its caller is refused, perhaps without an answer
};

}  // namespace headgate::session
