#pragma once
// The Redis side of a decision, without I/O: the one script, its arguments, and its reply.

#include "headgate/limit/limit.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace headgate::limit {

/// lua/algorithms/*.lua and lua/decide.lua, joined and embedded in the binary.
std::string_view decide_script() noexcept;
/// SHA-1 of decide_script() in lower-case hex, for EVALSHA.
std::string_view decide_script_sha() noexcept;

/// Writes the arguments of EVALSHA or EVAL after the script's name, for one call that decides all of `checks`: the
/// number of keys, the keys `<prefix>v1:{<key>}<suffix>`, the script's arguments. `checks` are 1 to
/// kMaxRulesPerRequest; for any other number `out` is empty. `now` is this gateway's clock; Redis counts by its own.
/// Checks of one counter become one Redis key with the sum of their costs. All Redis keys of one key are in one slot.
/// In a key, '}' is written "%7D" and '%' is written "%25"; an empty key is "%". `out` owns its bytes; its old content
/// is replaced and its memory reused.
void script_arguments(std::span<const Check> checks, std::string_view prefix, Instant now,
                      std::vector<std::string>& out);

/// Reads the script's reply into one decision for each check. The reply is a flat array of RESP integers: 1 if the call
/// passed, else 0; then for each key its algorithm's words. `checks` are those of the call. Returns false if the script
/// cannot have sent this reply; then `decisions` and `all_allowed` are unchanged.
[[nodiscard]] bool read_script_reply(std::span<const std::int64_t> reply, std::span<const Check> checks,
                                     std::span<Decision> decisions, bool& all_allowed);

}  // namespace headgate::limit
