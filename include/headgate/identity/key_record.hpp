#pragma once
// The record of an API key as text, and what becomes of keys that gateways issue and revoke.

#include "headgate/core/time.hpp"
#include "headgate/identity/options.hpp"

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace headgate::identity {

/// How an operator names a key: the first 16 hexadecimal digits of its SHA-256.
std::string id_of(const Sha256& digest);
/// Returns whether `text` has the form of an id.
bool is_id(std::string_view text) noexcept;
/// Of an id, the part of a digest that it names, with zeros behind it; all zeros if it is none.
Sha256 named_by(std::string_view id) noexcept;
/// Returns whether both have the same id.
bool same_id(const Sha256& a, const Sha256& b) noexcept;

/// The record on one line, as an element of "keys" in a key file (see read_api_keys). Times are to the second.
std::string record_text(const ApiKeyRecord& record);
/// The member of a revoked one that says so.
std::string revoked_text(const ApiKeyRecord& record);
/// The opposite of record_text(). Nothing if it is not one record, or longer than kLongestRecord.
std::optional<ApiKeyRecord> read_record(std::string_view text);
inline constexpr std::size_t kLongestRecord = 16UL * 1024;

/// What is told of a key that is revoked at `now`: who had it, but no limits. One that is revoked already stays so.
ApiKeyRecord revoked_at(const ApiKeyRecord& record, Instant now);

/// The longest record that gateways tell each other, in bytes: a log has room for little more.
inline constexpr std::size_t kLongestShared = 1900;

/// How long an issued key stays in the file after it has expired.
inline constexpr Duration kRemembersExpired = std::chrono::hours(24 * 31);
/// Returns whether nobody needs the record any more: it was issued and has expired long ago, so that it does no harm
/// wherever it is still known. A revoked key that never expires is remembered for ever; so is one that people wrote.
bool is_past(const ApiKeyRecord& record, Instant now) noexcept;

}  // namespace headgate::identity
