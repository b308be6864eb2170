#pragma once
// A request to a server over HTTP/2: a stream of one of its connections.

#include "h2_head.hpp"

#include "headgate/core/frame_pool.hpp"
#include "headgate/core/pooled_memory.hpp"
#include "headgate/net/h2_memory.hpp"
#include "headgate/net/wake.hpp"
#include "headgate/upstream/counted_attempt.hpp"

#include <boost/container/small_vector.hpp>

#include <cstdint>
#include <optional>
#include <string_view>

namespace headgate::upstream {

class H2Attempt;
class H2Link;
using H2LinkPtr = boost::intrusive_ptr<H2Link>;

/// The body of the answer. A read reopens the window for the bytes that the previous read returned, so a slow client
/// slows its server down, but not the other streams of the connection.
class H2AnswerBody final : public http::BodyReader {
 public:
  explicit H2AnswerBody(H2Attempt& attempt) noexcept : attempt_(attempt) {}
  bool take_at_most(std::uint64_t most) noexcept override;
  Result<std::string_view> ready() override { return take(); }
  Task<Result<std::string_view>> read() override;
  bool ended() const noexcept override;
  void cancel() noexcept override;
  const http::Fields& trailers() const noexcept override { return trailers_; }

 private:
  friend class H2Attempt;
  friend class H2Link;
  friend struct H2LinkCalls;
  Result<std::string_view> take();

  H2Attempt& attempt_;
  PooledString arrived_;
  PooledString given_;
  std::uint64_t total_ = 0;
  std::uint64_t most_ = UINT64_MAX;
  http::Framing framing_;
  http::Fields trailers_;
};

/// The attempt. Worker thread only. Releasing it before its end resets its stream. Only its exchange owns it, and each
/// wake of the exchange may release it. So code that wakes the exchange refers to the attempt by the number of its
/// stream.
class H2Attempt final : public CountedAttempt, public frame_pool::Pooled {
 public:
  /// `link` reserves room for the stream until send().
  explicit H2Attempt(H2LinkPtr link);
  ~H2Attempt() override;

  std::string_view server() const noexcept override;
  Task<Result<void>> send(const RequestStart& start, std::string_view first, http::EndStream last) override;
  Task<Result<void>> write(std::string_view bytes, http::EndStream last) override;
  Task<Result<void>> finish(const http::Fields& trailers) override;
  Task<Result<void, Failure>> read_head(http::ReplyHead& head, Duration timeout) override;
  http::BodyReader& body() noexcept override { return body_; }
  /// Never called, because no server answers 101 over HTTP/2.
  http::BodyReader& tunnel(Duration) override { return body_; }
  void cancel() noexcept override;

 private:
  friend class H2AnswerBody;
  friend class H2Link;
  friend struct H2LinkCalls;
  /// The reason why the stream has ended.
  struct Closed {
    std::uint32_t code = 0;
    bool by_server = false;
    error_code cause{};  ///< set if the connection was lost
  };

  Task<Result<void>> taken_all();
  /// Returns whether all bytes of the current write are in frames.
  bool taken() const noexcept { return last_ || trailers_ != nullptr ? sent_ : pending_.empty(); }
  /// Returns whether the writer has nothing to wait for. This is also so if the server has answered completely, because
  /// it may not read the rest of the request.
  bool done() const noexcept { return broken() || ended_ || taken(); }
  /// Returns whether no more of the request can be sent.
  bool broken() const noexcept { return cancelled_ || closed_; }
  Failure failure() const;
  /// Returns whether the coroutine that waits for the answer must be resumed.
  bool has_news() const noexcept {
    return cancelled_ || closed_ || ended_ || !heads_.empty() || !body_.arrived_.empty();
  }
  std::size_t heads_waiting() const noexcept;
  void note_held() noexcept;
  /// Records that a wait for bytes of the server has timed out.
  void note_silence();

  H2LinkPtr link_;
  std::int32_t id_ = 0;             // number of the stream; 0 if there is none yet
  std::uint64_t heard_before_ = 0;  // value of H2Link::heard() at the start of the wait
  H2AnswerBody body_;
  net::Wake reader_;
  net::Wake writer_;
  // The members below belong to the request.
  std::string_view pending_;  // bytes that are not in frames yet
  const http::Fields* trailers_ = nullptr;
  Duration write_timeout_{};
  Duration between_bytes_{};
  std::uint64_t moved_ = 0;
  bool last_ = false;   // whether the request ends with pending_
  bool begun_ = false;  // whether the first frame of the request was made
  bool sent_ = false;   // whether the last frame of the request was made
  // The members below belong to the answer.
  std::optional<H2AnswerHead> coming_;                     // the head whose fields are arriving
  boost::container::small_vector<H2AnswerHead, 1> heads_;  // heads that were not read yet, at most a few
  H2AnswerHead head_;                                      // the head that was read last
  H2AnswerHead late_;                                      // the trailers
  bool head_request_ = false;
  bool ended_ = false;  // whether the answer is complete
  bool seen_ = false;   // whether a part of the answer has arrived
  bool too_large_ = false;
  bool malformed_ = false;
  bool reset_by_server_ = false;
  std::optional<Closed> closed_;
  net::H2Held held_;  // counts the memory of heads and body bytes
  bool reused_;       // whether the connection had carried answers before
  bool cancelled_ = false;
};

}  // namespace headgate::upstream
