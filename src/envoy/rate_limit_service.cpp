#include "headgate/envoy/rate_limit_service.hpp"

#include "envoy/rate_limit_service.pb.h"

#include <google/protobuf/arena.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>

namespace headgate::envoy {
namespace {

enum StatusCode : std::uint32_t { kOk = 1, kOverLimit = 2 };

/// Memory of one message and its parts, which is released at once. Usual messages fit into the first block.
class MessageMemory {
 public:
  MessageMemory() : arena_(block_.data(), block_.size()) {}

  template <class Message>
  Message& make() {
    return *google::protobuf::Arena::CreateMessage<Message>(&arena_);
  }

 private:
  alignas(std::max_align_t) std::array<char, 4096> block_;
  google::protobuf::Arena arena_;
};

RateUnit unit_of(std::uint32_t number) noexcept {
  return number <= static_cast<std::uint32_t>(RateUnit::year) ? static_cast<RateUnit>(number) : RateUnit::none;
}

Descriptor descriptor_of(const wire::Descriptor& from) {
  Descriptor out;
  out.gives_back = from.is_negative_hits();
  out.entries.reserve(static_cast<std::size_t>(from.entries_size()));
  for (const auto& entry : from.entries()) out.entries.emplace_back(entry.key(), entry.value());
  std::ranges::sort(out.entries);
  if (from.has_limit())
    out.rate = AskedRate{.count = from.limit().requests_per_unit(), .unit = unit_of(from.limit().unit())};
  if (from.has_hits_addend()) out.hits = from.hits_addend().value();
  return out;
}

std::uint32_t saturated(std::uint64_t number) noexcept {
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(number, std::numeric_limits<std::uint32_t>::max()));
}

void write_status(const DescriptorStatus& from, wire::Status& out) {
  out.set_code(from.over ? kOverLimit : kOk);
  if (from.limit.empty()) return;
  auto& limit = *out.mutable_current_limit();
  limit.set_requests_per_unit(saturated(from.count));
  limit.set_unit(static_cast<std::uint32_t>(from.unit));
  limit.set_name(from.limit.data(), from.limit.size());
  out.set_limit_remaining(saturated(from.remaining));
  out.mutable_duration_until_reset()->set_seconds(from.reset_seconds);
}

}  // namespace

std::optional<RateLimitRequest> read_request(std::string_view bytes) {
  MessageMemory memory;
  auto& request = memory.make<wire::Request>();
  if (bytes.size() > std::numeric_limits<int>::max() ||
      !request.ParseFromArray(bytes.data(), static_cast<int>(bytes.size())))
    return std::nullopt;
  RateLimitRequest out{.domain = request.domain(), .descriptors = {}, .hits = request.hits_addend()};
  out.descriptors.reserve(static_cast<std::size_t>(request.descriptors_size()));
  for (const auto& each : request.descriptors()) out.descriptors.push_back(descriptor_of(each));
  return out;
}

std::string write_response(const RateLimitResponse& response) {
  MessageMemory memory;
  auto& out = memory.make<wire::Response>();
  out.set_overall_code(response.over ? kOverLimit : kOk);
  for (const auto& status : response.statuses) write_status(status, *out.add_statuses());
  for (const auto& [name, value] : response.headers) {
    auto& header = *out.add_response_headers_to_add();
    header.set_key(name.data(), name.size());
    header.set_value(value.data(), value.size());
  }
  for (const auto& [name, value] : response.metadata)
    (*out.mutable_dynamic_metadata()->mutable_fields())[std::string(name)].set_string_value(value.data(), value.size());
  return out.SerializeAsString();
}

}  // namespace headgate::envoy
