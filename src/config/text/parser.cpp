#include "codes.hpp"
#include "document.hpp"
#include "lexer.hpp"
#include "report.hpp"

#include "headgate/core/literals.hpp"
#include "headgate/core/utf8.hpp"

#include <array>
#include <string>
#include <unordered_map>
#include <utility>

namespace headgate::config {
namespace {

constexpr std::size_t kLongest = 64U << 20U;
constexpr int kDeepest = 64;
// Maximum number of reported errors; later ones are mostly consequences of the first ones.
constexpr std::size_t kMaxErrors = 20;

constexpr bool starts_value(TokenKind kind) {
  return kind == TokenKind::open_object || kind == TokenKind::open_list || kind == TokenKind::string ||
         kind == TokenKind::number || kind == TokenKind::word;
}

std::string shown(const Token& token) {
  if (token.kind == TokenKind::end) return "the end of the file";
  if (token.kind == TokenKind::string) return in_quotes(token.text);
  return token.kind == TokenKind::word || token.kind == TokenKind::number ? token.text.substr(0, 80)
                                                                          : '\'' + token.text + '\'';
}

// Returns help for a character that does not exist in JSON.
std::string help_for(const Token& stray) {
  for (const char* quote : {"\xE2\x80\x9C", "\xE2\x80\x9D", "\xE2\x80\x9E", "\xE2\x80\x98", "\xE2\x80\x99", "`"}) {
    if (stray.text == quote) return "write straight double quotes: \"";
  }
  if (stray.text == "#" || stray.text == "/" || stray.text == "*") return "a comment is written // like this";
  return stray.text == "=" || stray.text == ";" ? "write ':' after a key, ',' after a value" : "";
}

class Parser {
 public:
  Parser(std::string_view text, Report& report) : report_(report), lexer_(text, report) { advance(); }

