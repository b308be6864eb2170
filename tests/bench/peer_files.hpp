#pragma once
// What a proxy under measurement is told in its configuration: one worker, keep-alive on both sides, no logs unless
// they are what is measured.

#include <cstdint>
#include <string>

namespace headgate::bench {

/// What a proxy does with a request before it passes it on.
enum class Work {
  plain,       ///< nothing
  limit,       ///< counts it by its X-API-Key, and allows it
  refuse,      ///< counts it by its X-API-Key, and answers 429
  two_limits,  ///< counts it by its X-API-Key and by its address, and allows it
  jwt,         ///< checks its bearer token; headgate only
  log,         ///< nothing, and writes a line about it
  leased,      ///< counts it in Redis, and allows it; headgate only
};

/// Where a proxy is, and what is behind it.
struct Place {
  std::string folder;  ///< its own; exists
  std::uint16_t port;
  std::uint16_t upstream_port;
  std::uint16_t redis_port = 0;  ///< for Work::leased
};

/// What tokens are signed with for Work::jwt, under HS256.
inline constexpr const char* kTokenSecret = "a secret of the bench, and of nobody else";

std::string nginx_file(Work work, const Place& place);
std::string haproxy_file(Work work, const Place& place);
std::string headgate_file(Work work, const Place& place);

}  // namespace headgate::bench
