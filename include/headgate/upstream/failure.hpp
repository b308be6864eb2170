#pragma once
// What went wrong with an exchange and on whose side. One function of the path maps it to a status; no other file names
// a 5xx.

#include "headgate/core/result.hpp"

#include <cstdint>
#include <string_view>

namespace headgate::upstream {

enum class Failed : std::uint8_t {
  no_connection,    ///< no server could be connected to
  connect_timeout,  ///< nor in time
  sending,          ///< the server stopped taking the request
  closed,           ///< the server closed before its answer was whole
  reply_timeout,    ///< no first byte of an answer in time, or no further one
  malformed,        ///< the answer breaks the protocol
  head_too_large,   ///< the answer's head is larger than Options::head_bytes
};

/// `reused` tells that a pooled connection died before its first answer byte: the server most likely never saw the
/// request.
struct Failure {
  Failed what = Failed::no_connection;
  error_code cause{};
  bool reused = false;
  const char* why = "";          ///< a sentence, where the cause is not an error_code
  std::string_view server = {};  ///< which could not be connected to; a name of the upstream's
};

/// Why of a reply_timeout where the request itself could not be sent.
inline constexpr const char* kTakesNoMore = "it took no more of the request in time";

}  // namespace headgate::upstream
