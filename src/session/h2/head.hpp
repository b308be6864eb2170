#pragma once
// The fields of one HTTP/2 request as they come, and the request that they make.

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

/// Collects the fields of one head within bounds. What is beyond them is counted and not kept.
class H2Head {
 public:
  /// Crumbs of Cookie that may come beside `HeadBounds::fields`: browsers send each cookie by itself (RFC 9113 section
  /// 8.2.3).
  static constexpr std::uint32_t kMaxCrumbs = 128;
  /// Of all crumbs together.
  static constexpr std::size_t kMaxCookie = 16UL * 1024;
  /// Name, value and 32 octets for each field (RFC 9113 section 6.5.2).
  static constexpr std::size_t kMaxListSize = 64UL * 1024;
  /// More than that is no request but an attack: its connection ends.
  static constexpr std::size_t kHardListSize = 4 * kMaxListSize;
  static constexpr std::uint32_t kHardFields = 1'000;

  /// False: it is beyond the hard bounds.
  [[nodiscard]] bool add(std::string_view name, std::string_view value, const http::HeadBounds& bounds);
  bool empty() const noexcept { return lines_.empty(); }
  /// Bytes of memory.
  std::size_t held() const noexcept { return held_; }

  /// Sets all of `out` but what the end of the stream says, as views into this object. A CONNECT for a WebSocket (RFC
  /// 8441) becomes the GET with Upgrade that it would be over HTTP/1.1. Errors: the status for the
  /// client; then `out` has what could be read of method, path and host, for the log.
  Result<void, http::ParseError> finish(http::Paths paths, http::RequestHead& out);
  /// The fields as trailers; null: they are beyond the bounds. Valid as long as this object.
  const http::Fields* trailers();

  /// What has come, as a head of HTTP/1.1 would have it.
  std::string as_text() const;

  /// Whether the client waits for 100 Continue. After finish().
  bool expects_continue() const noexcept { return expects_continue_; }
  /// What content-length says, if it is there. nghttp2 has checked that it is one number. After finish().
  std::optional<std::uint64_t> length() const noexcept { return length_; }
  /// RFC 9218: 0 to 7, the smaller the sooner.
  std::uint32_t urgency() const noexcept { return urgency_; }

 private:
  struct Line {
    std::uint32_t at, name_size, value_size;
  };
  static constexpr std::uint32_t kWholeCookie = UINT32_MAX;  ///< a value that is all crumbs, joined
  struct Pseudo {
    std::string_view method, scheme, path;
    std::optional<std::string_view> authority;
    std::optional<std::string_view> protocol;  ///< RFC 8441: of the tunnel

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

  PooledString text_;  // with room for more
  std::uint32_t used_ = 0;
  PooledString cookie_;  // the crumbs as they come, joined by "; ": one field where the first of them was
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
  Beyond beyond_ = Beyond::nothing;  // the first bound that it is beyond
  std::optional<std::uint64_t> length_;
  bool expects_continue_ = false;
};

}  // namespace headgate::session
