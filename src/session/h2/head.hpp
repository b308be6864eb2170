#pragma once
// Collects the fields of one HTTP/2 request as they arrive, and turns them into the request.

#include "headgate/core/pooled_memory.hpp"
#include "headgate/http/head.hpp"
#include "headgate/http/head_bounds.hpp"
#include "headgate/http/request_rules.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace headgate::session {

/// The fields of one head, within bounds. Fields beyond the bounds are counted but not kept.
class H2Head {
 public:
  /// Number of cookie crumbs allowed in addition to `HeadBounds::fields`: browsers send each cookie as a field of its
  /// own (RFC 9113 section 8.2.3).
  static constexpr std::uint32_t kMaxCrumbs = 128;
  /// Bytes of all crumbs together.
  static constexpr std::size_t kMaxCookie = 16UL * 1024;
  /// Bytes of the field list: name, value and 32 octets for each field (RFC 9113 section 6.5.2).
  static constexpr std::size_t kMaxListSize = 64UL * 1024;
  /// Bytes of the field list beyond which the head counts as an attack and the connection ends.
  static constexpr std::size_t kHardListSize = 4 * kMaxListSize;
  static constexpr std::uint32_t kHardFields = 1'000;

  /// Adds a field; returns false if the list exceeds kHardListSize.
  [[nodiscard]] bool add(std::string_view name, std::string_view value, const http::HeadBounds& bounds);
  bool empty() const noexcept { return lines_.empty(); }
  /// Returns the memory in use, in bytes.
  std::size_t held() const noexcept { return held_; }

  /// Sets all of `out` except the parts that depend on the end of the stream. `out` refers to this object. A CONNECT
  /// for a WebSocket (RFC 8441) becomes the equivalent HTTP/1.1 GET with Upgrade. On an error, returns the status for
  /// the client; `out` then has the readable parts of method, path and host for the log.
  Result<void, http::ParseError> finish(http::Paths paths, http::RequestHead& out);
  /// Returns the fields as trailers, or null if they are beyond the bounds. Valid as long as this object.
  const http::Fields* trailers();

  /// Returns the fields so far, written as an HTTP/1.1 head.
  std::string as_text() const;

  /// Returns whether the client waits for 100 Continue. Call it after finish().
  bool expects_continue() const noexcept { return expects_continue_; }
  /// Returns the value of content-length if the field is present; nghttp2 has checked that there is exactly one number.
  /// Call it after finish().
  std::optional<std::uint64_t> length() const noexcept { return length_; }
  /// Returns the urgency (RFC 9218), from 0 (most urgent) to 7.
  std::uint32_t urgency() const noexcept { return urgency_; }

 private:
  struct Line {
    std::uint32_t at, name_size, value_size;
  };
  /// marks the cookie field, whose value consists of all crumbs
  static constexpr std::uint32_t kWholeCookie = UINT32_MAX;
  struct Pseudo {
    std::string_view method, scheme, path;
    std::optional<std::string_view> authority;
    std::optional<std::string_view> protocol;  ///< the protocol of the tunnel (RFC 8441)

    void take(std::string_view name, std::string_view value) noexcept;
  };

  std::string_view name_of(const Line& line) const noexcept {
    return std::string_view(text_).substr(line.at, line.name_size);
  }
  std::string_view value_of(const Line& line) const noexcept {
    if (line.value_size == kWholeCookie) return cookie_;
    return std::string_view(text_).substr(line.at + line.name_size, line.value_size);
  }
  static void take_websocket(http::RequestHead& out);
  void read_lines(Pseudo& pseudo, http::Fields& fields) const;
  void grow(std::size_t more);
  void count_held() noexcept;
  void give_back_room();
  enum class Beyond : std::uint8_t { nothing, target, fields, cookies, bytes };
  Beyond first_beyond(const http::HeadBounds& bounds) const noexcept;
  static http::ParseError too_much(Beyond what) noexcept;

  PooledString text_;  // the text of all fields, with room for more
  std::uint32_t used_ = 0;
  PooledString cookie_;  // the crumbs joined by "; "; they become one field in the place of the first crumb
  PooledVector<Line> lines_;
  http::Fields trailers_;
  std::size_t held_ = 0;
  std::size_t list_size_ = 0;
  std::size_t bytes_ = 0;
  std::size_t cookie_bytes_ = 0;
  std::uint32_t fields_ = 0;
  std::uint32_t crumbs_ = 0;
  std::size_t target_bytes_ = 0;
  std::uint32_t urgency_ = 3;
  Beyond beyond_ = Beyond::nothing;  // the first bound that the head exceeds
  std::optional<std::uint64_t> length_;
  bool expects_continue_ = false;
};

}  // namespace headgate::session
