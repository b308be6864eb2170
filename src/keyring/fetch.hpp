#pragma once
// One GET of the keys of an issuer.

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
  std::shared_ptr<net::Trust> trust;  ///< for https; else may be null
  std::string etag;                   ///< of the keys that we have; empty: none
  Duration deadline{};                ///< of the whole fetch
};

struct Fetched {
  bool unchanged = false;            ///< 304: the keys that we have are still right; the body is empty
  std::string body;                  ///< at most 1 MiB
  std::string etag;                  ///< empty if there was none
  std::optional<Duration> lifetime;  ///< the lifetime that the answer gives
};

/// The error is a sentence without its dot, about the server as "it".
using FetchResult = Result<Fetched, std::string>;

/// Calls `done` as net::HttpCall does. Only 200 and 304 are answers. Redirects are not followed, because only the
/// configured address is trusted. The loop's thread.
std::shared_ptr<net::HttpCall> start_fetch(boost::asio::io_context& loop, FetchRequest request,
                                           std::function<void(FetchResult)> done);

}  // namespace headgate::keyring
