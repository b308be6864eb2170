#pragma once
// Reads what an operator writes for a key of a limit, also the id that stands for it in logs and lists.

#include "limit_keys.hpp"

#include "headgate/limit/ban_table.hpp"
#include "headgate/limit/override_book.hpp"
#include "headgate/observe/logs.hpp"
#include "headgate/services/top_board.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace headgate::admin {

/// Any thread. What it looks into outlives it.
///
/// An id ("k_" and 16 hexadecimal digits) is never taken for a key: a call that names one means the caller behind it.
/// Known are the callers that `top` can list, those that are suspended and those with an override.
class KeyReader {
 public:
  KeyReader(const services::TopBoard& top, const limit::BanTable& bans, const limit::OverrideBook& overrides,
            const observe::Logs& logs) noexcept
      : top_(top), bans_(bans), overrides_(overrides), logs_(logs) {}

  /// As read_key(). An id that is not known is a 404.
  Result<std::string, AdminAnswer> read(const config::Config& config, const limit::Limit& limit,
                                        const std::string& written) const;
  /// The same for a suspension: of a limit that counts by address also a block of addresses, as "203.0.113.0/24".
  Result<std::string, AdminAnswer> read_for_suspension(const config::Config& config, const limit::Limit& limit,
                                                       const std::string& written) const;

  /// How an answer names `key`, which was written so: an id stays one, so that nobody learns the key by it.
  static std::string named(const limit::Limit& limit, std::string_view key, const std::string& written);
  std::string id_of(std::string_view key) const { return logs_.key_id(key); }

 private:
  std::optional<std::string> behind(const std::string& limit, std::string_view id) const;

  const services::TopBoard& top_;
  const limit::BanTable& bans_;
  const limit::OverrideBook& overrides_;
  const observe::Logs& logs_;
};

/// Whether this is an id of a key, as in logs.
bool is_key_id(std::string_view text) noexcept;
/// Whether a key that is suspended is a block of addresses.
bool is_block(const limit::Limit& limit, std::string_view key);
/// The suspension of a key, or of a block that its address is in, under the limit called `name`.
std::optional<limit::BanTable::Found> suspension_of(const limit::BanTable& bans, const limit::Limit& limit,
                                                    std::string_view name, std::string_view key, Instant now);

}  // namespace headgate::admin
