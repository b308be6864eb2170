// Fuzzes key files: any bytes as a file, and as the members of an otherwise valid key.

#include "headgate/identity/api_keys.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <string>
#include <string_view>

namespace headgate::fuzz {
namespace {

using namespace headgate::identity;

/// An accepted file is complete, and a refusal has a valid place.
void demand_sense(std::string_view json) {
  const auto read = read_api_keys(json);
  if (read.has_error()) {
    const auto& error = read.error();
    const auto lines = static_cast<std::size_t>(std::count(json.begin(), json.end(), '\n')) + 1;
    if (error.line < 1 || error.line > lines || error.column < 1 || error.column > json.size() + 1) std::abort();
    if (error.message.empty() || to_text(error).empty()) std::abort();
    return;
  }
  const ApiKeys keys(*read);
  for (const auto& record : *read) {
    if (record.owner.empty() || keys.find(record.digest)->owner != record.owner) std::abort();
    for (const auto& each : record.overrides) {
      if (each.limit.empty() || (each.burst && each.rates.size() != 1)) std::abort();
    }
  }
}

}  // namespace

void key_file_fuzz(std::string_view bytes) {
  const std::string text(bytes);
  demand_sense(text);
  demand_sense(R"({"keys": [{"sha256": ")" + std::string(64, 'a') + R"(", "owner": "acme", )" + text + "}]}");
}

}  // namespace headgate::fuzz
