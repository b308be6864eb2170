#pragma once
// The options of an upstream; config fills them.

#include "headgate/core/time.hpp"
#include "headgate/net/tls_options.hpp"
#include "headgate/shed/concurrency.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace headgate::upstream {

/// One server of an upstream.
struct ServerOptions {
  std::string host;  ///< name or address (IPv6 without brackets)
  std::uint16_t port = 80;
  std::string text;  ///< its name in Host, log and metrics
  bool operator==(const ServerOptions&) const = default;
};

/// One upstream.
struct Options {
  std::string name;
  std::vector<ServerOptions> servers;                  ///< at least one; used in turn
  std::optional<net::TlsOptions> tls;                  ///< of all servers; not set: plain HTTP
  Duration connect_timeout = std::chrono::seconds(1);  ///< for one server, with looking up its name and TLS
  Duration idle_timeout = std::chrono::seconds(30);    ///< a pooled connection is closed after this time without use
  std::uint32_t max_idle = 64;                         ///< most pooled connections of a worker to each server
  std::uint32_t head_bytes = 64 * 1024;                ///< largest head of an answer, in bytes; at most 64 KiB
  std::optional<shed::Options> concurrency;            ///< not set: requests are not counted
  bool operator==(const Options&) const = default;
};

}  // namespace headgate::upstream
