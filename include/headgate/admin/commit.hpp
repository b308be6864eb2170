#pragma once

#include <string_view>

namespace headgate::admin {

/// The commit that this program was built from, shortened; "unknown" without a repository.
std::string_view commit() noexcept;

}  // namespace headgate::admin
