#pragma once
// The API keys that are known, found by the key itself without keeping it.

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
  explicit ApiKeys(std::vector<ApiKeyRecord> records);  ///< of two with one digest the first counts

  bool empty() const noexcept { return records_.empty(); }
  std::size_t size() const noexcept { return records_.size(); }
  /// Whose key has this digest, or null; disabled and expired ones too. How long it takes says nothing of how near a
  /// digest is to a known one.
  const ApiKeyRecord* find(const Sha256& digest) const noexcept;
  const std::vector<ApiKeyRecord>& records() const noexcept { return records_; }

 private:
  struct Slot {
    std::uint32_t mark = 0;    // a part of the hash: an unknown digest seldom needs a look at a record
    std::uint32_t record = 0;  // index into records_, 1-based; 0: free
  };

  std::vector<ApiKeyRecord> records_;
  std::vector<Slot> slots_;  // by a keyed hash of the digest; a power of two of them
};

/// Why a key file was refused: where, and what would help.
struct KeyFileError {
  std::size_t line = 1;    ///< 1-based
  std::size_t column = 1;  ///< 1-based, in bytes
  std::string pointer;     ///< "/keys/3/sha256"; empty: the whole file
  std::string message;     ///< a sentence without its dot; quotes no key and no digest
  std::string help;        ///< what to write instead; may be empty
};
std::string to_text(const KeyFileError& error);  ///< "12:5: message [/keys/3/sha256]; help"

/// The longest key file that is read, in bytes: some 500,000 keys.
inline constexpr std::size_t kLongestKeyFile = 64UL * 1024 * 1024;

/// Reads a key file: {"keys": [{"sha256": "<64 hex digits>", "owner": "acme", "tier": "pro", "expires":
/// "2027-01-31T00:00:00Z", "disabled": false, "limits": {"partner": {"rate": "500/second", "burst": 1000}}, "note":
/// "..."}]}. "sha256" and "owner" are required; "rate" may be a list, or "unlimited"; a limit may be its rate alone;
/// "expires" is as parse_expiry has it, and "note" is passed over. Refused: another member, one named twice, "key" (the
/// key itself), a digest twice, more than 64 members of an object, more than kLongestKeyFile, a burst beside several
/// rates or none. Keys are in the order of the file. Takes some 2 µs a key; any thread.
Result<std::vector<ApiKeyRecord>, KeyFileError> read_api_keys(std::string_view json);

}  // namespace headgate::identity
