#include "tokens.hpp"

#include <algorithm>

namespace headgate::graphql {
namespace {

constexpr std::string_view kBlock = R"(""")";

bool is_name_start(char c) noexcept { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_digit(char c) noexcept { return c >= '0' && c <= '9'; }
bool is_name_part(char c) noexcept { return is_name_start(c) || is_digit(c); }
bool is_number_part(char c) noexcept { return is_name_part(c) || c == '.' || c == '+' || c == '-'; }

std::size_t length_of(std::string_view text, bool (*is_part)(char c)) noexcept {
  return static_cast<std::size_t>(std::find_if_not(text.begin(), text.end(), is_part) - text.begin());
}

}  // namespace

// White space, line ends, commas, comments and a byte order mark have no meaning (section 2.1). Returns false for a
// comment that servers end in different places.
bool GraphqlTokens::skip_ignored() noexcept {
  constexpr std::string_view kMark = "\xEF\xBB\xBF";
  while (!rest_.empty()) {
    if (rest_.starts_with(kMark)) {
      rest_.remove_prefix(kMark.size());
    } else if (rest_.front() == '#') {
      const auto comment = rest_.substr(0, rest_.find_first_of("\r\n"));
      // graphql-java ends a comment at these as well, and would run what other servers ignore.
      if (comment.find("\u2028") != comment.npos || comment.find("\u2029") != comment.npos) return false;
      rest_.remove_prefix(comment.size());
    } else {
      const auto blanks = rest_.find_first_not_of(" \t\r\n,");
      if (blanks == 0) return true;
      rest_.remove_prefix(std::min(blanks, rest_.size()));
    }
  }
  return true;
}

GraphqlToken GraphqlTokens::cut(GraphqlTokenKind kind, std::size_t length) noexcept {
  const GraphqlToken out{kind, rest_.substr(0, length)};
  rest_.remove_prefix(out.text.size());
  return out;
}

GraphqlToken GraphqlTokens::read_string() noexcept {
  if (rest_.starts_with(kBlock)) {
    auto end = rest_.find(kBlock, kBlock.size());
    while (end != rest_.npos && rest_[end - 1] == '\\') end = rest_.find(kBlock, end + kBlock.size());
    return end == rest_.npos ? cut(GraphqlTokenKind::bad, rest_.npos)
                             : cut(GraphqlTokenKind::value, end + kBlock.size());
  }
  for (std::size_t at = 1; at < rest_.size() && rest_[at] != '\n' && rest_[at] != '\r'; ++at) {
    if (rest_[at] == '"') return cut(GraphqlTokenKind::value, at + 1);
    if (rest_[at] == '\\') ++at;
  }
  return cut(GraphqlTokenKind::bad, rest_.npos);
}

void GraphqlTokens::advance() noexcept {
  if (!skip_ignored()) {
    next_ = {GraphqlTokenKind::bad, {}};
    rest_ = {};
    return;
  }
  if (rest_.empty()) {
    next_ = {};
    return;
  }
  const char first = rest_.front();
  if (is_name_start(first)) {
    next_ = cut(GraphqlTokenKind::name, length_of(rest_, is_name_part));
  } else if (is_digit(first) || first == '-') {
    next_ = cut(GraphqlTokenKind::value, length_of(rest_, is_number_part));
  } else if (first == '"') {
    next_ = read_string();
  } else if (rest_.starts_with("...")) {
    next_ = cut(GraphqlTokenKind::spread, 3);
  } else {
    const bool known = std::string_view("!$&()[]{}:=@|").find(first) != std::string_view::npos;
    next_ = cut(known ? GraphqlTokenKind::one_char : GraphqlTokenKind::bad, 1);
  }
}

}  // namespace headgate::graphql
