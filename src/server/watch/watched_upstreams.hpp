#pragma once
// The upstreams in use, for the admin interface: who watches their servers, and how much each of these may have.

#include "server/config/reload.hpp"

#include "headgate/admin/server_sizes.hpp"

#include <vector>

namespace headgate::server {

std::vector<admin::WatchedUpstream> watched_upstreams(const services::ActiveConfig& active,
                                                      const admin::ServerSizes& sizes);

}  // namespace headgate::server
