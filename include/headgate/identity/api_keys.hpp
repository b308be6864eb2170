#pragma once
// The API keys that are known, found by the key itself without keeping it.

#include "headgate/identity/options.hpp"

#include <map>
#include <string_view>
#include <vector>

namespace headgate::identity {

/// Immutable; any thread.
class ApiKeys {
 public:
  ApiKeys() = default;
  explicit ApiKeys(const std::vector<ApiKeyRecord>& records);

  bool empty() const noexcept { return records_.empty(); }
  /// Whose `key` is, or null. Compares digests only: how long it takes says nothing of a key that is near.
  const ApiKeyRecord* find(std::string_view key) const;

 private:
  std::map<Sha256, ApiKeyRecord> records_;
};

}  // namespace headgate::identity
