#pragma once
// A connection of the load that speaks HTTP/2, without I/O: keeps so many streams open, and begins the next one when
// an answer is complete.

#include "frames.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

struct nghttp2_hd_inflater;

namespace headgate::bench {

/// What the requests are.
enum class H2Kind {
  get,         ///< as curl sends it
  get_https,   ///< the same over TLS
  grpc_unary,  ///< a call of gRPC with one message each way
  decision,    ///< the same to a rate limit service, whose answer must say OK
};

/// The bytes of a message each way, with its prefix.
inline constexpr std::size_t kGrpcMessage = 5 + 128;

class H2Caller {
 public:
  struct Calls {
    H2Kind kind = H2Kind::get;
    unsigned streams = 1;                    ///< at the same time
    unsigned requests = 0;                   ///< in all; 0: no end
    std::size_t answer = 128;                ///< bytes of a right answer's body; of decisions, this does not count
    std::vector<std::string> messages = {};  ///< of decisions, in turn and without their prefix
  };
  struct News {
    unsigned right = 0;         ///< answers that were complete now, with the right status and body
    const char* why = nullptr;  ///< what was wrong, if anything was: the connection is of no use any more
  };

  explicit H2Caller(const Calls& calls);
  ~H2Caller();
  H2Caller(const H2Caller&) = delete;
  H2Caller& operator=(const H2Caller&) = delete;

  /// What was received.
  News take(std::string_view bytes);
  /// What is to be sent; the caller empties it. At first the preface and the first requests.
  std::string& out() noexcept { return out_; }
  /// The proxy has asked for another connection in place of this one, and nothing is under way here.
  bool left() const noexcept { return leaving_ && streams_.empty(); }
  /// So many more streams at the same time, and requests in all, from now on.
  void open_more(unsigned streams);

 private:
  struct Stream {
    std::size_t body = 0;
    bool ok = false;       // status 200
    bool grpc_ok = false;  // grpc-status 0
    bool decided = false;  // the first field of the message is the code OK
  };

  void call();
  const char* take(const Frame& frame, News& news);
  const char* take_fields(const Frame& frame, Stream& stream);
  const char* take_data(const Frame& frame);
  bool is_right(const Stream& stream) const;
  const char* answered(std::int32_t id, News& news);
  void go_away(std::uint32_t last);

  Calls calls_;
  FrameReader in_;
  std::string out_;
  std::unordered_map<std::int32_t, Stream> streams_;
  nghttp2_hd_inflater* inflater_ = nullptr;
  std::int32_t next_ = 1;
  unsigned sent_ = 0;
  std::uint32_t unacknowledged_ = 0;  // bytes of the connection's window
  bool leaving_ = false;
};

}  // namespace headgate::bench
