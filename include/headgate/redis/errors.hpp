#pragma once
// Why a decision could not be had from Redis, and what an error answer of Redis means for the connection and the
// breaker.

#include "headgate/core/result.hpp"

#include <string_view>
#include <type_traits>

namespace headgate::redis {

/// The reasons `Limiter::decide` gives. All mean "no decision": the caller's policy takes over.
enum class Errc {
  unavailable =
      1,       ///< no usable connection, or the breaker is open: Redis was not asked, or the connection broke meanwhile
  timed_out,   ///< Redis was asked and did not answer within the deadline; it may still count the request
  overloaded,  ///< as many calls as allowed are under way already; Redis was not asked
  refused_by_server,  ///< Redis answered that it cannot: out of memory, loading, no permission, an error in the script
  bad_reply,          ///< Redis answered something that is not a decision
  stopped,            ///< the limiter was stopped
};

/// Category "headgate.redis". Any thread; lives as long as the process.
const boost::system::error_category& error_category() noexcept;
error_code make_error_code(Errc code) noexcept;

/// What an error answer asks for.
enum class Refusal {
  no_script,   ///< the script is not in its cache: send this one call again as EVAL
  not_master,  ///< this server takes no writes (any more): look for the one that does
  denied,      ///< credentials or permissions are wrong: nothing but the operator can help
  cannot_now,  ///< it will work again by itself or by the operator's hand: ask less for a while. Also what a node of a
               ///< cluster says to who does not know that it is one
  unexpected,  ///< none of the above: this call failed, and says nothing of the next one
};

/// Sorts the text of an error reply ("OOM command not allowed ...") by its first word; also finds the word where Redis
/// before 7 wraps an error met inside a script ("ERR Error running script ...: -OOM command ...").
Refusal classify(std::string_view error) noexcept;

}  // namespace headgate::redis

template <>
struct boost::system::is_error_code_enum<headgate::redis::Errc> : std::true_type {};
