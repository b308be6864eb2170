#pragma once
// The fields that tell a refused caller when to come back, and whether to.

#include "headgate/gateway/problem.hpp"

#include <chrono>

namespace headgate::gateway {

/// How long the caller of `problem` has to wait: as exact as it is known, rounded up. Not less than what is known, and
/// at most problem.retry_after.
std::chrono::milliseconds exact_wait(const Exchange& x, const Problem& problem) noexcept;

/// Appends Retry-After, Retry-After-Ms and X-Should-Retry to x.fields, as far as `problem` has them. `retry_after` is
/// problem.retry_after as a text that lasts as long as the fields.
void append_retry_fields(Exchange& x, const Problem& problem, std::string_view retry_after);

}  // namespace headgate::gateway
