#pragma once
// A stream of an HTTP/2 connection: a request, its body and its answer.

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

/// The body of a request. A read reopens the window for the bytes that the previous read returned, so a slow server
/// slows its client down. Lives as long as its stream. Worker thread only.
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

  /// Sets up the body. Call it before the first read.
  void begin(const http::Framing& framing, bool expects_continue) noexcept;
  /// Sets up a tunnel, whose bytes are not a body, in place of begin(). Until tunnel() is called, the tunnel behaves
  /// like an empty body.
  void close() noexcept { is_tunnel_ = closed_ = true; }
  bool is_tunnel() const noexcept { return is_tunnel_; }
  void tunnel(Duration timeout) noexcept;
  void trailers(const http::Fields& fields) noexcept { trailers_ = &fields; }
  /// Adds bytes that have arrived. go_on() then resumes the reader.
  void arrived(std::string_view bytes);
  void end() noexcept { ended_ = true; }
  /// Makes every read fail from now on, because no more bytes will come.
  void fail(error_code why) noexcept { failed_ = why; }
  bool complete() const noexcept { return ended_; }
  bool failed() const noexcept { return failed_.failed(); }
  /// Resumes the reader that waits for bytes.
  void go_on() { wake_.wake(); }
  bool waits() const noexcept { return wake_.waits(); }
  /// Returns the number of bytes that are held and for which the window was not reopened yet.
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

/// The answer of a stream. Worker thread only.
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

  /// Returns the bytes for the session to put into frames.
  std::string_view pending() const noexcept { return pending_; }
  void taken(std::size_t bytes) noexcept;
  /// Returns whether the frame with the last of these bytes ends the stream.
  bool ends_here() const noexcept { return last_; }
  const http::Fields* trailers() const noexcept { return trailers_; }
  /// Reports that the frame that ends the stream was made.
  void ended() noexcept { ended_ = true; }
  void count(std::size_t bytes) noexcept { bytes_ += bytes; }
  /// Makes every write fail from now on, because the stream or its connection is gone.
  void fail(error_code why) noexcept { failed_ = why; }
  /// Suppresses all writes. For a malformed request, which is answered with a reset of the stream.
  void leave_to_reset() noexcept { left_ = true; }
  bool failed() const noexcept { return failed_.failed(); }
  /// Returns whether the answer is complete.
  bool complete() const noexcept { return ended_; }
  bool slow() const noexcept { return slow_; }
  bool is_tunnel() const noexcept { return is_tunnel_; }
  void of(const Exchange& x) noexcept { x_ = &x; }
  /// Returns whether the wait of the writer is over: all its bytes are in frames, or the stream has ended or failed.
  bool done() const noexcept { return failed() || (last_ || trailers_ != nullptr ? ended_ : pending_.empty()); }
  bool waits() const noexcept { return wake_.waits(); }
  void go_on() { wake_.wake(); }
  /// Resumes the writer with an error.
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
  std::uint64_t moved_ = 0;  // number of bytes of the body that are in frames
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

  /// Updates the memory in use after a field was added to `head` or `trailers`.
  void count_heads() noexcept { heads.is(head.held() + (trailers ? trailers->held() : 0)); }
  H2Head& trailers_begun() {
    if (!trailers) trailers = std::make_unique<H2Head>();
    return *trailers;
  }

  std::int32_t id;
  headgate::Clock::Steady begun;
  H2Head head;
  std::unique_ptr<H2Head> trailers;  ///< null if there are none, as for most requests
  H2Body body;
  H2Reply reply;
  net::H2Held heads;
  gateway::ActiveExchange exchange;
  bool answering = false;  ///< whether the head is complete and the exchange has begun
  bool gone = false;       ///< whether nghttp2 has closed the stream or will close it soon
  /// The reason why the request is not forwarded, a static text; null if it is forwarded. If set, nghttp2 has reset the
  /// stream or will reset it.
  const char* malformed = nullptr;
  bool late = false;             ///< whether the head was not complete in time
  bool reset_by_client = false;  ///< whether the client has sent RST_STREAM
  bool own_reset = false;  ///< whether the gateway has reset the stream for a reason that the client did not cause
  bool stopped = false;    ///< whether an operator ended the stream after its answer had begun
  bool suspended = false;  ///< whether the caller is suspended: its requests are refused, perhaps silently
};

}  // namespace headgate::session
