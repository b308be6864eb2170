#include "json.hpp"

#include "headgate/core/json_text.hpp"
#include "headgate/core/literals.hpp"
#include "headgate/core/text.hpp"

#include <chrono>

namespace headgate::translate {

std::string json_text(std::string_view text) {
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text.substr(i).starts_with("${")) plain += '$';
    plain += text[i];
  }
  return json_with_variables(plain);
}

std::string json_with_variables(std::string_view text) {
  std::string out = "\"";
  append_json_text(out, text);
  for (const auto& [code, letter] :
       {std::pair("\\u000a", "\\n"), std::pair("\\u000d", "\\r"), std::pair("\\u0009", "\\t")})
    for (auto at = out.find(code); at != std::string::npos; at = out.find(code, at + 2))
      if (out[at - 1] != '\\') out.replace(at, std::string_view(code).size(), letter);
  return out += '"';
}

std::string list_of(const std::vector<std::string>& values) { return "[" + joined(values, ", ") + "]"; }

std::string texts_of(const std::vector<std::string>& texts) {
  std::vector<std::string> values;
  values.reserve(texts.size());
  for (const auto& text : texts) values.push_back(json_text(text));
  return list_of(values);
}

std::string text_or_list(const std::vector<std::string>& texts) {
  return texts.size() == 1 ? json_text(texts.front()) : texts_of(texts);
}

std::string object_of(const std::vector<std::pair<std::string, std::string>>& members) {
  if (members.empty()) return "{}";
  std::string out;
  for (const auto& [key, value] : members) out += (out.empty() ? "{ " : ", ") + json_text(key) + ": " + value;
  return out + " }";
}

std::string rate_of(std::uint64_t count, std::string_view unit) {
  return json_text(std::to_string(count) + '/' + std::string(unit));
}

std::string milliseconds(std::uint64_t count) {
  return json_text(headgate::to_text(Duration(std::chrono::milliseconds(count))));
}

std::string one_line(std::string_view text, std::size_t most) {
  std::string out;
  append_json_text(out, text.substr(0, most));
  if (text.size() > most) out += " …";
  // append_json_text() escapes quotes and backslashes, which need no escape outside of a string.
  std::string plain;
  for (std::size_t i = 0; i < out.size(); ++i) {
    if (out[i] == '\\' && i + 1 < out.size()) {
      const char next = out[i + 1];
      if (next == '"' || next == '\\') {
        plain += next;
        ++i;
        continue;
      }
      if (next == 'n' || next == 't' || next == 'r') {
        plain += ' ';
        ++i;
        continue;
      }
    }
    plain += out[i];
  }
  return plain;
}

}  // namespace headgate::translate
