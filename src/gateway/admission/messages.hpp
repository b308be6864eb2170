#pragma once
// Limits that count the messages which a caller sends in a call of gRPC. The call takes a permit for its first message
// when it begins, as any request does; each further one is asked about here before its server gets it. Some servers
// take a request of any media type for a call, so messages are counted in every body that has their form.

#include "gateway/grpc/web_text.hpp"

#include "headgate/core/task.hpp"
#include "headgate/gateway/exchange.hpp"
#include "headgate/gateway/problem.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace headgate::gateway {

struct Path;

/// Counts the messages that begin in a body of gRPC: each has a byte of flags, its length in four, and so many bytes.
class MessageCount {
 public:
  /// Which bytes of flags a message may begin with. `known`: those of gRPC, gRPC-Web and Connect. With another one a
  /// body has another form, as JSON, text and Protocol Buffers by themselves have, and counting ends.
  enum class Flags : bool { any, known };
  explicit MessageCount(Flags flags = Flags::any) noexcept : flags_(flags) {}

  /// How many begin in these bytes, which come next. A message begins with the last byte of its length.
  std::uint32_t in(std::string_view bytes) noexcept;

 private:
  Flags flags_;
  bool over_ = false;       ///< the body has another form
  std::uint64_t left_ = 0;  ///< bytes of the message under way
  std::uint32_t length_ = 0;
  unsigned prefix_ = 0;  ///< bytes of a prefix that have come
};

/// Whether a limit of the route counts them.
bool counts_messages(const Route& route) noexcept;

/// Of one call; lives in its relay. Worker thread only.
class Messages {
 public:
  Messages(Path& path, Exchange& x);

  /// How many messages begin in `bytes`, which come next in the body, beside the first of the call.
  std::uint32_t begun(std::string_view bytes);
  /// Takes their permits. Where a limit rejects them, the call ends with the problem, and its server gets none of the
  /// bytes that they begin in.
  Task<std::optional<Problem>> take(std::uint32_t times);

 private:
  /// The checks of one store, for all limits that count there.
  struct Asked {
    std::vector<limit::Check> checks;
    std::vector<limit::Decision> decisions;
    std::vector<std::size_t> at;  ///< where each stands in the admission
    bool local = false;           ///< in memory, in the place of Redis
  };

  Task<std::optional<Problem>> take_at_once(std::uint32_t times);
  std::uint32_t most_at_once() const;
  Asked asked(Source source, std::uint32_t times) const;
  Asked asked_here(std::uint32_t times, std::optional<Problem>& problem) const;
  bool decide_here(Asked& asked);
  void give_back(const Asked& asked);
  template <class Each>
  void conclude(const Asked& asked, Instant now, Each each);
  void taken(const Asked& asked, std::uint32_t times, Instant now);
  Task<std::optional<Problem>> rejected(Asked asked, std::uint32_t times, Instant now);
  Task<void> peek_at_whole(Asked asked);

  Path& path_;
  Exchange& x_;
  MessageCount count_;
  bool text_ = false;  ///< the body is base64, as far as it has been read
  WebTextDecoder decoder_;
  std::string decoded_;
  std::uint64_t sent_ = 0;  ///< messages that have begun
};

}  // namespace headgate::gateway
