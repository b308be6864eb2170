#pragma once
// The ids of well-known fields by their names.

#include "headgate/http/fields.hpp"

#include <string_view>

namespace headgate::http {

/// The id of the field called `name`, with case ignored; Known::unknown if Beast has none for it. The same as Beast's
/// string_to_field(), in a third of the instructions. Any thread.
Known known_field(std::string_view name) noexcept;

}  // namespace headgate::http
