#pragma once
// Why Redis gave no decision, and what an error reply of Redis means for the connection and the breaker.

#include "headgate/core/result.hpp"

#include <string_view>
#include <type_traits>

namespace headgate::redis {

/// The errors of `SharedLimiter::decide`. All mean "no decision": the caller's policy takes over.
enum class Errc {
  /// No usable connection, or the breaker is open: no call was sent, or the connection broke meanwhile.
  unavailable = 1,
  /// Redis did not answer within the deadline. It may still count the request.
  timed_out,
  /// The maximum number of calls is active already. No call was sent.
  overloaded,
  /// Redis answered with an error: out of memory, loading, no permission, an error in the script.
  refused_by_server,
  bad_reply,  ///< the reply of Redis is not a decision
  stopped,    ///< the limiter was stopped
};

/// Category "headgate.redis". Any thread; lives as long as the process.
const boost::system::error_category& error_category() noexcept;
error_code make_error_code(Errc code) noexcept;

/// What an error reply requires.
enum class ErrorReply {
  no_script,   ///< the script is not in the script cache: send this one call again as EVAL
  not_master,  ///< this server takes no writes (any more): look for the one that does
  rejected,    ///< credentials or permissions are wrong: only the operator can help
  /// It will work later, by itself or with the operator's help: send less for a while. A cluster node also sends these
  /// to a client that does not know that it is in a cluster.
  cannot_now,
  unexpected,  ///< none of the above: this call failed, and the next one may succeed
};

/// Classifies the text of an error reply ("OOM command not allowed ...") by its first word. Redis before 7 wraps an
/// error inside a script ("ERR Error running script ...: -OOM command ..."); this finds the word there too.
ErrorReply classify(std::string_view error) noexcept;

/// What the operator can do about an error reply that says that the server runs no scripts; else empty. Such a server
/// can decide nothing: Valkey from 9.1 on may lack its Lua engine, and `rename-command` may have taken the commands.
std::string_view help_for_scripts(std::string_view error) noexcept;

}  // namespace headgate::redis

template <>
struct boost::system::is_error_code_enum<headgate::redis::Errc> : std::true_type {};
