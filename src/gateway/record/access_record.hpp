#pragma once
// Makes the record of an exchange for the access log.

#include "headgate/gateway/exchange.hpp"
#include "headgate/observe/access_log.hpp"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace headgate::gateway {

/// Fills the fields that all exchanges have, except for the elapsed time and the callers. The rows of the steps fill
/// the rest (gateway/steps/table.hpp). The views point into `x` and are valid as long as `x` lives.
void fill(Exchange& x, observe::AccessRecord& record);

/// Copies the fields that the log needs from the answer in x.fields, because the fields of a message may no longer
/// exist when its line is written. Only for routes with `logged`.
void note_logged_answer(Exchange& x);

/// Returns the value of each of `words` ("owner", "jwt.<claim>") for this caller; empty if the caller has none. The
/// result is a view of `room`, which must have at least as many elements as `words`.
std::span<const std::string_view> caller_values(const Exchange& x, const std::vector<std::string>& words,
                                                std::span<std::string_view> room) noexcept;

}  // namespace headgate::gateway
