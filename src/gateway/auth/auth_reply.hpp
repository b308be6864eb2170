#pragma once
// What an answer of an auth service means.

#include "headgate/gateway/auth_service.hpp"
#include "headgate/http/head.hpp"

#include <string>

namespace headgate::gateway {

/// The longest body of a refusal; of a longer one the caller gets only the fields.
inline constexpr std::size_t kLongestRefusal = 64UL * 1024;

/// Of the final head of an answer. A refusal lacks its body yet.
AuthAnswer auth_answer_of(const http::ReplyHead& head, const CompiledAuth& auth);
/// Nobody has answered.
AuthAnswer no_auth_answer(const CompiledAuth& auth, std::string why);

/// How long the service lets its answer count, at most `most`; 0: not at all.
Duration auth_answer_counts(const http::ReplyHead& head, Duration most);

}  // namespace headgate::gateway
