#pragma once
// Failures between the gateway and a server. Only the path in gateway turns them into a status, in one function; no
// other file names a 5xx.

#include "headgate/balance/outcome.hpp"
#include "headgate/core/per_enum.hpp"
#include "headgate/core/result.hpp"

#include <cstdint>
#include <string_view>

namespace headgate::upstream {

/// The kinds of failure.
enum class Failed : std::uint8_t {
  no_connection,    ///< no connection to any server could be made
  connect_timeout,  ///< the connection and its TLS handshake took too long
  untrusted,        ///< the server's certificate is not trusted
  handshake,        ///< the TLS handshake failed for another reason
  sending,          ///< the server stopped accepting the request
  closed,           ///< the server closed before its answer was complete
  reply_timeout,    ///< no complete answer head arrived in time
  malformed,        ///< the answer violates the protocol
  full,             ///< every available server already has its maximum number of requests
  head_too_large,   ///< the answer's head is larger than ServerGroupOptions::head_bytes
  own_want,         ///< the gateway has no file descriptor left; says nothing about the server
  deadline,         ///< the caller's own deadline expired first; says nothing about the server
};

/// Returns one word for the failure, for trace spans.
constexpr std::string_view to_text(Failed what) noexcept {
  constexpr WordsUpTo<Failed::deadline> kWords({"no_connection", "connect_timeout", "untrusted", "handshake", "sending",
                                                "closed", "reply_timeout", "malformed", "full", "head_too_large",
                                                "own_want", "deadline"});
  return kWords[what];
}

/// Returns what a failure tells about the server. Must not be called for own_want and deadline, which tell nothing
/// about it.
constexpr balance::AttemptOutcome outcome_of(Failed what) noexcept {
  switch (what) {
    case Failed::no_connection:
    case Failed::untrusted:
    case Failed::handshake:
      return balance::AttemptOutcome::no_connection;
    case Failed::connect_timeout:
    case Failed::reply_timeout:
      return balance::AttemptOutcome::timeout;
    case Failed::sending:
    case Failed::closed:
    case Failed::malformed:
    case Failed::full:
    case Failed::head_too_large:
    case Failed::own_want:
    case Failed::deadline:
      break;
  }
  return balance::AttemptOutcome::broken;
}

/// A failure. `reused` tells that a pooled connection closed before the first byte of its answer, so the server most
/// likely did not see the request.
struct Failure {
  Failed what = Failed::no_connection;
  error_code cause{};
  bool reused = false;
  const char* why = "";          ///< a phrase in static storage, used if `cause` does not tell the reason
  std::string_view detail = {};  ///< reason reported by TLS; valid until the caller's next wait; may be empty
  std::string_view server = {};  ///< name of the server that could not be reached; valid as long as the upstream
  /// true if the server has said that it did not process the request, so that it may be sent again
  bool unseen = false;
};

/// Failure::why if an operator took the server down.
inline constexpr const char* kTakenDown = "an operator took it down";

/// Failure::why of a reply_timeout if the server did not accept the whole request. "it" is the server.
inline constexpr const char* kTakesNoMore = "it accepted no more of the request in time";

}  // namespace headgate::upstream
