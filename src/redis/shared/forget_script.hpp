#pragma once
// lua/forget_limit.lua, embedded in the binary.

#include <string_view>

namespace headgate::redis {

std::string_view forget_limit_script() noexcept;
std::string_view forget_limit_script_sha() noexcept;  ///< in lower-case hex

}  // namespace headgate::redis
