#pragma once
// Builds JSON Schema from the notation that TypeScript uses for types, which is a quarter as long.

#include <nlohmann/json_fwd.hpp>

#include <string_view>

namespace headgate::admin {

/// The schema of a type:
///   - `{name: string, limit?: integer, other}` is an object; a member with '?' may be missing, and one without a type
///     may be anything. `{[name]: T}` is an object with members of any name;
///   - `T[]` is a list, `(T | U)[]` too;
///   - `"up" | "down"` is one of these texts, `A | B` is a value of either type, and `A & B` has the members of both;
///   - `string`, `integer`, `number`, `boolean`, `object`, `array`, `date` and `date-time` are what they say. Another
///     word is the name of a schema;
///   - `{"type": ...}` is JSON Schema as it is.
/// Throws std::invalid_argument if `notation` is something else, which is a bug.
nlohmann::ordered_json schema_of(std::string_view notation);

}  // namespace headgate::admin