  Parsed run() {
    if (token_.kind == TokenKind::word || token_.text == "-") {
      error(token_.span, "a configuration is JSON and begins with '{', and this looks like another format",
            R"(write names and texts in double quotes, and ',' between: { "listen": ":8080", "upstreams": { … } })");
      lexer_.give_up();
      return std::move(parsed_);
    }
    if (token_.kind == TokenKind::end && !lexer_.gave_up()) {
      error(
          token_.span, "there is no configuration here: expected '{'",
          R"(the shortest file is { "listen": ":8080", "routes": [{ "path": "/*", "respond": { "status": 200 } }] })");
      return std::move(parsed_);
    }
    parsed_.document.root = value(nullptr, 0);
    if (token_.kind != TokenKind::end) {
      error(token_.span, "nothing may follow the end of the configuration, but here is " + shown(token_));
      lexer_.give_up();
    }
    parsed_.complete = !lexer_.gave_up();
    return std::move(parsed_);
  }

 private:
  void advance() {
    before_ = token_.span;
    token_ = lexer_.next();
    if (report_.errors() >= kMaxErrors) lexer_.give_up();
  }

  void error(Span span, std::string message, std::string help = {}) {
    report_.error(code::kSyntax, span, "", std::move(message), std::move(help));
  }

  void give_up(std::string message, std::string help = {}) {
    if (help.empty() && token_.kind == TokenKind::stray) help = help_for(token_);
    if (!lexer_.gave_up()) error(token_.span, std::move(message), std::move(help));
    lexer_.give_up();
    token_ = lexer_.next();
  }

  void missing(const std::string& message, std::string_view note) {
    auto& diagnostic = report_.error(code::kSyntax, token_.span, "", message + " before " + shown(token_));
    const auto place = report_.position(before_.end);
    diagnostic.caret_note = note;
    diagnostic.caret_line = place.line;
    diagnostic.caret_column = place.column;
  }

  Node* make(const Node* parent) {
    Node& node = parsed_.document.nodes.emplace_back();
    node.parent = parent;
    node.span = token_.span;
    return &node;
  }

  Node* value(const Node* parent, int depth) {
    Node* node = make(parent);
    fill(*node, depth);
    return node;
  }

  void fill(Node& node, int depth) {
    node.span = token_.span;
    switch (token_.kind) {
      case TokenKind::open_object:
        return object(node, depth + 1);
      case TokenKind::open_list:
        return list(node, depth + 1);
      case TokenKind::string:
        node.kind = Kind::string;
        node.text = node.written = std::move(token_.text);
        return advance();
      case TokenKind::number:
        node.kind = token_.text.empty() ? Kind::broken : Kind::number;
        node.text = std::move(token_.text);
        return advance();
      case TokenKind::word:
        return word(node);
      default:
        return give_up("expected a value, found " + shown(token_));
    }
  }

  void word(Node& node) {
    if (token_.text == "true" || token_.text == "false") {
      node.kind = Kind::boolean;
      node.text = token_.text;
    } else if (token_.text == "null") {
      node.kind = Kind::null;
    } else {
      const auto near = nearest(token_.text, std::array<std::string, 3>{"true", "false", "null"});
      error(token_.span, shown(token_) + " is not a value",
            near.empty() ? "text needs double quotes: " + in_quotes(token_.text) : "write " + near);
    }
    advance();
  }

  bool too_deep(int depth) {
    if (depth <= kDeepest) return false;
    report_.error(code::kTooBig, token_.span, "", "values are nested more than 64 deep here");
    lexer_.give_up();
    token_ = lexer_.next();
    return true;
  }

  // Takes the end of a container if it is the next token. Returns whether the container has ended, perhaps with a
  // mistake.
  bool closes(Node& node, TokenKind own, TokenKind other, char open, char close) {
    if (token_.kind == TokenKind::end) {
      if (!lexer_.gave_up()) {
        error({node.span.begin, node.span.begin + 1}, std::string("this '") + open + "' is never closed",
              std::string("close it with ") + close);
      }
      lexer_.give_up();
      node.span.end = before_.end;
      return true;
    }
    if (token_.kind != own && token_.kind != other) return false;
    if (token_.kind == other) {
      error(token_.span, std::string("expected '") + close + "' to close the '" + open + "' at " +
                             report_.place(node.span.begin) + ", found " + shown(token_));
    }
    node.span.end = token_.span.end;
    advance();
    return true;
  }

  void object(Node& node, int depth) {
    if (too_deep(depth)) return;
    node.kind = Kind::object;
    advance();
    std::unordered_map<std::string_view, const Node*> seen;
    while (!closes(node, TokenKind::close_object, TokenKind::close_list, '{', '}')) {
      if (token_.kind == TokenKind::comma) {
        error(token_.span, "a key and its value are missing before this ','", "remove it");
        advance();
        continue;
      }
      if (!member(node, depth)) continue;
      const Node* added = node.children.back();
      const auto [first, fresh] = seen.emplace(added->key, added);
      if (!fresh) {
        report_.error(code::kDuplicateKey, added->key_span, pointer(*added),
                      "this key was already written at " + report_.place(first->second->key_span.begin),
                      "JSON would silently keep only the second one; merge them");
      }
      separator("expected ',' or '}'");
    }
  }

  bool member(Node& node, int depth) {
    if (token_.kind != TokenKind::string && token_.kind != TokenKind::word) {
      give_up("expected a key in double quotes, found " + shown(token_));
      return false;
    }
    if (token_.kind == TokenKind::word)
      error(token_.span, "a key needs double quotes", "write " + in_quotes(token_.text));
    Node* child = make(&node);
    child->index = node.children.size();
    child->key = std::move(token_.text);
    child->key_span = token_.span;
    node.children.push_back(child);
    advance();
    if (token_.kind == TokenKind::colon) {
      advance();
    } else if (token_.kind == TokenKind::stray && (token_.text == "=" || token_.text == ";")) {
      error(token_.span, "expected ':' after " + in_quotes(child->key) + ", found " + shown(token_), "write ':'");
      advance();
    } else if (starts_value(token_.kind)) {
      missing("expected ':'", "a colon is missing here");
    }
    if (starts_value(token_.kind)) {
      fill(*child, depth);
    } else if (token_.kind == TokenKind::comma || token_.kind == TokenKind::close_object ||
               token_.kind == TokenKind::close_list) {
      error(child->key_span, in_quotes(child->key) + " has no value",
            "write " + in_quotes(child->key) + ": and its value");
    } else {
      give_up("expected a value for " + in_quotes(child->key) + ", found " + shown(token_));
    }
    return true;
  }

  void list(Node& node, int depth) {
    if (too_deep(depth)) return;
    node.kind = Kind::list;
    advance();
    while (!closes(node, TokenKind::close_list, TokenKind::close_object, '[', ']')) {
      if (token_.kind == TokenKind::comma) {
        error(token_.span, "a value is missing before this ','", "remove it");
        advance();
        continue;
      }
      if (!starts_value(token_.kind)) {
        give_up("expected a value, found " + shown(token_));
        continue;
      }
      Node* child = value(&node, depth);
      child->index = node.children.size();
      node.children.push_back(child);
      separator("expected ',' or ']'");
    }
  }

  void separator(const char* expected) {
    if (token_.kind == TokenKind::comma) return advance();
    if (starts_value(token_.kind)) return missing(expected, "a comma is missing here");
    const bool ends =
        token_.kind == TokenKind::end || token_.kind == TokenKind::close_object || token_.kind == TokenKind::close_list;
    if (!ends) give_up(std::string(expected) + ", found " + shown(token_));
  }

  Report& report_;
  Lexer lexer_;
  Token token_;
  Span before_;
  Parsed parsed_;
};

// Reports content that is not UTF-8 text, once. Returns false if the rest should not be parsed.
bool is_text(std::string_view text, Report& report) {
  if (text.starts_with("\xFF\xFE") || text.starts_with("\xFE\xFF")) {
    report.error(code::kEncoding, {0, 2}, "", "this file is UTF-16", "save it as UTF-8");
    return false;
  }
  if (const auto zero = text.find('\0'); zero != std::string_view::npos) {
    report.error(code::kEncoding, {zero, zero + 1}, "", "there is a zero byte here: this is not a text file");
    return false;
  }
  for (std::size_t at = 0; at < text.size();) {
    const auto length = character_length(text, at);
    if (length == 0) {
      report.error(code::kEncoding, {at, at + 1}, "", "this byte is not valid UTF-8", "save the file as UTF-8");
      break;
    }
    at += length;
  }
  return true;
}

}  // namespace

Parsed parse(std::string_view text, Report& report) {
  if (text.size() > kLongest) {
    report.error(code::kTooBig, {0, 1}, "", "this file is longer than 64 MiB");
    return {};
  }
  if (!is_text(text, report)) return {};
  return Parser(text, report).run();
}

}  // namespace headgate::config
