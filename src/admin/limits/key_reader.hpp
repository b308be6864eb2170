#pragma once
// Reads the key of a limit as an operator writes it, including the key id that logs and lists show.

#include "limit_keys.hpp"

#include "headgate/limit/ban_table.hpp"
#include "headgate/limit/override_book.hpp"
#include "headgate/observe/logs.hpp"
#include "headgate/services/top_board.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace headgate::admin {

/// Reads keys as operators write them. Any thread. The constructor's arguments must outlive the reader.
///
/// An id ("k_" and 16 hexadecimal digits) always stands for a caller, never for a key of that text. Ids are known for
/// callers that `top` can list, for suspended callers and for callers with an override.
class KeyReader {
 public:
  KeyReader(const services::TopBoard& top, const limit::BanTable& bans, const limit::OverrideBook& overrides,
            const observe::Logs& logs) noexcept
      : top_(top), bans_(bans), overrides_(overrides), logs_(logs) {}

  /// Reads a key like read_key(). An unknown id gives a 404.
  Result<std::string, AdminAnswer> read(const config::Config& config, const limit::Limit& limit,
                                        const std::string& written) const;
  /// Reads the key of a suspension. If the limit counts by address, a block of addresses such as "203.0.113.0/24" is
  /// accepted as well.
  Result<std::string, AdminAnswer> read_for_suspension(const config::Config& config, const limit::Limit& limit,
                                                       const std::string& written) const;

  /// Returns the name of `key` for an answer. If the operator wrote an id, the answer shows the id, so that it does not
  /// reveal the key.
  static std::string named(const limit::Limit& limit, std::string_view key, const std::string& written);
  std::string id_of(std::string_view key) const { return logs_.key_id(key); }

 private:
  std::optional<std::string> behind(const std::string& limit, std::string_view id) const;

  const services::TopBoard& top_;
  const limit::BanTable& bans_;
  const limit::OverrideBook& overrides_;
  const observe::Logs& logs_;
};

/// Whether this is the id of a key, as in logs.
bool is_key_id(std::string_view text) noexcept;
/// Whether a suspended key is a block of addresses.
bool is_block(const limit::Limit& limit, std::string_view key);
/// Finds the suspension of a key, or of a block that contains its address, under the limit called `name`.
std::optional<limit::BanTable::Found> suspension_of(const limit::BanTable& bans, const limit::Limit& limit,
                                                    std::string_view name, std::string_view key, Instant now);

}  // namespace headgate::admin
