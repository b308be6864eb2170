#pragma once
// The upstreams in use, for the admin interface: who watches their servers, and how much each of these may have.

#include "server/config/reload.hpp"
#include "server_sizes.hpp"

#include <vector>

namespace headgate::server {

std::vector<WatchedUpstream> watched_upstreams(const ActiveConfig& active, const ServerSizes& sizes);

}  // namespace headgate::server
