#pragma once
// A call of Envoy's rate limit service, and the routes that decide about its descriptors.

#include "headgate/envoy/rate_limit_service.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace headgate::gateway {

struct Route;
enum class Stage;

/// The name of the tier of a rate that the proxy asks for.
inline constexpr std::string_view kAskedTier = "asked";

/// The largest number of descriptors of one call.
inline constexpr std::size_t kMaxDescriptors = 64;

/// The descriptors that an entry of `decide` matches: those of its domain with exactly these keys.
struct DescriptorMatch {
  std::string domain;
  /// keys in alphabetical order, each with its value, "*" for any value, or a beginning and "*"
  std::vector<std::pair<std::string, std::string>> entries;
  bool rejects = false;                 ///< whether every call with such a descriptor is over its limit
  std::vector<std::string> replaces{};  ///< limits whose entries do not decide in a call with such a descriptor

  bool has(std::string_view key) const noexcept;
};

/// Returns the match in words: "edge: generic_key=login, remote_address=*".
std::string to_text(const DescriptorMatch& match);

/// Finds the route that decides about a descriptor. Immutable once it is filled; any thread.
class DescriptorRoutes {
 public:
  void add(const DescriptorMatch& match, const Route* route);
  bool empty() const noexcept { return routes_.empty(); }
  /// Returns the route of the most specific match: the one with the most whole values, then the one with the longest
  /// beginnings, then the first. Null if nothing matches. The number of matches with other whole values does not
  /// matter for the time this takes.
  const Route* find(std::string_view domain, const envoy::Descriptor& descriptor) const;

 private:
  struct Ranked {
    std::vector<std::string> beginnings;  ///< of the keys without a whole value, in alphabetical order of the keys
    std::size_t length = 0;               ///< length of all beginnings
    std::size_t number = 0;               ///< place among all matches
    const Route* route = nullptr;
  };
  /// Matches of the same keys that have whole values for the same of these keys.
  struct Alike {
    std::vector<std::size_t> whole;                                  ///< indices of the keys with whole values
    std::unordered_map<std::string, std::vector<Ranked>> by_values;  ///< by the whole values, each list best first
  };
  std::map<std::string, std::vector<Alike>, std::less<>> routes_;  ///< by domain and keys; most whole values first
  std::size_t count_ = 0;
};

/// A call that a log or a test describes, and its answer.
struct AssumedCall {
  envoy::RateLimitRequest request;
  envoy::RateLimitResponse answer{};  ///< empty if the call failed; its texts live as long as the exchange
};

/// One call. Lives in the frame of its handler; worker thread only.
struct RateLimitCall {
  /// A descriptor, and the route whose limits count it.
  struct Matched {
    const Route* route = nullptr;
    std::size_t descriptor = 0;
  };
  envoy::RateLimitRequest request;
  std::vector<Matched> matched;       ///< without those that another one replaces
  std::size_t at = 0;                 ///< the descriptor whose limits are being collected
  std::vector<std::size_t> of_limit;  ///< the descriptor of each limit of the admission

  const envoy::Descriptor& descriptor() const noexcept { return request.descriptors[at]; }
  /// Returns whether a route of the call has limits of this stage.
  bool asks(Stage stage) const noexcept;
  /// Returns the value of a key of the current descriptor; null if the descriptor lacks the key. No limit counts by a
  /// key that a descriptor has several times.
  const std::string* value(std::string_view key) const noexcept;
  /// Returns the number of permits that the current descriptor takes if each hit costs `each`, which is not below 0.
  /// The number is at most kMaxRequests, and below 0 if the permits are given back.
  std::int64_t permits(std::int64_t each) const noexcept;
};

}  // namespace headgate::gateway
