#pragma once
// The Redis side of a decision, without I/O: the script, its arguments, and its reply. Used by redis.

#include "headgate/limit/limit.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace headgate::limit {

/// Returns lua/algorithms/*.lua and lua/decide.lua, joined and embedded in the binary.
std::string_view decide_script() noexcept;
/// Returns the SHA-1 of decide_script() in lower-case hex, for EVALSHA.
std::string_view decide_script_sha() noexcept;

/// Writes the arguments that follow the script's name in EVALSHA or EVAL, for one call that decides all of `checks`:
/// the number of keys, the keys `<prefix>v1:{<key>}<suffix>`, the script's arguments. `checks` are 1 to
/// kMaxRulesPerRequest; for any other number `out` is empty. `now` is the clock of this gateway; Redis counts by its
/// own. Checks of one counter become one Redis key with the sum of their costs. All Redis keys of one key are in one
/// slot. In a key, '}' is written "%7D" and '%' is written "%25"; an empty key is "%". `out` owns its bytes; its old
/// content is replaced and its memory reused.
void script_arguments(std::span<const Check> checks, std::string_view prefix, Instant now,
                      std::vector<std::string>& out);

/// Parses the script's reply into one decision for each check. The reply is a flat array of RESP integers: 1 if the
/// call passed, otherwise 0; then for each key the words of its algorithm. `checks` are those of the call. Returns
/// false if the script cannot have sent this reply; then `decisions` and `all_allowed` are unchanged.
[[nodiscard]] bool read_script_reply(std::span<const std::int64_t> reply, std::span<const Check> checks,
                                     std::span<Decision> decisions, bool& all_allowed);

}  // namespace headgate::limit
