#pragma once
// What pages that list requests share: texts of callers, and how many rows are asked for.

#include "headgate/admin/admin_endpoints.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace headgate::admin {

/// The same text in UTF-8, as the logs have it: a byte that belongs to no character becomes U+0080 to U+00FF.
std::string caller_text(std::string_view bytes);

/// The parameter "limit" of a query, from 1 to `most`; `usual` if it is not there. Nothing if it is no such number.
std::optional<std::size_t> limit_asked(const AdminCall& call, std::size_t usual, std::size_t most);

}  // namespace headgate::admin
