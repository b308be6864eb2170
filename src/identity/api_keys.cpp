#include "headgate/identity/api_keys.hpp"

namespace headgate::identity {

ApiKeys::ApiKeys(const std::vector<ApiKeyRecord>& records) {
  for (const auto& record : records) records_.emplace(record.digest, record);
}

const ApiKeyRecord* ApiKeys::find(std::string_view key) const {
  if (records_.empty() || key.empty()) return nullptr;
  const auto at = records_.find(sha256(key));
  return at == records_.end() ? nullptr : &at->second;
}

}  // namespace headgate::identity
