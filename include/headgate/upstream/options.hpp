#pragma once
// What a configuration says of an upstream.

#include "headgate/core/time.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace headgate::upstream {

/// One server of an upstream: http only for now.
struct ServerOptions {
  std::string host;  ///< name or address literal (IPv6 without brackets)
  std::uint16_t port = 80;
  std::string text;  ///< "127.0.0.1:3000", what Host, log and metrics call it
  bool operator==(const ServerOptions&) const = default;
};

struct Options {
  std::string name;
  std::vector<ServerOptions> servers;                  ///< at least one; taken in turn
  Duration connect_timeout = std::chrono::seconds(1);  ///< for one server, name resolution included
  Duration idle_timeout = std::chrono::seconds(30);    ///< a pooled connection unused this long is closed
  std::uint32_t max_idle = 64;                         ///< pooled connections a worker keeps to each server
  std::uint32_t head_bytes = 64 * 1024;                ///< status line and fields of an answer, at most 64 KiB
  bool operator==(const Options&) const = default;
};

}  // namespace headgate::upstream
