#pragma once
// Finds a value by name: a field, a cookie or a query parameter. Used by gateway and admin.

#include "headgate/http/fields.hpp"

#include <string>
#include <string_view>

namespace headgate::http {

/// The value of a name. A name that occurs twice is not trusted, because two readers could take different values.
struct NamedValue {
  std::string_view value;  ///< value as it was sent, a view into the head; empty if the name does not occur
  bool twice = false;
};

/// Returns the value of the field `name`, ignoring case. A name that occurs once counts as occurring twice if another
/// field name differs only in characters that servers may take for the same (same_variable()): the server may read that
/// field instead. A field that is present only under such a name is not found.
NamedValue field_of(const Fields& fields, std::string_view name) noexcept;

/// Returns the value of the cookie `name` from all Cookie fields, without quotes around it. Names are case-sensitive
/// (RFC 6265 section 5). Equal values count once, because browsers send one cookie per path. The name counts as
/// occurring twice if its values differ, or if some servers would read another value. Many servers also end a cookie at
/// a blank or a comma, so that "x=1 sid=a" has a `sid`. Many servers decode escapes in a value with characters that
/// cookies must not have (section 4.1.1).
NamedValue cookie_of(const Fields& fields, std::string_view name) noexcept;

/// Returns the value of the parameter `name` in `query` (with or without '?'). Names are compared percent-decoded, so
/// that every spelling is found. The value is not decoded.
NamedValue query_parameter(std::string_view query, std::string_view name);

/// Writes `value` into `out`, percent-decoded, with '+' as a space. Returns false if a '%' is not followed by two
/// hexadecimal digits.
bool decode_parameter(std::string_view value, std::string& out);

/// Returns the value of a Cookie field without the cookie `name`; "" if no other cookie is left.
std::string without_cookie(std::string_view cookies, std::string_view name);

/// Returns `query` (with '?') without the parameter `name`; "" if no other parameter is left.
std::string without_parameter(std::string_view query, std::string_view name);

}  // namespace headgate::http
