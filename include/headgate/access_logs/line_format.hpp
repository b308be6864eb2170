#pragma once
// The log formats that can be read. Each is a row in a file of its own, src/access_logs/formats/<name>.cpp. Used by the
// readers of access_logs.

#include <cstdint>
#include <span>
#include <string_view>

namespace headgate::access_logs {

/// The meaning of a part of a line.
enum class Meaning : std::uint8_t {
  nothing,  ///< unused by headgate, but LogArrivals::value() may return it
  began,    ///< time at which the request began
  ended,    ///< time at which the line was written, at the end of the request
  took_s,   ///< duration of the request: the sum of all such parts
  took_ms,
  took_us,
  took_ns,
  waited_ms,      ///< part of the duration that the request waited in the old gateway
  address,        ///< address of the client, with or without a port
  address_port,   ///< address of the client, always with a port
  forwarded_for,  ///< X-Forwarded-For; its last entry is the client's address if no other part has the address
  method,
  host,    ///< host of the request, with an optional port
  target,  ///< path and query, or a whole URL
  path,
  query,    ///< query with or without '?'
  request,  ///< method, target and version
  scheme,   ///< scheme, or a protocol that implies TLS: "https", "h2", "wss"
  tls,      ///< the request used TLS if this part is not empty
  status,
  bytes,          ///< size of the answer's body
  request_bytes,  ///< size of the request body
  server,         ///< a server has answered if this part is not empty
  ended_by,       ///< headgate's word for what ended the request
  limit,          ///< name of the limit that headgate logged
  decision,       ///< headgate's word for the decision of this limit
  cost,           ///< units that this limit charged
  call,           ///< call of the rate limit service (envoy/call_text.hpp)
  held,           ///< units that this limit took before the answer, if they differ from `cost`
  field,          ///< a header field of the request, whose name is `text`
  /// for JSON: a prefix; each part whose name begins with it is a header field, and the rest of the name is the field's
  /// name
  fields,
  kind  ///< the line is a request only if this is missing or equal to `text`
};

/// A part of a line, and its meaning. Its name is that in the log; in JSON it is the path to the part, joined with
/// dots.
struct LinePart {
  std::string_view name;
  Meaning meaning = Meaning::nothing;
  std::string_view text{};
};

enum class LineKind : std::uint8_t { text, json, csv };

struct LineFormat {
  std::string_view name;   ///< name of the format for --format
  std::string_view about;  ///< name of the product that writes the format, for people
  LineKind kind = LineKind::text;
  std::string_view layout{};  ///< layout of a text format, in the syntax of nginx's log_format
  /// meanings of the variables; a variable that is not listed has the meaning that it has in nginx
  std::span<const LinePart> parts{};
  /// true if the row also reads lines of other formats; it is then used only if no other row reads as many parts
  bool general = false;
  /// Returns the part of a line where the format begins, if another program adds a prefix; null if there is never a
  /// prefix.
  std::string_view (*body)(std::string_view line) = nullptr;
};

/// Returns all rows, sorted by the names of their files.
std::span<const LineFormat* const> formats() noexcept;

}  // namespace headgate::access_logs
