#pragma once
// One HTTP/1.1 request of our own, on its own connection. Used by keyring, notify and upstream.

#include "headgate/core/result.hpp"
#include "headgate/core/task.hpp"
#include "headgate/core/time.hpp"
#include "headgate/net/connect.hpp"
#include "headgate/net/tls/trust.hpp"
#include "headgate/net/url.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace headgate::net {

struct HttpRequest {
  std::string method = "GET";
  Url url;
  std::shared_ptr<Trust> trust;             ///< for https, unless `tls` is set; else may be null
  std::shared_ptr<const TlsContext> tls{};  ///< of a client, in place of what `trust` makes; https only
  std::vector<Tcp::endpoint> addresses{};   ///< where the host is; empty: it is looked up
  std::string host{};                       ///< of the Host field; empty: that of the URL
  /// Further lines of the head, each with its "\r\n". Host, User-Agent, Connection and Content-Length are there
  /// already.
  std::string fields;
  std::string body;            ///< sent with its length, unless the method is GET
  Duration deadline{};         ///< of the whole call
  std::uint64_t max_body = 0;  ///< of the answer, in bytes
};

struct HttpReply {
  unsigned status = 0;  ///< of the final answer: from 200
  std::vector<std::pair<std::string, std::string>> fields;
  std::string body;        ///< empty if unfinished
  std::string unfinished;  ///< why the rest of the answer is missing: a sentence as in HttpResult; empty: it is whole

  /// The value of the first field of this name, whatever its case; "" if there is none.
  std::string_view field(std::string_view name) const noexcept;
};

/// The answer, as soon as its head came, whatever its status. The error says why there is none: a sentence without its
/// dot, about the server as "it". It quotes neither the server nor the request.
using HttpResult = Result<HttpReply, std::string>;

/// Its task keeps it alive. The loop's thread.
class HttpCall : public std::enable_shared_from_this<HttpCall> {
 public:
  using Done = std::function<void(HttpResult)>;

  /// Calls `done` once, from the loop, at the deadline at the latest; never from within start(), never after cancel().
  /// Follows no redirects. Uses at most 16 KiB of head, and max_body.
  static std::shared_ptr<HttpCall> start(boost::asio::io_context& loop, HttpRequest request, Done done);
  void cancel();

 private:
  HttpCall(boost::asio::io_context& loop, HttpRequest request, Done done);

  static Task<void> run(std::shared_ptr<HttpCall> self);
  void finish(HttpResult result);
  HttpResult without_rest(std::string why);
  std::string too_late() const;
  Task<HttpResult> ask();
  Task<Result<StreamPtr, std::string>> connect();
  Task<HttpResult> exchange();
  std::string_view step() const noexcept;

  HttpRequest request_;
  Done done_;
  std::string_view step_;  // once it is connected
  Connector connector_;
  StreamPtr stream_;
  std::optional<HttpReply> head_;  // of the final answer, without its body
  boost::asio::steady_timer deadline_;
};

}  // namespace headgate::net
