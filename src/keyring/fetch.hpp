#pragma once
// One GET of what an issuer publishes, over a connection of its own.

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
  std::string etag;              ///< of what is had already; empty: nothing is
  Duration deadline{};           ///< of the whole fetch
};

struct Fetched {
  bool unchanged = false;            ///< 304: what is had already is still right; the body is empty
  std::string body;                  ///< at most 1 MiB
  std::string etag;                  ///< empty where there was none
  std::optional<Duration> lifetime;  ///< by its own word
};

/// The error is a sentence without its dot, about the server as "it".
using FetchResult = Result<Fetched, std::string>;

/// Its task keeps it alive. The loop's thread.
class Fetch : public std::enable_shared_from_this<Fetch> {
 public:
  using Done = std::function<void(FetchResult)>;

  /// `done` is called once, from the loop, at the latest at the deadline; never after cancel(). Only 200 and 304 are
  /// answers: whoever redirects is not followed, since what was written in the configuration is what is trusted.
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
