#pragma once
// Helpers for endpoints that list requests: callers' texts as UTF-8, and the number of rows.

#include "headgate/admin/admin_endpoints.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace headgate::admin {

/// Returns the text as valid UTF-8, as in the logs: each byte that belongs to no character becomes a character from
/// U+0080 to U+00FF.
std::string caller_text(std::string_view bytes);

/// Reads the query parameter "limit", from 1 to `most`; returns `usual` if it is missing, and nothing if it is invalid.
std::optional<std::size_t> limit_asked(const AdminCall& call, std::size_t usual, std::size_t most);

}  // namespace headgate::admin
