#pragma once
// "eject" and "circuit" of an upstream.

#include "config/build.hpp"

namespace headgate::config {

/// Reads both from `node`, an upstream with the servers of `out`.
void build_servers_that_fail(Build& build, const Node& node, upstream::ServerGroupOptions& out);

}  // namespace headgate::config
