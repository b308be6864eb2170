#include "lexer.hpp"

#include "codes.hpp"

#include "headgate/core/json_spelling.hpp"
#include "headgate/core/utf8.hpp"

#include <algorithm>
#include <string>

namespace headgate::config {
namespace {

bool digit(char c) { return c >= '0' && c <= '9'; }
bool letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$'; }

TokenKind mark(char c) {
  switch (c) {
    case '{':
      return TokenKind::open_object;
    case '}':
      return TokenKind::close_object;
    case '[':
      return TokenKind::open_list;
    case ']':
      return TokenKind::close_list;
    case ':':
      return TokenKind::colon;
    case ',':
      return TokenKind::comma;
    default:
      return TokenKind::stray;
  }
}

}  // namespace

Token Lexer::next() {
  skip_blanks();
  if (gave_up_ || at_ >= text_.size()) return {TokenKind::end, {at_, at_}, {}};
  const char c = text_[at_];
  if (const auto kind = mark(c); kind != TokenKind::stray) {
    ++at_;
    return {kind, {at_ - 1, at_}, std::string(1, c)};
  }
  if (c == '"' || c == '\'') return string(c);
  if (digit(c) || c == '-' || c == '+' || (c == '.' && at_ + 1 < text_.size() && digit(text_[at_ + 1])))
    return number();
  if (letter(c)) return word();
  return stray();
}

void Lexer::skip_blanks() {
  while (!gave_up_ && at_ < text_.size()) {
    if (const char c = text_[at_]; c == ' ' || c == '\t' || c == '\n' || c == '\r') {
      ++at_;
    } else if (at("//")) {
      at_ = std::min(text_.find('\n', at_), text_.size());
    } else if (at("/*")) {
      skip_block_comment();
    } else {
      return;
    }
  }
}

void Lexer::skip_block_comment() {
  const auto end = text_.find("*/", at_ + 2);
  if (end == std::string_view::npos) {
    report_.error(code::kSyntax, {at_, at_ + 2}, "", "this comment is never closed", "close it with */");
    return give_up();
  }
  at_ = end + 2;
}

Token Lexer::string(char quote) {
  Token token{TokenKind::string, {at_++, 0}, {}};
  while (at_ < text_.size() && text_[at_] != quote && text_[at_] != '\n') {
    const auto byte = static_cast<unsigned char>(text_[at_]);
    if (byte == '\\') {
      escape(token);
      continue;
    }
    if (byte < 0x20 && byte != '\r') {
      report_.error(code::kSyntax, {at_, at_ + 1}, "", "this string has a control character",
                    byte == '\t' ? "write \\t for a tab" : "write it as \\u00..");
    }
    token.text += text_[at_++];
  }
  if (at_ >= text_.size() || text_[at_] == '\n') {
    token.span.end = at_;
    report_.error(code::kSyntax, {token.span.begin, at_}, "", "this string is not closed before the end of the line",
                  "close it with \"; a line end inside a string is written \\n");
    give_up();
    return token;
  }
  token.span.end = ++at_;
  if (quote == '\'') {
    report_.error(code::kSyntax, token.span, "", "a string needs double quotes", "write " + in_quotes(token.text));
  }
  return token;
}

void Lexer::escape(Token& token) {
  const auto begin = at_;
  if (begin + 1 >= text_.size() || text_[begin + 1] == '\n') {
    ++at_;  // the caller reports that the string is not closed
    return;
  }
  auto rest = text_.substr(begin);
  const auto escape = take_json_escape(rest, token.text);
  at_ = text_.size() - rest.size();
  if (escape == JsonEscape::unknown) {
    const auto end = at_ + std::max<std::size_t>(character_length(text_, at_), 1);
    report_.error(code::kSyntax, {begin, end}, "",
                  "JSON has no such escape: " + std::string(text_.substr(begin, end - begin)),
                  "write \\\\ for a backslash");
  }
  const bool zero = escape == JsonEscape::taken && token.text.back() == '\0';
  if (zero) token.text.pop_back();
  if (!zero && escape != JsonEscape::no_character) return;
  report_.error(code::kSyntax, {begin, at_}, "",
                zero ? "a string here cannot hold \\u0000" : "\\u needs four hexadecimal digits of a character",
                "write the character itself: this file is UTF-8");
}

Token Lexer::number() {
  const auto begin = at_;
  while (at_ < text_.size() &&
         (digit(text_[at_]) || letter(text_[at_]) || text_[at_] == '+' || text_[at_] == '-' || text_[at_] == '.')) {
    ++at_;
  }
  Token token{TokenKind::number, {begin, at_}, std::string(text_.substr(begin, at_ - begin))};
  if (is_json_number(token.text)) return token;
  const bool unit = digit(token.text.front()) && letter(token.text.back());
  report_.error(
      code::kSyntax, token.span, "", token.text.substr(0, 80) + " is not a JSON number",
      unit ? "with a unit it is text: write " + in_quotes(token.text) : "write digits, without a leading 0, + or .");
  token.text.clear();
  return token;
}

Token Lexer::word() {
  const auto begin = at_;
  while (at_ < text_.size() && (letter(text_[at_]) || digit(text_[at_]) || text_[at_] == '-')) ++at_;
  return {TokenKind::word, {begin, at_}, std::string(text_.substr(begin, at_ - begin))};
}

Token Lexer::stray() {
  const auto begin = at_;
  at_ += std::max<std::size_t>(character_length(text_, at_), 1);
  return {TokenKind::stray, {begin, at_}, std::string(text_.substr(begin, at_ - begin))};
}

}  // namespace headgate::config
