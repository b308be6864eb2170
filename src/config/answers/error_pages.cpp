// Reads the user's pages for problems, by status.

#include "answers.hpp"
#include "config/formats/edits.hpp"
#include "config/formats/formats.hpp"
#include "config/table.hpp"
#include "config/table_shapes.hpp"
#include "config/text/codes.hpp"
#include "config/values.hpp"

#include "headgate/core/per_enum.hpp"
#include "headgate/core/text.hpp"
#include "headgate/core/whole_number.hpp"

#include <algorithm>

namespace headgate::config {
namespace {

using gateway::ErrorPage;
using gateway::ProblemForm;

constexpr WordsUpTo<gateway::ErrorPages::json> kErrorPages({"as_accepted", "json"});
constexpr Shape kForm = choice(kErrorPages);
constexpr Shape kFileList = list("a list of files", kFilePath, 1, 3);
constexpr const Shape* kFileForms[] = {&kFilePath, &kFileList};
constexpr Shape kFiles = either("a file's path or a list of them", kFileForms);
constexpr Shape kFilesByStatus = map("an object of files by status", kFiles, 1, check_problem_status);
constexpr Shape kHome = text("an address", check_home);
constexpr Key kPagesKeys[] = {
    {"files", &kFilesByStatus, "", R"({ "404": "pages/404.html", "5xx": ["pages/sorry.html", "pages/sorry.json"] })",
     "Pages by status, by class (`4xx`, `5xx`) or for `any`; the most specific applies. Each is a `.html`, `.txt` or "
     "`.json` file of at most 64KiB, or a list with one of each. Read at startup and reload, with the variables of "
     "`rejection.body`"},
    {"home", &kHome, kOfOptions, R"("https://www.example.com/")",
     "Path or URL that the pages link to as the way back; an empty text removes the link",
     into<&gateway::PathOptions::home>},
};
constexpr Section kPages{"error_pages", "error_pages",
                         "Pages for the gateway's own problems, or one of the words `as_accepted` and `json`.",
                         kPagesKeys};
constexpr Shape kPagesShape = section(kPages);
constexpr const Shape* kErrorPagesForms[] = {&kForm, &kPagesShape};

/// Returns the range of statuses that "404", "4xx" or "any" stands for.
std::optional<std::pair<unsigned, unsigned>> statuses_of(std::string_view text) {
  if (text == "any") return std::pair(400U, 599U);
  if (text == "4xx") return std::pair(400U, 499U);
  if (text == "5xx") return std::pair(500U, 599U);
  const auto status = whole_number<unsigned>(text, 400, 599);
  if (!status || text.size() != 3) return std::nullopt;
  return std::pair(*status, *status);
}

std::optional<ProblemForm> form_of_type(std::string_view type) {
  if (type.starts_with("text/html")) return ProblemForm::html;
  if (type.starts_with("text/plain")) return ProblemForm::text;
  if (type == "application/json") return ProblemForm::json;
  return std::nullopt;
}

void add_page(Build& build, const Node& file, std::pair<unsigned, unsigned> statuses, std::vector<ErrorPage>& out) {
  auto type = page_type_of(file.text);
  const auto form = form_of_type(type);
  if (!form)
    return build.report.error(code::kLiteral, file, "the type of this file cannot be told from its name",
                              "let it end in .html, .txt or .json");
  const bool twice = std::ranges::any_of(out, [&](const ErrorPage& each) {
    return each.first == statuses.first && each.last == statuses.second && each.form == *form;
  });
  if (twice)
    return build.report.error(code::kDuplicate, file, "another file of this list has the same type",
                              "name one of each type");
  auto text = read_page_file(build, file, std::move(type));
  if (text) out.push_back({.first = statuses.first, .last = statuses.second, .form = *form, .text = std::move(text)});
}

}  // namespace

constexpr Shape kErrorPagesShape = either("a word, or an object", kErrorPagesForms);

void build_answers(Build& build) {
  auto& out = build.config.gateway;
  build_body(build, find(&build.root, "rejection"), out.rejection.body);
  read_choice(&build.root, "error_pages", kErrorPages, out.error_pages);
  const Node* written = find(&build.root, "error_pages");
  if (written == nullptr || written->kind != Kind::object) return;
  fill(written, kPages, out);
  for (const Node* each : children(find(written, "files"), Kind::object))
    if (const auto statuses = statuses_of(each->key))
      for (const Node* file : texts(each)) add_page(build, *file, *statuses, out.pages);
  std::ranges::stable_sort(out.pages, {}, [](const ErrorPage& page) { return page.last - page.first; });
}

std::optional<LiteralError> check_problem_status(std::string_view text) {
  if (statuses_of(text)) return std::nullopt;
  return LiteralError{in_quotes(text) + " is not the status of an error",
                      R"(write a status from "400" to "599", "4xx", "5xx" or "any")"};
}

std::optional<LiteralError> check_home(std::string_view text) {
  if (text.empty()) return std::nullopt;
  return check_redirect_to(text);
}

}  // namespace headgate::config
