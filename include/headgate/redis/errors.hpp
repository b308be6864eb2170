#pragma once
// The reasons why Redis gave no decision, and the meaning of its error replies for the connection and the breaker. Used
// by the redis module and admin.

#include "headgate/core/result.hpp"

#include <string_view>
#include <type_traits>

namespace headgate::redis {

/// The errors of `SharedLimiter::decide`. All mean "no decision": the policy of the caller takes over.
enum class Errc {
  /// No usable connection, or the breaker is open: no call was sent, or the connection broke during the call.
  unavailable = 1,
  /// Redis did not answer within the deadline. It may still count the request.
  timed_out,
  /// The maximum number of active calls is reached. No call was sent.
  overloaded,
  /// Redis answered with an error: out of memory, loading, no permission, an error in the script.
  refused_by_server,
  bad_reply,  ///< the reply of Redis is not a decision
  stopped,    ///< the limiter was stopped
};

/// Returns the category "headgate.redis". Any thread; lives as long as the process.
const boost::system::error_category& error_category() noexcept;
error_code make_error_code(Errc code) noexcept;

/// The reaction that an error reply requires.
enum class ErrorReply {
  no_script,   ///< the script is not in the script cache: send this call again as EVAL
  not_master,  ///< this server does not take writes (any more): find the one that does
  rejected,    ///< credentials or permissions are wrong: only the operator can fix this
  /// The server will work later, on its own or after the operator has acted: send less for a while. A cluster node also
  /// sends these errors to a client that does not know that it is in a cluster.
  cannot_now,
  unexpected,  ///< any other error: this call has failed, and the next one may succeed
};

/// Classifies the text of an error reply ("OOM command not allowed ...") by its first word. Redis before 7 wraps an
/// error inside a script ("ERR Error running script ...: -OOM command ..."); the word is found there too.
ErrorReply classify(std::string_view error) noexcept;

/// Returns advice for the operator if an error reply means that the server runs no scripts; otherwise "". Such a server
/// can decide nothing: Valkey from 9.1 on may lack its Lua engine, and `rename-command` may have removed the commands.
std::string_view help_for_scripts(std::string_view error) noexcept;

}  // namespace headgate::redis

template <>
struct boost::system::is_error_code_enum<headgate::redis::Errc> : std::true_type {};
