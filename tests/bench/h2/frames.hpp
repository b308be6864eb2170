#pragma once
// Frames of HTTP/2 (RFC 9113 section 4) for both ends of a measured proxy: made once, sent often. A library would do
// more than that for each request, and time that the load takes is time in which the proxy has nothing to do.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace headgate::bench {

enum class FrameType : std::uint8_t {
  data = 0,
  headers = 1,
  reset = 3,
  settings = 4,
  ping = 6,
  goaway = 7,
  window_update = 8,
};

inline constexpr std::uint8_t kEndStream = 1;  ///< of DATA and HEADERS
inline constexpr std::uint8_t kAck = 1;        ///< of SETTINGS and PING
inline constexpr std::uint8_t kEndHeaders = 4;

inline constexpr std::string_view kPreface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

struct Frame {
  FrameType type;
  std::uint8_t flags;
  std::int32_t stream;
  std::string_view payload;
};

void append_frame(std::string& out, const Frame& frame);
void append_settings(std::string& out, const std::vector<std::pair<std::uint16_t, std::uint32_t>>& settings);
void append_window_update(std::string& out, std::uint32_t bytes);  ///< of the connection
/// The value that SETTINGS have for `name`, or `otherwise`.
std::uint32_t setting_in(std::string_view payload, std::uint16_t name, std::uint32_t otherwise);
std::uint32_t number_in(std::string_view payload, std::size_t at);  ///< 4 bytes; 0 beyond the end

/// Cuts what was received into frames.
class FrameReader {
 public:
  /// Until the next bytes are added, frames are views into these and those before.
  void add(std::string_view bytes);
  /// False: the next one is not there whole.
  bool next(Frame& frame);
  /// Takes so many bytes in front of the next frame. False: they are not there.
  bool skip(std::size_t bytes);

 private:
  std::string rest_;
  std::size_t at_ = 0;
};

/// Blocks of the same fields (RFC 7541), as a caller that knows of tables sends them.
struct FieldBlocks {
  std::string first;  ///< of a connection: it fills the table
  std::string later;  ///< all others
};
using FieldList = std::vector<std::pair<std::string_view, std::string_view>>;
/// What every peer offers that does not say otherwise (SETTINGS_HEADER_TABLE_SIZE).
inline constexpr std::size_t kUsualTable = 4096;
/// Of lists that are sent one after another, such as a head and its trailers, to a peer with a table of so many bytes.
/// Throws std::runtime_error where nghttp2 has no memory.
std::vector<FieldBlocks> blocks_of(const std::vector<FieldList>& lists, std::size_t table = kUsualTable);

}  // namespace headgate::bench
