#pragma once
// The text of a frequent problem whose sentence ends with a time to wait. The text is made once and used for each
// occurrence of the problem.

#include <cstdint>
#include <string>
#include <string_view>

namespace headgate::gateway {

enum class EndedBy : std::uint8_t;

/// The text before the time to wait, at the end of each of these sentences.
inline constexpr std::string_view kUntil = " Try again in ";

/// The prepared words. Immutable; any thread may read it.
struct UntilWait {
  std::string sentence;  ///< "The limit of 5/minute is used up. Try again in "; ends with kUntil
  std::string json;      ///< the beginning of the problem's body, up to the end of `sentence`
  std::string after;     ///< the text after the time to wait: the end of the sentence, and the name of the limit
};

/// Prepares the words for a problem with this status and reason. `limit` is the name of the limit that caused the
/// problem; "" if no limit did.
UntilWait until_wait(unsigned status, EndedBy ended_by, std::string sentence, std::string_view limit = {},
                     std::string_view policy = {});

}  // namespace headgate::gateway
