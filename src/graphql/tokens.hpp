#pragma once
// The tokens of a GraphQL document.

#include <cstdint>
#include <string_view>

namespace headgate::graphql {

enum class GraphqlTokenKind : std::uint8_t {
  end,
  bad,      ///< a character or string that is not allowed
  name,     ///< a name or a keyword
  value,    ///< a number or a string
  spread,   ///< "..."
  one_char  ///< a punctuator of one character
};

struct GraphqlToken {
  GraphqlTokenKind kind = GraphqlTokenKind::end;
  std::string_view text{};

  bool is(char punctuator) const noexcept { return kind == GraphqlTokenKind::one_char && text.front() == punctuator; }
  bool is(std::string_view name) const noexcept { return kind == GraphqlTokenKind::name && text == name; }
};

/// Reads the tokens in order. The document must outlive it.
class GraphqlTokens {
 public:
  explicit GraphqlTokens(std::string_view document) noexcept : rest_(document) { advance(); }
  /// Returns the next token without taking it.
  const GraphqlToken& next() const noexcept { return next_; }
  GraphqlToken take() noexcept {
    const auto out = next_;
    advance();
    return out;
  }
  /// Takes the next token if it is this punctuator; returns whether it was.
  bool take(char punctuator) noexcept {
    const bool found = next_.is(punctuator);
    if (found) advance();
    return found;
  }

 private:
  void advance() noexcept;
  bool skip_ignored() noexcept;
  GraphqlToken read_string() noexcept;
  GraphqlToken cut(GraphqlTokenKind kind, std::size_t length) noexcept;

  std::string_view rest_;
  GraphqlToken next_;
};

}  // namespace headgate::graphql
