#pragma once
// The configuration of a measured proxy: one worker, keep-alive on both sides, no logs unless they are measured.

#include <cstdint>
#include <string>

namespace headgate::bench {

/// What a proxy does with a request before it forwards it.
enum class Work {
  plain,       ///< nothing
  limit,       ///< counts it by its X-API-Key, and allows it
  refuse,      ///< counts it by its X-API-Key, and answers 429
  two_limits,  ///< counts it by its X-API-Key and by its address, and allows it
  candidate,   ///< as `limit`, while a candidate decides the same beside it; headgate only
  jwt,         ///< checks its bearer token; headgate only
  log,         ///< nothing, and writes a line about it
  leased,      ///< counts it in Redis, and allows it; headgate only
  tls,         ///< nothing, and speaks TLS with the caller
  gzip,        ///< nothing, and compresses its answer at level 4
  many,        ///< finds its route among 100,000; headgate only
  h2,          ///< nothing, and speaks HTTP/2 with the caller
  h2_tls,      ///< the same over TLS
  grpc,        ///< nothing, and speaks HTTP/2 with both sides
  attacked,    ///< as h2, with the bounds and timeouts of a connection that each has unless told otherwise
};

constexpr bool speaks_h2(Work work) noexcept {
  return work == Work::h2 || work == Work::h2_tls || work == Work::grpc || work == Work::attacked;
}
constexpr bool speaks_tls(Work work) noexcept { return work == Work::tls || work == Work::h2_tls; }

/// The address of a proxy, and what it forwards to.
struct Place {
  std::string folder;  ///< its own; exists
  std::uint16_t port;
  std::uint16_t upstream_port;
  std::uint16_t redis_port = 0;  ///< for Work::leased
  std::string certificate = {};  ///< where it speaks TLS: path of a PEM file with a certificate and its key
};

/// The secret of tokens for Work::jwt (HS256).
inline constexpr const char* kTokenSecret = "a secret of the bench, and of nobody else";

/// Makes such a file in `directory`, with an ECDSA key (P-256) for localhost. Throws std::runtime_error where the
/// program openssl does not.
std::string make_certificate(const std::string& directory);

std::string nginx_file(Work work, const Place& place);
std::string haproxy_file(Work work, const Place& place);
std::string headgate_file(Work work, const Place& place);
/// Of a Work that speaks HTTP/2.
std::string nghttpx_file(Work work, const Place& place);

}  // namespace headgate::bench
