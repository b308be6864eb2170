#pragma once
// The Redis side of a decision, without I/O: the one script, what it is called with, and what its reply means.

#include "headgate/limit/limit.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace headgate::limit {

/// All of lua/algorithms/*.lua and lua/decide.lua joined, as embedded in the binary.
std::string_view decide_script() noexcept;
/// SHA-1 of decide_script() in lower-case hex, what EVALSHA names it by.
std::string_view decide_script_sha() noexcept;

/// Writes what follows the script's name in EVALSHA or EVAL for one call that decides all of `asks` (1 to
/// kMaxRulesPerRequest; else `out` ends empty): the number of keys, the keys `<prefix>v1:{<subject>}<suffix>`, the
/// arguments. `now` is this gateway's clock (Redis counts by its own). Asks of one counter become one key with the sum
/// of their costs. All keys of one subject are in one slot:
/// in a subject '}' is written "%7D" and '%' is written "%25", and an empty one is "%". `out` owns its bytes; what it
/// held is replaced, its memory reused.
void script_arguments(std::span<const Ask> asks, std::string_view prefix, Instant now, std::vector<std::string>& out);

/// Reads the script's reply, a flat array of RESP integers (1 or 0 for the call went through or not, then for each
/// key its algorithm's words), into one verdict an ask; `asks` are those the call was made of. False where the reply is
/// none the script could have given: then `verdicts` and `all_allowed` are unchanged.
[[nodiscard]] bool read_script_reply(std::span<const std::int64_t> reply, std::span<const Ask> asks,
                                     std::span<Verdict> verdicts, bool& all_allowed);

}  // namespace headgate::limit
