// Texts of the user with variables, and how values are written into them.

#include "body_template.hpp"

#include "gateway/limits/limit_fields.hpp"
#include "page.hpp"

#include "headgate/core/json_text.hpp"
#include "headgate/core/text.hpp"

#include <algorithm>

namespace headgate::gateway {
namespace {

std::optional<BodyVariable> variable_called(std::string_view word) {
  const auto* const found = std::find(kBodyVariables.begin() + 1, kBodyVariables.end(), word);
  if (found == kBodyVariables.end()) return std::nullopt;
  return static_cast<BodyVariable>(found - kBodyVariables.begin());
}

/// Markup has no way to write control characters.
std::string printable(std::string_view text) {
  std::string out(text);
  std::ranges::replace_if(
      out, [](char c) { return static_cast<unsigned char>(c) < 0x20 && c != '\t' && c != '\n'; }, ' ');
  return out;
}

void append_value(std::string& out, std::string_view value, BodyEscape escape) {
  if (escape == BodyEscape::json)
    append_json_text(out, value);
  else
    out += escape == BodyEscape::markup ? escaped(printable(value)) : printable(value);
}

}  // namespace

std::vector<BodyTemplate::Part> read_body(std::string_view text) {
  std::vector<BodyTemplate::Part> out;
  std::string literal;
  while (!text.empty()) {
    const auto begins = std::min(text.find('{'), text.size());
    literal += text.substr(0, begins);
    text.remove_prefix(begins);
    if (text.empty()) break;
    const auto ends = text.find('}');
    const auto variable = ends == text.npos ? std::nullopt : variable_called(text.substr(1, ends - 1));
    if (!variable) {
      literal += '{';
      text.remove_prefix(1);
      continue;
    }
    if (!literal.empty()) out.push_back({BodyVariable::literal, std::exchange(literal, {})});
    out.push_back({*variable, {}});
    text.remove_prefix(ends + 1);
  }
  if (!literal.empty()) out.push_back({BodyVariable::literal, std::move(literal)});
  return out;
}

std::optional<BodyEscape> escape_of_type(std::string_view content_type) {
  const auto type = lower(std::string(trimmed(content_type.substr(0, content_type.find(';')))));
  if (type == "text/plain") return BodyEscape::none;
  if (type == "application/json" || type.ends_with("+json")) return BodyEscape::json;
  if (type == "text/html" || type == "text/xml" || type == "application/xml" || type.ends_with("+xml"))
    return BodyEscape::markup;
  return std::nullopt;
}

std::string filled(const BodyTemplate& page, const BodyValues& values) {
  std::string out;
  for (const auto& part : page.parts) {
    if (part.variable == BodyVariable::literal)
      out += part.text;
    else
      append_value(out, values.at(static_cast<std::size_t>(part.variable)), page.escape);
  }
  return out;
}

}  // namespace headgate::gateway
