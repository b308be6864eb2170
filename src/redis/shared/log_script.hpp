#pragma once
// lua/shared_log.lua, embedded in the binary.

#include <string_view>

namespace headgate::redis {

std::string_view shared_log_script() noexcept;
std::string_view shared_log_script_sha() noexcept;  ///< in lower-case hex

}  // namespace headgate::redis
