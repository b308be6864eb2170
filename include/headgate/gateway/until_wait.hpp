#pragma once
// The words of a problem that occurs often and whose sentence ends with a time to wait: made once, used for each.

#include <cstdint>
#include <string>
#include <string_view>

namespace headgate::gateway {

enum class EndedBy : std::uint8_t;

/// How each of their sentences ends.
inline constexpr std::string_view kUntil = " Try again in ";

/// Immutable; any thread may read it.
struct UntilWait {
  std::string sentence;  ///< "The limit of 5/minute is used up. Try again in "; ends with kUntil
  std::string json;      ///< the body of the problem to the end of that text
  std::string after;     ///< what follows the time to wait: the end of the sentence, and the name of the limit
};

/// For a problem of this status and this end, because of `limit`; "" if it is because of none.
UntilWait until_wait(unsigned status, EndedBy ended_by, std::string sentence, std::string_view limit = {},
                     std::string_view policy = {});

}  // namespace headgate::gateway
