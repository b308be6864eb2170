#pragma once
// The meaning of an auth service's answer.

#include "headgate/gateway/auth_service.hpp"
#include "headgate/http/head.hpp"

#include <string>

namespace headgate::gateway {

/// The longest body of a refusal, in bytes. If a body is longer, the caller gets only the fields.
inline constexpr std::size_t kLongestRefusal = 64UL * 1024;

/// Returns the answer for the final head of a response. The caller adds the body of a refusal later.
AuthAnswer auth_answer_of(const http::ReplyHead& head, const CompiledAuth& auth);
/// Returns the answer for a call without a response.
AuthAnswer no_auth_answer(const CompiledAuth& auth, std::string why);

/// Returns how long the service allows its answer to be reused: at most `most`, and 0 if it may not be reused.
Duration auth_answer_counts(const http::ReplyHead& head, Duration most);

}  // namespace headgate::gateway
