#pragma once
// The seam between the path and a server's protocol: one request to a server and its answer. The counterpart of
// http/exchange_io.hpp: a request to write, an answer to pull. HTTP/1.1 is one implementation (upstream/h1_upstream).

#include "headgate/core/result.hpp"
#include "headgate/core/task.hpp"
#include "headgate/core/time.hpp"
#include "headgate/http/exchange_io.hpp"
#include "headgate/upstream/failure.hpp"

#include <boost/smart_ptr/intrusive_ptr.hpp>
#include <boost/smart_ptr/intrusive_ref_counter.hpp>

#include <string>
#include <string_view>

namespace headgate::upstream {

/// What a request is made of, besides its body. The codec adds framing. All of it stays where it is until it was sent,
/// and the method until the answer's final head was read.
struct RequestStart {
  std::string_view method;
  std::string_view path;   ///< as it is to be sent
  std::string_view query;  ///< with its "?", or empty
  const http::Fields* fields = nullptr;
  http::Framing framing;        ///< of the body that follows
  Duration write_timeout{};     ///< the server takes no byte for this long
  Duration between_bytes{};     ///< no byte of the answer's body for this long
  std::string* room = nullptr;  ///< where the codec may write the head
};

/// One request and its answer, on whatever carries them. One writer and one reader at a time, beside each other. Worker
/// thread only. Let go of, it breaks off what is not done; Upstream::give_back() lets its connection be used again.
/// Counted (without atomics), so that who cancels it needs not be the one whom that wakes.
class Attempt : public boost::intrusive_ref_counter<Attempt, boost::thread_unsafe_counter> {
 public:
  Attempt() = default;
  Attempt(const Attempt&) = delete;
  Attempt& operator=(const Attempt&) = delete;
  virtual ~Attempt() = default;

  /// Which server it is with, as log and metrics call it; as good as the upstream.
  virtual std::string_view server() const noexcept = 0;

  /// Head and first bytes leave together. `last` where no more bytes and no trailers follow.
  virtual Task<Result<void>> send(const RequestStart& start, std::string_view first, http::EndStream last) = 0;
  virtual Task<Result<void>> write(std::string_view bytes, http::EndStream last) = 0;
  /// Ends a body whose end was not said with its last bytes. In a tunnel: no more bytes will follow this way.
  virtual Task<Result<void>> finish(const http::Fields& trailers) = 0;

  /// Reads the next head, interim or final, waiting up to `timeout` for its end.
  virtual Task<Result<void, Failure>> read_head(http::ReplyHead& head, Duration timeout) = 0;
  /// The body of the head last read.
  virtual http::BodyReader& body() noexcept = 0;
  /// After a 101: both ways are bytes from here on, written by write(), read from what this returns, each read for up
  /// to `timeout`.
  virtual http::BodyReader& tunnel(Duration timeout) = 0;

  /// Wakes who waits to write or to read with operation_aborted; all later calls fail so.
  virtual void cancel() noexcept = 0;
};

using AttemptPtr = boost::intrusive_ptr<Attempt>;

}  // namespace headgate::upstream
