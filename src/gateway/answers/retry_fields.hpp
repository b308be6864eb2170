#pragma once
// The fields that tell a refused caller whether and when to retry.

#include "headgate/gateway/problem.hpp"

#include <chrono>

namespace headgate::gateway {

/// Returns how long a caller that gets `problem` has to wait, rounded up to milliseconds. Uses the exact wait if it is
/// known, and never exceeds problem.retry_after.
std::chrono::milliseconds exact_wait(const Exchange& x, const Problem& problem) noexcept;

/// Appends Retry-After, Retry-After-Ms and X-Should-Retry to x.fields if they apply to `problem`. `retry_after` is
/// problem.retry_after as text and must outlive the fields.
void append_retry_fields(Exchange& x, const Problem& problem, std::string_view retry_after);

}  // namespace headgate::gateway
