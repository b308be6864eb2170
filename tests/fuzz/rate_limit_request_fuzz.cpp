// Fuzzes messages of Envoy's rate limit service: what is read is no longer than what came, and has its keys in order.

#include "fuzzer.hpp"

#include "headgate/envoy/rate_limit_service.hpp"

#include <algorithm>
#include <string_view>

namespace headgate::fuzz {

void rate_limit_request_fuzz(std::string_view bytes) {
  const auto request = envoy::read_request(bytes);
  if (!request) return;
  auto size = request->domain.size();
  for (const auto& descriptor : request->descriptors) {
    demand(std::ranges::is_sorted(descriptor.entries));
    for (const auto& [key, value] : descriptor.entries) size += key.size() + value.size();
  }
  demand(size <= bytes.size());
}

}  // namespace headgate::fuzz
