#pragma once
// A client of HTTP/2 that sends exactly the given frames, right or wrong, and reads what comes back.

#include "blackbox/harness/socket.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

struct nghttp2_hd_inflater;

namespace headgate::test {

using H2Fields = std::vector<std::pair<std::string, std::string>>;

/// RFC 9113 section 6.
enum H2Type : std::uint8_t {
  h2_data,
  h2_headers,
  h2_priority,
  h2_rst_stream,
  h2_settings,
  h2_push_promise,
  h2_ping,
  h2_goaway,
  h2_window_update,
  h2_continuation
};
inline constexpr std::uint8_t kEndStream = 1;
inline constexpr std::uint8_t kAck = 1;
inline constexpr std::uint8_t kEndHeaders = 4;

struct H2Frame {
  std::uint8_t type = 0;
  std::uint8_t flags = 0;
  std::uint32_t stream = 0;
  std::string payload;
  std::uint32_t number(std::size_t at = 0) const;  ///< four bytes of the payload
};

/// What came on one stream.
struct H2Answer {
  int status = 0;
  std::vector<int> interim;
  std::map<std::string, std::string> fields;
  std::map<std::string, std::string> trailers;
  std::string body;
  bool ended = false;                  ///< by END_STREAM
  std::optional<std::uint32_t> reset;  ///< the error code
};

std::string h2_frame(std::uint8_t type, std::uint8_t flags, std::uint32_t stream, std::string_view payload = {});
std::string h2_number(std::uint32_t number);
/// A head without compression: each field literally, without indexing.
std::string h2_block(const H2Fields& fields);
/// The fields of a request for http://a.example, and `more`.
H2Fields h2_get(const std::string& path = "/", const H2Fields& more = {}, const std::string& method = "GET");
std::string h2_request(std::uint32_t stream, const H2Fields& fields, bool ends = true);

/// The fields of a whole block; a name that comes twice has its first value.
std::map<std::string, std::string> h2_fields_of(nghttp2_hd_inflater* inflater, const std::string& block);
/// Takes a frame from the beginning of `bytes`. False: it is not whole.
bool take_h2_frame(std::string& bytes, H2Frame& frame);

/// One connection. One thread at a time.
class H2Client {
 public:
  /// Sends preface and empty SETTINGS.
  explicit H2Client(std::uint16_t port, std::string_view settings = {});
  explicit H2Client(Socket socket, std::string_view settings = {});
  H2Client(const H2Client&) = delete;
  H2Client& operator=(const H2Client&) = delete;
  ~H2Client();

  bool send(std::string_view bytes) { return socket_.send(bytes, kPatience); }
  /// Reads until the stream has ended or was reset, the connection is over, or `timeout` has passed without a byte.
  H2Answer answer(std::uint32_t stream, Milliseconds timeout = kPatience);
  H2Answer ask(std::uint32_t stream, const H2Fields& fields) {
    send(h2_request(stream, fields));
    return answer(stream);
  }
  /// Reads one frame. False at the end.
  bool read(Milliseconds timeout = kPatience);
  /// The next frame of this type; nothing: the connection is over.
  std::optional<H2Frame> next(std::uint8_t type, Milliseconds timeout = kPatience);
  /// Reads to the end. Whether the gateway closes in time.
  bool closes(Milliseconds timeout = kPatience);

  std::map<std::uint32_t, H2Answer> answers;
  std::vector<H2Frame> frames;          ///< all that came
  std::optional<std::uint32_t> goaway;  ///< the error code of the last one
  std::vector<std::uint32_t> last_ids;  ///< of all GOAWAY frames

 private:
  void take(const H2Frame& frame);
  Socket socket_;
  std::string buffer_;
  std::string head_;
  nghttp2_hd_inflater* inflater_ = nullptr;
};

}  // namespace headgate::test
