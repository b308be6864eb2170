#pragma once

#include <string_view>

namespace headgate::admin {

/// Returns the abbreviated commit that this program was built from; "unknown" without a repository.
std::string_view commit() noexcept;

}  // namespace headgate::admin
