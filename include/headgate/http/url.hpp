#pragma once
// URLs and "host:port", as a configuration and a command line have them, cut apart strictly. Which parts a place takes,
// and what its user is told, is the caller's to say. What comes from the network is read by http/host and http/h1.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace headgate::http {

/// The parts of "scheme://user@host:port/path?query#fragment" (RFC 3986 section 3), not judged yet. Views into the
/// text.
struct UrlParts {
  std::string_view scheme;               ///< "" if there is no "://"
  std::optional<std::string_view> user;  ///< what stands before '@': user and password
  std::string_view host_port;            ///< up to the first '/', '?' or '#'
  std::string_view rest;                 ///< path, query and fragment
};
UrlParts split_url(std::string_view text) noexcept;

enum class HostKind : std::uint8_t {
  none,         ///< nobody's, or one that two readers could take for two hosts
  name,         ///< as DNS has them (RFC 1123 section 2.1), with underscores, which occur inside clusters
  rooted_name,  ///< a name with the root's dot at its end
  v4,
  v6,
  v6_in_zone,  ///< "fe80::1%eth0"
};

/// "host", "host:port", "[v6]:port". Views into the text.
struct HostPort {
  std::string_view host;                 ///< without brackets
  HostKind kind = HostKind::none;        ///< of the host: v6 only in brackets, the others only without
  std::optional<std::string_view> port;  ///< as written, without its colon
  bool misplaced = false;                ///< a bracket or a colon stands where none can
};
HostPort split_host_port(std::string_view text);

/// Digits from 1 to 65535 without a leading zero; nothing for anything else.
std::optional<std::uint16_t> read_port(std::string_view text) noexcept;

/// %41 as A. False if an escape is broken or stands for a control character; then `out` is worth nothing.
bool percent_decode(std::string_view text, std::string& out);
/// The same where anything may stand: a broken escape stays as it is, and each character may be escaped.
std::string percent_decoded(std::string_view text);

}  // namespace headgate::http
