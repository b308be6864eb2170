#pragma once
// An HTTP/1.1 request that the gateway itself makes, on a connection of its own. Used by keyring, notify, upstream and
// cli.

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
  std::shared_ptr<Trust> trust;  ///< authorities for https; may be null for http, or if `tls` is set
  /// the client's TLS context, used instead of one made from `trust`; https only
  std::shared_ptr<const TlsContext> tls{};
  std::vector<Tcp::endpoint> addresses{};  ///< addresses of the host; empty if the name is to be resolved
  std::string host{};                      ///< value of the Host field; empty to use the host of the URL
  /// Further lines of the head, each ended by CR LF. Host, User-Agent, Connection and Content-Length are added
  /// automatically.
  std::string fields;
  std::string body;            ///< sent with its length, unless the method is GET
  Duration deadline{};         ///< time limit of the whole call
  std::uint64_t max_body = 0;  ///< maximum size of the answer's body, in bytes
};

struct HttpReply {
  unsigned status = 0;  ///< status of the final answer, at least 200
  std::vector<std::pair<std::string, std::string>> fields;
  std::string body;  ///< body of the answer; empty if unfinished
  /// the reason why the rest of the answer is missing, as a sentence like in HttpResult; empty if the answer is
  /// complete
  std::string unfinished;

  /// Returns the value of the first field with this name, ignoring case; "" if there is none.
  std::string_view field(std::string_view name) const noexcept;
};

/// The answer, whatever its status, if at least its head has arrived. The error is a sentence without a full stop, in
/// which "it" is the server; it quotes neither the server nor the request.
using HttpResult = Result<HttpReply, std::string>;

/// A call. Its task keeps it alive. The loop's thread.
class HttpCall : public std::enable_shared_from_this<HttpCall> {
 public:
  using Done = std::function<void(HttpResult)>;

  /// Starts a call. `done` is called once, from the loop and not within start(), at the latest at the deadline, and
  /// never after cancel(). Follows no redirects. Reads at most 16 KiB of head and max_body bytes of body.
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
  std::string_view step_;  // the current step of the call, once the connection is open
  Connector connector_;
  StreamPtr stream_;
  std::optional<HttpReply> head_;  // head of the final answer, without the body
  boost::asio::steady_timer deadline_;
};

}  // namespace headgate::net
