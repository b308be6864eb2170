#pragma once
// Finds a value by its name: a field, a cookie, or a parameter of the query.

#include "headgate/http/fields.hpp"

#include <string>
#include <string_view>

namespace headgate::http {

/// The value of a name. A name that occurs twice is not trusted: two readers could each take another value.
struct NamedValue {
  std::string_view value;  ///< as sent, a view into the head; empty if the name does not occur
  bool twice = false;
};

/// The field `name`; case is ignored. It is also twice if its other line has another spelling (same_variable()),
/// because the server may read that one. A field in another spelling alone is another field: its value is not found.
NamedValue field_of(const Fields& fields, std::string_view name) noexcept;

/// The cookie `name` in all Cookie fields, without quotes around its value. Names are compared with case (RFC 6265
/// section 5). Browsers send one name for each path, so equal values count once. It is twice if its values differ, or
/// if some server reads another one: many also end a cookie at a blank or a comma, so that "x=1 sid=a" has a `sid`, and
/// know escapes in a value that has what no cookie may have (section 4.1.1).
NamedValue cookie_of(const Fields& fields, std::string_view name) noexcept;

/// The parameter `name` of `query` (with or without its '?'). Names are compared percent-decoded, so that every
/// spelling is found. The value is not decoded.
NamedValue query_parameter(std::string_view query, std::string_view name);

/// Writes `value` into `out`, percent-decoded, '+' as a space. False if two hexadecimal digits do not follow a '%'.
bool decode_parameter(std::string_view value, std::string& out);

/// A Cookie field's value without the cookie `name`; "" if no other cookie is left.
std::string without_cookie(std::string_view cookies, std::string_view name);

/// `query` (with its '?') without the parameter `name`; "" if no other parameter is left.
std::string without_parameter(std::string_view query, std::string_view name);

}  // namespace headgate::http
