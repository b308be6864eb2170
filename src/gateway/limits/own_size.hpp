#pragma once
// The tier of a key whose size is set by the record of an API key, or by an override.

#include "headgate/core/literals.hpp"
#include "headgate/core/result.hpp"
#include "headgate/limit/limit.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace headgate::gateway {

/// Returns the tier of `limit` with `rates` in place of its own rates (unlimited if there are none). It uses the same
/// counters. `burst` applies to the only rate. The error says why the limit cannot count these rates; it is a sentence
/// without its full stop.
Result<limit::Tier, std::string> own_size(const limit::Limit& limit, std::span<const Rate> rates,
                                          std::optional<std::uint64_t> burst);

}  // namespace headgate::gateway
