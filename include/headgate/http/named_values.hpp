#pragma once
// Values by name within one part of a head: a cookie among cookies, a parameter of a query.

#include "headgate/http/fields.hpp"

#include <string>
#include <string_view>

namespace headgate::http {

/// What was found under a name. Found twice it is nobody's word: two readers could each believe another one.
struct NamedValue {
  std::string_view value;  ///< empty where there is none; as sent, a view into the head
  bool twice = false;
};

/// The cookie `name` (compared with case, as RFC 6265 section 5 has it) of all Cookie fields, without the quotes that
/// may surround its value.
NamedValue cookie_of(const Fields& fields, std::string_view name) noexcept;

/// The parameter `name` of `query` (with or without its '?'), compared after percent-decoding, so that no spelling of
/// it is passed over. The value is not decoded.
NamedValue query_parameter(std::string_view query, std::string_view name);

/// `value` percent-decoded, '+' as a space; false where a '%' is not followed by two hexadecimal digits.
bool decode_parameter(std::string_view value, std::string& out);

/// One Cookie field's value without the cookie `name`; "" where no other is left.
std::string without_cookie(std::string_view cookies, std::string_view name);

/// `query` (with its '?') without the parameter `name`; "" where no other is left.
std::string without_parameter(std::string_view query, std::string_view name);

}  // namespace headgate::http
