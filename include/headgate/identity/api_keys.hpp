#pragma once
// The known API keys. A key finds its record, but the key itself is not kept.

#include "headgate/core/result.hpp"
#include "headgate/identity/options.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace headgate::identity {

/// Immutable; any thread.
class ApiKeys {
 public:
  ApiKeys() = default;
  explicit ApiKeys(std::vector<ApiKeyRecord> records);  ///< if two have the same digest, the first counts

  bool empty() const noexcept { return records_.empty(); }
  std::size_t size() const noexcept { return records_.size(); }
  /// The record of the key with this digest, or null; also of disabled and expired keys. The time it takes does not
  /// reveal how near a digest is to a known one.
  const ApiKeyRecord* find(const Sha256& digest) const noexcept;
  /// A key of this owner that is valid at `now`, else any key of theirs, or null. Looks at all records.
  const ApiKeyRecord* of_owner(std::string_view owner, Instant now) const noexcept;
  const std::vector<ApiKeyRecord>& records() const noexcept { return records_; }

 private:
  struct Slot {
    std::uint32_t mark = 0;    // a part of the hash: an unknown digest seldom needs to read a record
    std::uint32_t record = 0;  // index into records_, 1-based; 0: free
  };

  std::vector<ApiKeyRecord> records_;
  std::vector<Slot> slots_;  // by a keyed hash of the digest; a power of two of them
};

/// Why a key file is not valid: place, reason and help.
struct KeyFileError {
  std::size_t line = 1;    ///< 1-based
  std::size_t column = 1;  ///< 1-based, in bytes
  std::string pointer{};   ///< "/keys/3/sha256"; empty: the whole file
  std::string message{};   ///< a sentence without its dot; quotes no key and no digest
  std::string help{};      ///< what to write instead; may be empty
};
std::string to_text(const KeyFileError& error);  ///< "12:5: message [/keys/3/sha256]; help"

/// The maximum size of a key file in bytes: about 500,000 keys.
inline constexpr std::size_t kLongestKeyFile = 64UL * 1024 * 1024;

/// Parses a key file: {"keys": [{"sha256": "<64 hex digits>", "owner": "acme", "tier": "pro", "tags":
/// ["batch"], "expires": "2027-01-31T00:00:00Z", "disabled": false, "limits": {"partner": {"rate": "500/second",
/// "burst": 1000}}, "note":
/// "..."}]}. "sha256" and "owner" are required. "rate" may be a list, or "unlimited"; instead of an object, a limit may
/// have its rate alone. "expires" has the form of parse_expiry; "note" is ignored. Errors: any other member, a
/// duplicate member, "key" (the key itself), a duplicate digest, more than 64 members of an object, more than
/// kLongestKeyFile, a burst beside several rates or none. Keys keep the order of the file. Takes about 2 µs per key;
/// any thread.
Result<std::vector<ApiKeyRecord>, KeyFileError> read_api_keys(std::string_view json);

}  // namespace headgate::identity
