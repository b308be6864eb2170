#pragma once
// Cuts JSON text with comments into tokens. nlohmann_json is not enough for the checker: it needs the place of every
// key and value, accepts trailing commas, reports duplicate keys, and writes messages that help the user.

#include "document.hpp"
#include "report.hpp"

#include <string>
#include <string_view>

namespace headgate::config {

enum class TokenKind {
  open_object,
  close_object,
  open_list,
  close_list,
  colon,
  comma,
  string,
  number,
  word,
  stray,
  end
};

struct Token {
  TokenKind kind = TokenKind::end;
  Span span;
  std::string text;  ///< for a string, its unescaped text; otherwise the text as written
};

/// Reads tokens, and reports mistakes inside of them. The parser reports mistakes between tokens.
class Lexer {
 public:
  /// Skips a byte order mark.
  Lexer(std::string_view text, Report& report)
      : text_(text), report_(report), at_(text.starts_with("\xEF\xBB\xBF") ? 3 : 0) {}

  Token next();
  /// Makes every further next() return `end`, because the rest cannot be parsed reliably.
  void give_up() noexcept { gave_up_ = true; }
  bool gave_up() const noexcept { return gave_up_; }

 private:
  void skip_blanks();
  void skip_block_comment();
  Token string(char quote);
  void escape(Token& token);
  Token number();
  Token word();
  Token stray();
  bool at(std::string_view what) const { return text_.substr(at_).starts_with(what); }

  std::string_view text_;
  Report& report_;
  std::size_t at_;
  bool gave_up_ = false;
};

}  // namespace headgate::config
