#pragma once
// An HTTP/1.1 connection to a server, used by one exchange at a time.

#include "headgate/http/h1/parse.hpp"
#include "headgate/net/h1_body.hpp"
#include "headgate/upstream/counted_attempt.hpp"

#include <boost/intrusive/list_hook.hpp>

#include <cstddef>
#include <string_view>
#include <utility>

namespace headgate::upstream {

class H1Pool;

/// The link in the pool's list of its live connections.
using OfPool = boost::intrusive::list_base_hook<boost::intrusive::link_mode<boost::intrusive::auto_unlink>>;

/// The connection. Worker thread only. Destroying it closes the connection; H1Pool::give_back() keeps it open.
class H1Connection final : public CountedAttempt, public OfPool {
 public:
  H1Connection(net::StreamPtr stream, net::Blocks& blocks, const Clock& clock, H1Pool& pool, std::size_t head_bytes);
  ~H1Connection() override;

  std::string_view server() const noexcept override;
  Task<Result<void>> send(const RequestStart& start, std::string_view first, http::EndStream last) override;
  Task<Result<void>> write(std::string_view bytes, http::EndStream last) override;
  Task<Result<void>> finish(const http::Fields& trailers) override;
  Task<Result<void, Failure>> read_head(http::ReplyHead& head, Duration timeout) override;
  http::BodyReader& body() noexcept override { return body_; }
  http::BodyReader& tunnel(Duration timeout) override;
  void cancel() noexcept override;
  /// Marks the server as taken down. The caller interrupts the returned stream, which ends the exchange.
  net::StreamPtr break_off() noexcept;

  /// Returns whether the connection can carry another request: the answer was read to its end, and no bytes follow it.
  bool reusable() const noexcept;
  /// Over TLS, marks the connection as idle, at most until `until`.
  void begin_idle(Clock::Steady until) noexcept {
    idle_until_ = until;
    wakes_ = 0;
  }

 private:
  friend class H1Pool;
  Failure closed(error_code cause, bool before_first_byte);

  net::StreamPtr stream_;
  net::ReadBuffer read_buffer_;
  net::H1Output output_;
  net::H1Body body_;
  H1Pool& pool_;
  std::size_t head_bytes_;
  std::string_view method_;  ///< method of the current request
  Duration write_timeout_{};
  Clock::Steady idle_until_{};  ///< end of the idle time; set only over TLS
  unsigned wakes_ = 0;          ///< number of times that the connection was woken while idle
  net::Tcp::endpoint to_;       ///< the address it is connected to
  Clock::Steady closes_at_{};   ///< time after which it carries no new exchange; zero if unlimited
  bool reused_ = false;
  bool keep_alive_ = false;
  bool tunnel_ = false;
  bool taken_down_ = false;
};

using H1ConnectionPtr = boost::intrusive_ptr<H1Connection>;

}  // namespace headgate::upstream
