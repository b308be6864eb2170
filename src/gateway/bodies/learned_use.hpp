#pragma once
// The input and output that earlier calls of a language model really had, learned for each key of a limit on a route.

#include "headgate/core/hash.hpp"
#include "headgate/limit/recent_table.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

namespace headgate::gateway {

/// Remembers the last calls of each key, so that the next call of the same key can be estimated. A key is a hash of the
/// route, the limit and the key of the limit, so no caller changes the estimates of another key.
///
/// The estimate of an input takes the fewest bytes that a token had in any of the last kCalls calls, less a twentieth.
/// A hold must rarely be too small, so the worst call counts and not the mean. The twentieth covers a call that is a
/// little denser than all of them, which happens about once in nine calls even if the traffic does not change. Calls
/// with less than a quarter of the text are left out, because the tokens that a provider adds to each message weigh
/// more in a short call.
///
/// One for each worker; worker thread only. The memory is allocated when the first call is learned: about 130 bytes for
/// each key. If too many keys are in use, the one that was not used for the longest time is forgotten (among the four
/// that share its place in the table). A reload keeps everything; a restart or an upgrade of the process begins anew.
class LearnedUse {
 public:
  static constexpr std::size_t kCalls = 8;     ///< number of calls of a key that are remembered
  static constexpr std::size_t kKeys = 4'096;  ///< usual number of keys
  /// A token never has more bytes than this multiple of the configured number, however the calls before looked.
  static constexpr std::int64_t kMaxTimes = 4;

  explicit LearnedUse(std::size_t keys = kKeys) noexcept : keys_(keys) {}

  /// Notes that a call with `text` bytes of text had `tokens` tokens of input, without those of pictures. Does nothing
  /// unless both are above 0.
  void learn_input(const Hash& key, std::int64_t text, std::int64_t tokens);
  /// Notes that a call had `tokens` tokens of output.
  void learn_output(const Hash& key, std::int64_t tokens);

  /// Returns the tokens of `text` bytes, rounded up. A token has `bytes` bytes until calls of this key have been
  /// learned, and later from one byte to kMaxTimes times `bytes`.
  std::int64_t tokens_of(const Hash& key, std::int64_t text, std::int64_t bytes) noexcept;
  /// Returns the largest output of the last calls of this key; nothing if none was learned.
  std::optional<std::int64_t> most_output(const Hash& key) noexcept;

 private:
  struct Input {
    std::uint32_t text;
    std::uint32_t tokens;
  };
  struct Calls {
    Hash hash;
    std::uint64_t used = 0;  ///< number of the last use
    std::uint32_t inputs_seen = 0;
    std::uint32_t outputs_seen = 0;
    std::array<Input, kCalls> inputs{};
    std::array<std::uint32_t, kCalls> outputs{};
  };

  Calls* find(const Hash& key) noexcept;
  Calls& of(const Hash& key);

  std::size_t keys_;
  std::uint64_t uses_ = 0;
  std::unique_ptr<limit::RecentTable<Calls>> table_;
};

}  // namespace headgate::gateway
