#pragma once
// The messages of Envoy's rate limit service (envoy.service.ratelimit.v3.RateLimitService), without their framing. Used
// by gateway.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace headgate::envoy {

/// The unit of a rate, with the numbers of the API. `none`: the rate has another period.
enum class RateUnit : std::uint8_t { none, second, minute, hour, day, month, year };

/// A rate that the proxy asks for in place of the configured one.
struct AskedRate {
  std::uint32_t count = 0;
  RateUnit unit = RateUnit::none;
};

/// One descriptor: pairs of a key and a value, any bytes, in alphabetical order.
struct Descriptor {
  std::vector<std::pair<std::string, std::string>> entries;
  std::optional<AskedRate> rate{};
  std::optional<std::uint64_t> hits{};  ///< number of hits, if it differs from that of the request
  bool gives_back = false;              ///< whether the hits are given back
};

struct RateLimitRequest {
  std::string domain;
  std::vector<Descriptor> descriptors;
  std::uint32_t hits = 0;  ///< number of hits of each descriptor; 0 counts as 1
};

/// Reads a request. Unknown fields are ignored. Nothing if the bytes are no such message.
std::optional<RateLimitRequest> read_request(std::string_view bytes);

/// The decision about one descriptor. The caller keeps the text of the name.
struct DescriptorStatus {
  bool over = false;
  std::string_view limit;  ///< name of the limit; empty if no limit applies to the descriptor
  std::uint64_t count = 0;
  RateUnit unit = RateUnit::none;
  std::uint64_t remaining = 0;
  std::int64_t reset_seconds = 0;  ///< seconds until the counter is unused, or until a rejected request may pass
};

/// An answer. The caller keeps the texts.
struct RateLimitResponse {
  using Texts = std::vector<std::pair<std::string_view, std::string_view>>;

  bool over = false;
  std::vector<DescriptorStatus> statuses;  ///< one for each descriptor, in its order
  Texts headers;                           ///< fields for the client's answer
  Texts metadata;                          ///< `dynamic_metadata`, all texts
};

std::string write_response(const RateLimitResponse& response);

}  // namespace headgate::envoy
