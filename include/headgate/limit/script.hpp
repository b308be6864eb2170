#pragma once
// The Redis side of a decision, without I/O: the one script, what it is called with, and what its reply means.

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "headgate/limit/limit.hpp"

namespace headgate::limit {

/// All of lua/algorithms/*.lua and lua/decide.lua joined, as embedded in the binary.
std::string_view decide_script() noexcept;
/// SHA-1 of decide_script() in lower-case hex, what EVALSHA names it by.
std::string_view decide_script_sha() noexcept;

/// Appends KEYS then ARGV for one call that decides all of `asks`: the number of keys first, then the keys
/// `<prefix>v1:{<subject>}<suffix>`, then the arguments. Strings own their bytes; `out` is cleared first, its capacity reused.
void script_arguments(std::span<const Ask> asks, std::string_view prefix, std::vector<std::string>& out);

/// Reads the script's reply, a flat array of integers, into one verdict an ask. False where the reply has not the shape promised.
[[nodiscard]] bool read_script_reply(std::span<const std::int64_t> reply, std::span<const Ask> asks, std::span<Verdict> verdicts,
                                     bool& all_allowed);

}  // namespace headgate::limit
