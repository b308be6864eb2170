#pragma once
// The fields of a head, as views into the buffer that holds the head.

#include "headgate/core/text.hpp"

#include <boost/beast/http/field.hpp>

#include <string_view>
#include <vector>

namespace headgate::http {

using Known = boost::beast::http::field;  ///< a well-known field; Known::unknown for all others

/// The id of the field called `name`, with case ignored; Known::unknown if Beast has none for it. The same as Beast's
/// string_to_field(), in a third of the instructions. Any thread.
Known known_field(std::string_view name) noexcept;

/// One field line. The views live as long as the buffer.
struct Field {
  Known id = Known::unknown;
  std::string_view name;   ///< as written
  std::string_view value;  ///< without surrounding white space
};

class Fields : public std::vector<Field> {
 public:
  using std::vector<Field>::vector;

  /// A request has it ten to thirty times. Making room, which it hardly ever has to, is kept out of it.
  void push_back(const Field& field);
};

/// The value of the first field with this id, "" if there is none.
std::string_view value_of(const Fields& fields, Known id) noexcept;
/// The value of the first field called `name` (case is ignored), "" if there is none.
std::string_view value_of(const Fields& fields, std::string_view name) noexcept;
bool has(const Fields& fields, Known id) noexcept;

using headgate::same_word;  ///< compares field names (RFC 9110 section 5.1)

namespace detail {
/// `a` and `b` have the same length.
bool same_variable_letters(std::string_view a, std::string_view b) noexcept;
}  // namespace detail

/// Like same_word(), but all characters beside letters and digits are equal. To servers that turn fields into variables
/// (RFC 3875 section 4.1.18) such names are the same.
inline bool same_variable(std::string_view a, std::string_view b) noexcept {
  return a.size() == b.size() && detail::same_variable_letters(a, b);
}

/// Moves the first member of a comma-separated list (RFC 9110 section 5.6.1) into `member`, without white space around
/// it. Skips empty members. False at the end of the list.
bool next_member(std::string_view& list, std::string_view& member) noexcept;

/// Whether a comma-separated list has the member `token`; case is ignored.
bool lists(std::string_view list, std::string_view token) noexcept;

/// Whether `text` is a token (RFC 9110 section 5.6.2), as names of fields, cookies and methods are.
bool is_token(std::string_view text) noexcept;

/// The host of an authority, without the port and without a final dot (the dot of the root names the same host).
std::string_view host_of(std::string_view authority) noexcept;

}  // namespace headgate::http
