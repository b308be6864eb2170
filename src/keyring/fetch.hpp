#pragma once
// One GET of the keys of an issuer, on its own connection.

#include "headgate/core/result.hpp"
#include "headgate/core/task.hpp"
#include "headgate/core/time.hpp"
#include "headgate/keyring/url.hpp"
#include "headgate/net/connect.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>

#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace headgate::keyring {

class Trust;

struct FetchRequest {
  Url url;
  std::shared_ptr<Trust> trust;  ///< for https; else may be null
  std::string etag;              ///< of the keys that we have; empty: none
  Duration deadline{};           ///< of the whole fetch
};

struct Fetched {
  bool unchanged = false;            ///< 304: the keys that we have are still right; the body is empty
  std::string body;                  ///< at most 1 MiB
  std::string etag;                  ///< empty if there was none
  std::optional<Duration> lifetime;  ///< the lifetime that the answer gives
};

/// The error is a sentence without its dot, about the server as "it".
using FetchResult = Result<Fetched, std::string>;

/// Its task keeps it alive. The loop's thread.
class Fetch : public std::enable_shared_from_this<Fetch> {
 public:
  using Done = std::function<void(FetchResult)>;

  /// Calls `done` once, from the loop, at the deadline at the latest; never after cancel(). Only 200 and 304 are
  /// answers. Redirects are not followed, because only the configured address is trusted.
  static std::shared_ptr<Fetch> start(boost::asio::io_context& loop, FetchRequest request, Done done);
  void cancel();

 private:
  Fetch(boost::asio::io_context& loop, FetchRequest request, Done done);

  static Task<void> run(std::shared_ptr<Fetch> self);
  void finish(FetchResult result);
  Task<FetchResult> ask();
  Task<Result<net::StreamPtr, std::string>> connect();
  Task<FetchResult> exchange();
  std::string_view step() const noexcept;

  FetchRequest request_;
  Done done_;
  std::string_view step_;  // once it is connected
  net::Connector connector_;
  net::StreamPtr stream_;
  boost::asio::steady_timer deadline_;
};

}  // namespace headgate::keyring
