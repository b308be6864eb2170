#pragma once
// The known API keys, found by digest, and the parser of key files. The keys themselves are not kept. Used by config,
// services, admin and cli.

#include "headgate/core/json_walk.hpp"
#include "headgate/core/result.hpp"
#include "headgate/identity/options.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace headgate::identity {

/// The set of keys. Immutable; any thread.
class ApiKeys {
 public:
  ApiKeys() = default;
  explicit ApiKeys(std::vector<ApiKeyRecord> records);  ///< If two records have the same digest, the first one counts.

  bool empty() const noexcept { return records_.empty(); }
  std::size_t size() const noexcept { return records_.size(); }
  /// Returns the record of the key with this digest, even if the key is disabled or expired; null if there is none. The
  /// time of the search does not reveal how near a digest is to a known one.
  const ApiKeyRecord* find(const Sha256& digest) const noexcept;
  /// Returns a key of this owner that is valid at `now`. If there is none, returns any key of the owner, or null if the
  /// owner has no key. Searches all records.
  const ApiKeyRecord* of_owner(std::string_view owner, Instant now) const noexcept;
  const std::vector<ApiKeyRecord>& records() const noexcept { return records_; }

 private:
  struct Slot {
    // a part of the hash; if the digest is unknown, it usually differs, so that the record need not be read
    std::uint32_t mark = 0;
    std::uint32_t record = 0;  // index into records_ plus one; 0 if free
  };

  std::vector<ApiKeyRecord> records_;
  std::vector<Slot> slots_;  // indexed by a keyed hash of the digest; the size is a power of two
};

/// Maximum size of a key file in bytes: about 500,000 keys.
inline constexpr std::size_t kLongestKeyFile = 64UL * 1024 * 1024;

/// Parses a key file: {"keys": [{"sha256": "<64 hex digits>", "owner": "acme", "tier": "pro", "tags": ["batch"],
/// "groups": {"team": "search"}, "expires": "2027-01-31T00:00:00Z", "disabled": false, "limits": {"partner": {"rate":
/// "500/second", "burst": 1000}}, "note": "..."}]}.
///
/// "sha256" and "owner" are required. "rate" may be a list, or "unlimited"; a limit with only a rate may be written as
/// that rate, without the object. "expires" has the form of parse_expiry; "note" is ignored.
///
/// Errors: any other member, a duplicate member, "key" (the key itself), a duplicate digest, more than 64 members of an
/// object, a file of more than kLongestKeyFile, a burst with several rates or with none. Keys keep the order of the
/// file. Takes about 2 µs per key; any thread.
Result<std::vector<ApiKeyRecord>, JsonMistake> read_api_keys(std::string_view json);

}  // namespace headgate::identity
