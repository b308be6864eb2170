#pragma once
// The formats of logs that are read: each is a row in a file of its own, src/access_logs/formats/<name>.cpp.

#include <cstdint>
#include <span>
#include <string_view>

namespace headgate::access_logs {

/// What a part of a line says of a request.
enum class Meaning : std::uint8_t {
  nothing,  ///< that we use, but LogArrivals::value() may tell it
  began,    ///< when the request began
  ended,    ///< when its line was written, at its end
  took_s,   ///< how long it took: the sum of all such parts
  took_ms,
  took_us,
  took_ns,
  waited_ms,      ///< how much of that it waited in the old gateway
  address,        ///< who connected, with or without a port
  address_port,   ///< the same, always with a port
  forwarded_for,  ///< X-Forwarded-For, whose last entry is who connected where nothing else says it
  method,
  host,    ///< with an optional port
  target,  ///< path and query; or a whole address
  path,
  query,    ///< with or without its '?'
  request,  ///< method, target and version
  scheme,   ///< also a protocol with TLS: "https", "h2", "wss"
  tls,      ///< not empty: it came over TLS
  status,
  bytes,          ///< of the body of the answer
  request_bytes,  ///< of the body of the request
  server,         ///< not empty: a server has answered
  ended_by,       ///< headgate's word
  field,          ///< a field of the request; `text` is its name
  fields,         ///< of JSON: each part whose name begins so is a field of the request, of the name behind that
  kind            ///< only lines in which it is missing or `text` tell of requests
};

/// A part of a line by its name in the log, in JSON the names on the way to it joined with dots.
struct LinePart {
  std::string_view name;
  Meaning meaning = Meaning::nothing;
  std::string_view text{};
};

enum class LineKind : std::uint8_t { text, json, csv };

struct LineFormat {
  std::string_view name;   ///< for --format
  std::string_view about;  ///< whose it is, for people
  LineKind kind = LineKind::text;
  std::string_view layout{};          ///< of kind text: as nginx's log_format describes lines
  std::span<const LinePart> parts{};  ///< of others than these, nginx's variables have their meaning
  bool general = false;               ///< reads what others write, too: taken only if no other row reads as many parts
  /// Where the format begins in a line that another program has put words before; null: at its first byte.
  std::string_view (*body)(std::string_view line) = nullptr;
};

/// All rows, sorted by the names of their files.
std::span<const LineFormat* const> formats() noexcept;

}  // namespace headgate::access_logs
