#pragma once
// The interface between the request path in gateway and a server's protocol: one request to a server and its answer.
// The counterpart of http/exchange_io.hpp for servers: here the gateway writes the request and reads the answer.
// upstream/h1_connection implements it for HTTP/1.1 and upstream/h2 for HTTP/2.

#include "headgate/core/result.hpp"
#include "headgate/core/task.hpp"
#include "headgate/core/text_buffer.hpp"
#include "headgate/core/time.hpp"
#include "headgate/http/exchange_io.hpp"
#include "headgate/upstream/failure.hpp"

#include <boost/smart_ptr/intrusive_ptr.hpp>
#include <boost/smart_ptr/intrusive_ref_counter.hpp>

#include <cstddef>
#include <string>
#include <string_view>

namespace headgate::upstream {

/// The head of a request. The codec adds the framing fields. All members must stay valid until the request was sent,
/// and the method until the final head of the answer was read.
struct RequestStart {
  std::string_view method;
  std::string_view path;   ///< path as it is sent to the server
  std::string_view query;  ///< query of the target; begins with "?" or is empty
  const http::Fields* fields = nullptr;
  http::Framing framing;       ///< framing of the body after this head
  Duration write_timeout{};    ///< longest wait for the server to accept a byte
  Duration between_bytes{};    ///< longest wait for a byte of the answer's body
  TextBuffer* room = nullptr;  ///< buffer into which the codec writes the head
};

/// One request to a server and its answer. At most one writer and one reader at a time; both may work at the same time.
/// Worker thread only. Releasing the attempt before its end aborts the exchange; Upstream::give_back() lets its
/// connection be used again. Reference-counted, because cancel() may wake a coroutine that releases the attempt;
/// without atomics, because only one thread uses it.
class Attempt : public boost::intrusive_ref_counter<Attempt, boost::thread_unsafe_counter> {
 public:
  Attempt() = default;
  Attempt(const Attempt&) = delete;
  Attempt& operator=(const Attempt&) = delete;
  virtual ~Attempt() = default;

  /// Returns the name of the server for log and metrics. Valid as long as the upstream.
  virtual std::string_view server() const noexcept = 0;

  /// Returns the index of this server in the table of the upstream that made the attempt.
  virtual std::size_t at() const noexcept = 0;

  /// Writes the head and the first bytes of the body with one system call. `last` tells that no more bytes and no
  /// trailers follow.
  virtual Task<Result<void>> send(const RequestStart& start, std::string_view first, http::EndStream last) = 0;
  /// Writes more of the body. `bytes` stay valid until the task is done.
  virtual Task<Result<void>> write(std::string_view bytes, http::EndStream last) = 0;
  /// Ends the body if the last write did not. In a tunnel no more bytes go to the server.
  virtual Task<Result<void>> finish(const http::Fields& trailers) = 0;

  /// Reads the next head, interim or final. The whole head must arrive within `timeout`.
  virtual Task<Result<void, Failure>> read_head(http::ReplyHead& head, Duration timeout) = 0;
  /// Returns the body that follows the head that was read last.
  virtual http::BodyReader& body() noexcept = 0;
  /// Switches to a tunnel; call it after a 101. Both directions then carry plain bytes: write() writes them, and the
  /// returned reader reads them. `timeout` bounds each wait for bytes.
  virtual http::BodyReader& tunnel(Duration timeout) = 0;

  /// Wakes the waiting writer and reader with operation_aborted. Later calls fail with it at once.
  virtual void cancel() noexcept = 0;
};

using AttemptPtr = boost::intrusive_ptr<Attempt>;

}  // namespace headgate::upstream
