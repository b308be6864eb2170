#include "document.hpp"

#include "tokens.hpp"

#include <algorithm>

namespace headgate::graphql {
namespace {

constexpr std::int64_t kDeepest = 250;  // servers refuse documents long before that

/// Reads the definitions of one document. All functions return false if it is malformed.
class DocumentReader {
 public:
  explicit DocumentReader(std::string_view document) noexcept : tokens_(document) {}

  bool read(std::vector<Definition>& out) {
    while (tokens_.next().kind != GraphqlTokenKind::end) {
      // A later edition of the specification allows a description in front of a definition.
      if (tokens_.next().kind == GraphqlTokenKind::value && tokens_.take().text.front() != '"') return false;
      if (!definition(out.emplace_back())) return false;
    }
    return !out.empty();
  }

 private:
  bool name(std::string_view& out) noexcept {
    if (tokens_.next().kind != GraphqlTokenKind::name) return false;
    out = tokens_.take().text;
    return true;
  }

  bool definition(Definition& out) {
    if (tokens_.next().is('{')) return selections(out, 1);
    std::string_view kind;
    if (!name(kind)) return false;
    out.is_fragment = kind == "fragment";
    if (!out.is_fragment && kind != "query" && kind != "mutation" && kind != "subscription") return false;
    if (tokens_.next().kind == GraphqlTokenKind::name && !name(out.name)) return false;
    if (!arguments()) return false;  // or the definitions of variables
    if (out.is_fragment && (out.name.empty() || !type_condition())) return false;
    return directives() && selections(out, 1);
  }

  bool type_condition() noexcept {
    std::string_view ignored;
    if (!tokens_.next().is("on")) return false;
    tokens_.take();
    return name(ignored);
  }

  /// Skips what stands in parentheses, if anything does.
  bool arguments() noexcept {
    if (!tokens_.next().is('(')) return true;
    for (std::size_t open = 0;;) {
      const auto token = tokens_.take();
      if (token.kind == GraphqlTokenKind::end || token.kind == GraphqlTokenKind::bad) return false;
      if (token.is('(') || token.is('[') || token.is('{')) ++open;
      if ((token.is(')') || token.is(']') || token.is('}')) && --open == 0) return token.is(')');
    }
  }

  bool directives() noexcept {
    std::string_view ignored;
    while (tokens_.take('@'))
      if (!name(ignored) || !arguments()) return false;
    return true;
  }

  bool selections(Definition& out, std::int64_t depth) {
    if (depth > kDeepest || !tokens_.take('{') || tokens_.next().is('}')) return false;
    out.own.depth = std::max(out.own.depth, depth);
    while (!tokens_.take('}'))
      if (tokens_.next().kind == GraphqlTokenKind::spread ? !spread(out, depth) : !field(out, depth)) return false;
    return true;
  }

  bool field(Definition& out, std::int64_t depth) {
    std::string_view ignored;
    if (!name(ignored)) return false;
    ++out.own.fields;
    if (tokens_.take(':')) {
      if (!name(ignored)) return false;
      ++out.own.aliases;
    }
    if (!arguments() || !directives()) return false;
    return !tokens_.next().is('{') || selections(out, depth + 1);
  }

  /// A named fragment, or an inline one, whose selections are at the same depth.
  bool spread(Definition& out, std::int64_t depth) {
    tokens_.take();
    std::string_view fragment;
    if (tokens_.next().is("on")) {
      if (!type_condition()) return false;
    } else if (tokens_.next().kind == GraphqlTokenKind::name) {
      if (!name(fragment) || !arguments() || !directives()) return false;
      out.spreads.push_back({fragment, depth});
      return true;
    }
    return directives() && inline_selections(out, depth);
  }

  // An inline fragment adds no depth, but the nesting of the document must stay bounded.
  bool inline_selections(Definition& out, std::int64_t depth) {
    if (inline_ == kDeepest) return false;
    ++inline_;
    const bool good = selections(out, depth);
    --inline_;
    return good;
  }

  GraphqlTokens tokens_;
  std::int64_t inline_ = 0;
};

}  // namespace

std::optional<std::vector<Definition>> read_document(std::string_view document) {
  std::vector<Definition> out;
  if (!DocumentReader(document).read(out)) return std::nullopt;
  return out;
}

}  // namespace headgate::graphql
