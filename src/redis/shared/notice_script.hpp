#pragma once
// lua/notice_mark.lua, embedded in the binary.

#include <string_view>

namespace headgate::redis {

std::string_view notice_mark_script() noexcept;
std::string_view notice_mark_script_sha() noexcept;  ///< in lower-case hex

}  // namespace headgate::redis
