#pragma once
// lua/limit_fingerprints.lua, embedded in the binary.

#include <string_view>

namespace headgate::redis {

std::string_view limit_fingerprints_script() noexcept;
std::string_view limit_fingerprints_script_sha() noexcept;  ///< in lower-case hex

}  // namespace headgate::redis
