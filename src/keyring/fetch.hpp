#pragma once
// Fetches the keys of an issuer with one GET.

#include "headgate/core/result.hpp"
#include "headgate/core/time.hpp"
#include "headgate/net/http_call.hpp"

#include <boost/asio/io_context.hpp>

#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace headgate::keyring {

struct FetchRequest {
  net::Url url;
  std::shared_ptr<net::Trust> trust;  ///< Required for https; otherwise it may be null.
  std::string etag;                   ///< ETag of the current keys; empty if they have none.
  Duration deadline{};                ///< Time limit of the whole fetch.
};

struct Fetched {
  bool unchanged = false;            ///< True for a 304: the current keys are still valid, and the body is empty.
  std::string body;                  ///< At most 1 MiB.
  std::string etag;                  ///< ETag of the answer; empty if it has none.
  std::optional<Duration> lifetime;  ///< The lifetime that the answer states; absent if it states none.
};

/// The result of a fetch. The error is a sentence without its full stop, in which "it" is the server.
using FetchResult = Result<Fetched, std::string>;

/// Starts a fetch, and calls `done` as net::HttpCall does. Only 200 and 304 are accepted. Redirects are not followed,
/// because only the configured address is trusted. Call it on the loop's thread.
std::shared_ptr<net::HttpCall> start_fetch(boost::asio::io_context& loop, FetchRequest request,
                                           std::function<void(FetchResult)> done);

}  // namespace headgate::keyring
