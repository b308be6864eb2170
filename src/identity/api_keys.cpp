#include "headgate/identity/api_keys.hpp"

namespace headgate::identity {

ApiKeys::ApiKeys(std::vector<ApiKeyRecord> records) : records_(std::move(records)) {}
const ApiKeyRecord* ApiKeys::find(const Sha256& digest) const noexcept {
  for (const auto& record : records_)
    if (record.digest == digest) return &record;
  return nullptr;
}
std::string to_text(const KeyFileError& error) { return error.message; }
Result<std::vector<ApiKeyRecord>, KeyFileError> read_api_keys(std::string_view) { return std::vector<ApiKeyRecord>{}; }

}  // namespace headgate::identity
