#pragma once
// lua/ledger.lua, embedded in the binary.

#include <string_view>

namespace headgate::redis {

std::string_view ledger_script() noexcept;
std::string_view ledger_script_sha() noexcept;  ///< in lower-case hex

}  // namespace headgate::redis
