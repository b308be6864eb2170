#pragma once
// A connection of the upstream that speaks HTTP/2, without I/O: answers each call of gRPC with one message and
// trailers.

#include "frames.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace headgate::bench {

/// Does not decode what it is asked: every request gets the same answer.
class H2Answerer {
 public:
  H2Answerer();

  /// What was received. Where `held` is given, requests get no answer, and are counted there. False: it is no HTTP/2.
  bool take(std::string_view bytes, std::uint64_t* held);
  /// What is to be sent; the caller empties it. At first the settings.
  std::string& out() noexcept { return out_; }

 private:
  void asked(const Frame& frame, std::uint64_t* held);
  void answer(std::int32_t id);

  FrameReader in_;
  std::string out_;
  std::uint32_t unacknowledged_ = 0;  // bytes of the connection's window
  bool greeted_ = false;
  bool answered_ = false;
  bool has_table_ = true;  // the proxy remembers fields
};

}  // namespace headgate::bench
