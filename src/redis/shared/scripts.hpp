#pragma once
// The scripts other than those of limits and rooms. Each is lua/<name>.lua, embedded in the binary with its SHA-1 in
// lower-case hex.

#include <string_view>

namespace headgate::redis {

std::string_view shared_log_script() noexcept;
std::string_view shared_log_script_sha() noexcept;

std::string_view ledger_script() noexcept;
std::string_view ledger_script_sha() noexcept;

std::string_view notice_mark_script() noexcept;
std::string_view notice_mark_script_sha() noexcept;

std::string_view forget_limit_script() noexcept;
std::string_view forget_limit_script_sha() noexcept;

std::string_view limit_fingerprints_script() noexcept;
std::string_view limit_fingerprints_script_sha() noexcept;

}  // namespace headgate::redis
