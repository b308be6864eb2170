#pragma once
// The call that follows an EventFeed or a LiveFeed.

#include "headgate/admin/admin_endpoints.hpp"

#include <string>
#include <string_view>
#include <utility>

namespace headgate::admin {

/// Returns the endpoint. `full` is the message if the feed takes no more readers. `feed` must outlive the endpoint.
template <class Feed>
AdminEndpoint feed_endpoint(Feed& feed, std::string_view path, std::string_view summary, std::string full) {
  using Opened = Result<std::unique_ptr<AdminStream>, AdminAnswer>;
  return {.method = "GET",
          .path = path,
          .stream =
              [&feed, full = std::move(full)](const AdminCall&) {
                if (auto reader = feed.open()) return Opened(std::move(reader));
                return Opened(boost::system::in_place_error, AdminAnswer{.status = 503, .body = full});
              },
          .about = {.summary = summary, .stream = "text/event-stream"}};
}

}  // namespace headgate::admin
