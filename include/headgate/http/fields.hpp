#pragma once
// The fields of a head, as views into the buffer they were read into.

#include "headgate/core/text.hpp"

#include <boost/beast/http/field.hpp>

#include <string_view>
#include <vector>

namespace headgate::http {

using Known = boost::beast::http::field;  ///< a well-known field's identity, Known::unknown for the rest

/// One field line. Views live as long as the buffer behind them.
struct Field {
  Known id = Known::unknown;
  std::string_view name;   ///< as written
  std::string_view value;  ///< without surrounding white space
};

using Fields = std::vector<Field>;

/// Value of the first field with this identity, "" where there is none.
std::string_view value_of(const Fields& fields, Known id) noexcept;
/// Value of the first field called `name` (compared without case), "" where there is none.
std::string_view value_of(const Fields& fields, std::string_view name) noexcept;
bool has(const Fields& fields, Known id) noexcept;

using headgate::same_word;  ///< how names of fields are compared (RFC 9110 section 5.1)

namespace detail {
/// Of texts of one length.
bool same_variable_letters(std::string_view a, std::string_view b) noexcept;
}  // namespace detail

/// As same_word, and '-' and '_' are the same too: to servers that hand fields on as variables (RFC 3875
/// section 4.1.18) both names are one.
inline bool same_variable(std::string_view a, std::string_view b) noexcept {
  return a.size() == b.size() && detail::same_variable_letters(a, b);
}

/// Cuts the first member off a comma list (RFC 9110 section 5.6.1), trimmed; empty members are passed over. False at
/// the end.
bool next_member(std::string_view& list, std::string_view& member) noexcept;

/// Whether a comma list names `token`, compared without case.
bool lists(std::string_view list, std::string_view token) noexcept;

/// Whether `text` is a token (RFC 9110 section 5.6.2), as names of fields, cookies and methods are.
bool is_token(std::string_view text) noexcept;

/// The host of an authority: without port, and without the root's dot, which names the same host.
std::string_view host_of(std::string_view authority) noexcept;

}  // namespace headgate::http
