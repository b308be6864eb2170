#pragma once
// The record of an API key as text, and the rules for keys that gateways issue and revoke. Used by services, server,
// admin, cli and translate.

#include "headgate/core/time.hpp"
#include "headgate/identity/options.hpp"

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace headgate::identity {

/// Returns the id by which an operator names a key: the first 16 hexadecimal digits of its SHA-256.
std::string id_of(const Sha256& digest);
/// Returns whether `text` has the form of an id.
bool is_id(std::string_view text) noexcept;
/// Returns the part of a digest that the id names, followed by zeros; all zeros if `id` is not an id.
Sha256 named_by(std::string_view id) noexcept;
/// Returns whether `a` and `b` have the same id.
bool same_id(const Sha256& a, const Sha256& b) noexcept;

/// Returns the record on one line, as an element of "keys" in a key file (see read_api_keys). Times are to the second.
std::string record_text(const ApiKeyRecord& record);
/// Returns the member "revoked" of a revoked record as text.
std::string revoked_text(const ApiKeyRecord& record);
/// Parses the result of record_text(). Empty if the text is not exactly one record, or longer than kLongestRecord.
std::optional<ApiKeyRecord> read_record(std::string_view text);
inline constexpr std::size_t kLongestRecord = 16UL * 1024;

/// Returns the record to publish for a key that is revoked at `now`: it has the owner, but no limits. Returns the
/// record unchanged if the key is already revoked.
ApiKeyRecord revoked_at(const ApiKeyRecord& record, Instant now);

/// Maximum size in bytes of a record that gateways share. The shared log has room for little more.
inline constexpr std::size_t kLongestShared = 1900;

/// Time for which an issued key stays in the file after it has expired.
inline constexpr Duration kRemembersExpired = std::chrono::hours(24 * 31);
/// Returns whether the record is no longer needed: the key was issued by a gateway and expired long ago, so that
/// forgetting it does no harm. A revoked key that never expires, and a key that a person wrote into the file, are
/// always needed.
bool is_past(const ApiKeyRecord& record, Instant now) noexcept;

}  // namespace headgate::identity
