// Reads the user's texts with variables, from the configuration or from files.

#include "answers.hpp"
#include "config/text/codes.hpp"
#include "config/text/document.hpp"
#include "config/text/placeholders.hpp"
#include "config/text/report.hpp"

#include "headgate/core/literals.hpp"
#include "headgate/core/text.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>

namespace headgate::config {
namespace {

using gateway::BodyEscape;
using gateway::BodyVariable;
using gateway::kBodyVariables;

std::string line_of(std::string_view text, std::size_t at) {
  return std::to_string(1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n'));
}

std::string all_variables() {
  return "{" + joined(std::vector<std::string_view>(kBodyVariables.begin() + 1, kBodyVariables.end()), "}, {") + "}";
}

bool is_word(std::string_view text) {
  return !text.empty() &&
         std::all_of(text.begin(), text.end(), [](char c) { return c == '_' || (c >= 'a' && c <= 'z'); });
}

/// Warns of words in braces that resemble a variable. Braces have other uses in scripts and styles, so other words are
/// ignored.
void warn_of_near_words(Build& build, const Node& written, std::string_view name, std::string_view text) {
  for (auto at = text.find('{'); at != text.npos; at = text.find('{', at + 1)) {
    const auto ends = text.find('}', at);
    if (ends == text.npos) return;
    const auto word = text.substr(at + 1, ends - at - 1);
    if (!is_word(word) || std::ranges::find(kBodyVariables, word) != kBodyVariables.end()) continue;
    const auto near = nearest(word, kBodyVariables);
    if (near.empty()) continue;
    build.report.warning(code::kNoEffect, written,
                         "line " + line_of(text, at) + " of " + std::string(name) + " has {" + std::string(word) +
                             "}, which is not a variable and is sent unchanged",
                         "did you mean {" + near + "}?  The variables are " + all_variables());
  }
}

/// Returns whether the page is JSON for all values of its variables. Values are escaped. A variable outside of quotes
/// must be a number.
bool is_json(const gateway::BodyTemplate& page) {
  std::string sample;
  for (const auto& part : page.parts) {
    const bool number = part.variable == BodyVariable::status || part.variable == BodyVariable::retry_after;
    sample += part.variable == BodyVariable::literal ? part.text : number ? "1" : "x";
  }
  return nlohmann::json::accept(sample);
}

}  // namespace

std::string page_type_of(std::string_view file) {
  const auto extension = lower(std::filesystem::path(file).extension().string());
  if (extension == ".html" || extension == ".htm") return "text/html; charset=utf-8";
  if (extension == ".txt") return "text/plain; charset=utf-8";
  if (extension == ".json") return "application/json";
  if (extension == ".xml") return "application/xml";
  return {};
}

gateway::BodyTemplatePtr read_page(Build& build, const Node& written, std::string_view name, std::string_view text,
                                   std::string content_type) {
  const auto escape = gateway::escape_of_type(content_type);
  if (!escape) return nullptr;  // the wrong type is reported where it is written
  auto page = std::make_shared<gateway::BodyTemplate>();
  page->escape = *escape;
  page->content_type = std::move(content_type);
  page->parts = gateway::read_body(text);
  warn_of_near_words(build, written, name, text);
  if (*escape == BodyEscape::json && !is_json(*page)) {
    build.report.error(code::kLiteral, written, std::string(name) + " is not JSON when its variables have values",
                       "quote texts, as in { \"message\": \"{detail}\", \"status\": {status} }");
    return nullptr;
  }
  return page;
}

gateway::BodyTemplatePtr read_page_file(Build& build, const Node& written, std::string content_type) {
  const auto read = read_text_file(written.text, kLargestPage);
  if (!read.text) {
    build.report.error(code::kUnresolved, written,
                       "the file " + in_quotes(written.written) + " cannot be read: " + read.why_not,
                       "relative paths begin at the directory of this file");
    return nullptr;
  }
  return read_page(build, written, in_quotes(written.written), *read.text, std::move(content_type));
}

}  // namespace headgate::config
