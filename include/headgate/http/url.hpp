#pragma once
// Splits URLs and "host:port" from configurations and command lines, strictly. Callers decide which parts they allow
// and what to tell the user. Input from the network is parsed by http/host and http/h1. Used by config, cli, net and
// gateway.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace headgate::http {

/// The parts of "scheme://user@host:port/path?query#fragment" (RFC 3986 section 3), not checked further. Views into the
/// text.
struct UrlParts {
  std::string_view scheme;               ///< "" if there is no "://"
  std::optional<std::string_view> user;  ///< the part before '@': user and password
  std::string_view host_port;            ///< the part up to the first '/', '?' or '#'
  std::string_view rest;                 ///< path, query and fragment
};
UrlParts split_url(std::string_view text) noexcept;

enum class HostKind : std::uint8_t {
  none,         ///< not a host, or a text that two readers could take for different hosts
  name,         ///< a DNS name (RFC 1123 section 2.1); underscores are allowed because clusters use them
  rooted_name,  ///< a name that ends in the dot of the root
  v4,
  v6,
  v6_in_zone,  ///< "fe80::1%eth0"
};

/// The parts of "host", "host:port" or "[v6]:port". Views into the text.
struct HostPort {
  std::string_view host;  ///< name or address, without brackets
  /// kind of the host; v6 is recognised only in brackets, and the other kinds only without brackets
  HostKind kind = HostKind::none;
  std::optional<std::string_view> port;  ///< port as written, without the colon
  bool misplaced = false;                ///< true if there is a bracket or colon where none is allowed
};
HostPort split_host_port(std::string_view text);

/// Parses digits from 1 to 65535 without a leading zero; empty for anything else.
std::optional<std::uint16_t> read_port(std::string_view text) noexcept;

/// Decodes escapes: %41 becomes A. Returns false if an escape is broken or stands for a control character; then `out`
/// is invalid.
bool percent_decode(std::string_view text, std::string& out);
/// Decodes text in which every character is allowed, escaped or not. A broken escape is kept.
std::string percent_decoded(std::string_view text);

}  // namespace headgate::http
