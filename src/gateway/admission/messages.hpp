#pragma once
// Limits that count the messages that a client sends in a gRPC call. The call takes a permit for its first message when
// it begins, like any request; each further message is checked here before the server receives it. Some servers accept
// gRPC calls with any media type, so messages are counted in every body that has the gRPC format.

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

/// Counts the messages that begin in a gRPC body. A message is one byte of flags, four bytes of length, and the
/// content.
class MessageCount {
 public:
  /// The flag bytes with which a message may begin. With `known`, only the flags of gRPC, gRPC-Web and Connect are
  /// allowed. Any other byte shows that the body has another format, such as JSON, text or plain Protocol Buffers, and
  /// ends the count.
  enum class Flags : bool { any, known };
  explicit MessageCount(Flags flags = Flags::any) noexcept : flags_(flags) {}

  /// Returns the number of messages that begin in the next bytes of the body. A message counts as begun when the last
  /// byte of its length has arrived.
  std::uint32_t in(std::string_view bytes) noexcept;

 private:
  Flags flags_;
  bool over_ = false;       ///< true after a byte has shown that the body has another format
  std::uint64_t left_ = 0;  ///< remaining bytes of the current message
  std::uint32_t length_ = 0;
  unsigned prefix_ = 0;  ///< bytes of the current prefix that have arrived, 0 to 4
};

/// Returns whether a limit of the route counts messages.
bool counts_messages(const Route& route) noexcept;

/// Counts the messages of one call and takes their permits; lives in the call's relay. Worker thread only.
class Messages {
 public:
  Messages(Path& path, Exchange& x);

  /// Returns the number of messages that begin in `bytes`, the next bytes of the body. The first message of the call is
  /// not counted.
  std::uint32_t begun(std::string_view bytes);
  /// Takes permits for `times` messages. If a limit rejects them, the call ends with the returned problem, and the
  /// server gets none of the bytes in which these messages begin.
  Task<std::optional<Problem>> take(std::uint32_t times);

 private:
  /// The checks of one store, for all limits that count there.
  struct StoreChecks {
    std::vector<limit::Check> checks;
    std::vector<limit::Decision> decisions;
    std::vector<std::size_t> at;  ///< index of each check in the admission
    bool local = false;           ///< true if the checks are made in memory in place of Redis
  };

  Task<std::optional<Problem>> take_at_once(std::uint32_t times);
  std::uint32_t most_at_once() const;
  StoreChecks asked(Source source, std::uint32_t times) const;
  StoreChecks asked_here(std::uint32_t times, std::optional<Problem>& problem) const;
  bool decide_here(StoreChecks& asked);
  void give_back(const StoreChecks& asked);
  template <class Each>
  void conclude(const StoreChecks& asked, Instant now, Each each);
  void taken(const StoreChecks& asked, std::uint32_t times, Instant now);
  Task<std::optional<Problem>> rejected(StoreChecks asked, std::uint32_t times, Instant now);
  Task<void> peek_at_whole(StoreChecks asked);

  Path& path_;
  Exchange& x_;
  MessageCount count_;
  bool text_ = false;  ///< true if the body is base64
  WebTextDecoder decoder_;
  std::string decoded_;
  std::uint64_t sent_ = 0;  ///< number of messages that have begun
};

}  // namespace headgate::gateway
