#pragma once
// The sources of tiers and sizes in a credential: what is read, and the checks that both need.

#include "config/build.hpp"

#include "headgate/core/literals.hpp"
#include "headgate/core/result.hpp"
#include "headgate/limit/limit.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace headgate::config {

/// A `rate` whose count is a number in the caller's credential.
struct ToldRate {
  limit::SizeFrom size{};
  Rate otherwise{};          ///< the rate without such a number
  const Node* at = nullptr;  ///< the node of `most`
};

/// Returns the rate of a period as it is written behind the slash: "minute", "5m".
Result<Rate, LiteralError> rate_of(std::uint64_t count, std::string_view period);

/// Reads the `rate` of the limit written at `section`. Empty if it is not an object, or has mistakes, which are
/// reported.
std::optional<ToldRate> read_told_rate(Build& build, const Node& section);

/// Reports if no request can have `from`, which is written at `node`. `what` is "tier" or "size".
void check_told_source(Build& build, const Node& node, const limit::Per& from, const std::string& what);

}  // namespace headgate::config
