#pragma once
// The header fields of a message, as views into the buffer that holds the head. Used by every module on the request
// path.

#include "headgate/core/text.hpp"

#include <boost/beast/http/field.hpp>

#include <string_view>
#include <vector>

namespace headgate::http {

using Known = boost::beast::http::field;  ///< a well-known field; Known::unknown for all others

/// Returns the id of the field called `name`, ignoring case; Known::unknown if Beast has none for it. Equivalent to
/// Beast's string_to_field() in a third of the instructions. Any thread.
Known known_field(std::string_view name) noexcept;

/// A field line. The views live as long as the buffer.
struct Field {
  Known id = Known::unknown;
  std::string_view name;   ///< name as written in the message
  std::string_view value;  ///< value without surrounding white space
};

class Fields : public std::vector<Field> {
 public:
  using std::vector<Field>::vector;

  /// Appends a field. Called ten to thirty times per request, so the rarely needed code that grows the vector is kept
  /// out of it.
  void push_back(const Field& field);
};

/// Returns the value of the first field with this id; "" if there is none.
std::string_view value_of(const Fields& fields, Known id) noexcept;
/// Returns the value of the first field called `name`, ignoring case; "" if there is none.
std::string_view value_of(const Fields& fields, std::string_view name) noexcept;
bool has(const Fields& fields, Known id) noexcept;

using headgate::same_word;  ///< compares field names (RFC 9110 section 5.1)

namespace detail {
/// Compares the characters for same_variable(). `a` and `b` must have the same length.
bool same_variable_letters(std::string_view a, std::string_view b) noexcept;
}  // namespace detail

/// Compares like same_word(), but treats all characters other than letters and digits as equal. Servers that turn
/// fields into variables (RFC 3875 section 4.1.18) cannot distinguish names that this function finds equal.
inline bool same_variable(std::string_view a, std::string_view b) noexcept {
  return a.size() == b.size() && detail::same_variable_letters(a, b);
}

/// Moves the first member of a comma-separated list (RFC 9110 section 5.6.1) into `member`, without white space around
/// it. Skips empty members. Returns false at the end of the list.
bool next_member(std::string_view& list, std::string_view& member) noexcept;

/// Returns whether a comma-separated list has the member `token`, ignoring case.
bool lists(std::string_view list, std::string_view token) noexcept;

/// Returns whether `text` is a token (RFC 9110 section 5.6.2), such as the name of a field, a cookie or a method.
bool is_token(std::string_view text) noexcept;

/// Returns the host of an authority, without the port and without a final dot (the dot of the root names the same
/// host).
std::string_view host_of(std::string_view authority) noexcept;

}  // namespace headgate::http
