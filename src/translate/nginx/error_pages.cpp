// Translates error_page where the pages are files.

#include "matches.hpp"
#include "translate/draft/json.hpp"
#include "translate/nginx/work.hpp"

#include "headgate/core/whole_number.hpp"

#include <algorithm>
#include <filesystem>

namespace headgate::translate {
namespace {

constexpr std::uintmax_t kLongestPage = 64UL * 1024;

/// The target of an "error_page".
struct NginxPage {
  std::string file;
  std::string why_not;  ///< a sentence without its period; empty if the file exists
};

const Directive* inside(const Directive& block, std::string_view name) {
  const auto found = std::ranges::find_if(block.block, [&](const Directive& each) { return each.name == name; });
  return found == block.block.end() ? nullptr : &*found;
}

/// Finds the folder in which nginx looks for the page.
NginxPage folder_and_rest(const Directive& server, const NginxScope& scope, const std::string& uri) {
  const auto* const location = location_of(server, uri);
  NginxScope there = scope;
  if (location != nullptr) {
    there.enter(location->block);
    for (const auto* const name : {"proxy_pass", "return", "rewrite", "fastcgi_pass", "uwsgi_pass", "try_files"})
      if (inside(*location, name) != nullptr)
        return {.file = {}, .why_not = "headgate's pages are files, and this one is an answer of its location"};
    if (const auto* const alias = inside(*location, "alias"))
      return {.file = std::string(alias->word(0)) + uri.substr(std::min(uri_of(*location).size(), uri.size())),
              .why_not = {}};
  }
  const auto* const root = there.one("root");
  if (root == nullptr) return {.file = {}, .why_not = "no \"root\" says where its file is"};
  return {.file = std::string(root->word(0)) + uri, .why_not = {}};
}

NginxPage page_at(const Directive& server, const NginxScope& scope, const std::string& uri) {
  if (!uri.starts_with('/'))
    return {.file = {},
            .why_not = "headgate's pages are files: \"error_pages\"; redirects and named locations are none"};
  auto page = folder_and_rest(server, scope, uri);
  if (!page.why_not.empty()) return page;
  const std::filesystem::path path(page.file);
  const auto type = path.extension();
  std::error_code ec;
  const auto size = std::filesystem::file_size(path, ec);
  if (page.file.find('$') != std::string::npos || !path.is_absolute())
    page.why_not = "headgate's pages have fixed paths: name the file in \"error_pages\"";
  else if (type != ".html" && type != ".txt" && type != ".json")
    page.why_not = "headgate's pages end in .html, .txt or .json: name the file in \"error_pages\"";
  else if (ec)
    page.why_not = "this file is not on this machine: name it in \"error_pages\"";
  else if (size > kLongestPage)
    page.why_not = "a page of headgate has at most 64 KiB";
  return page;
}

bool is_status_of_error(std::string_view text) noexcept { return whole_number<unsigned>(text, 400, 599).has_value(); }

/// Returns whether limits in this scope reject with this status.
bool rejects_with(const NginxScope& scope, std::string_view status) {
  const auto is = [&](std::string_view limit, std::string_view directive) {
    if (scope.all(limit).empty()) return false;
    const auto* const set = scope.one(directive);
    return (set == nullptr ? std::string_view("503") : set->word(0)) == status;
  };
  return is("limit_req", "limit_req_status") || is("limit_conn", "limit_conn_status");
}

bool rejects_somewhere_with(const Directive& block, const NginxScope& scope, std::string_view status) {
  if (rejects_with(scope, status)) return true;
  return std::ranges::any_of(block.block, [&](const Directive& each) {
    if (each.name != "location") return false;
    NginxScope there = scope;
    there.enter(each.block);
    return rejects_somewhere_with(each, there, status);
  });
}

void note_page(NginxWork& work, const Directive& directive, const std::string& status, const std::string& file) {
  const auto [known, fresh] = work.pages.emplace(status, file);
  if (!fresh && known->second != file)
    work.draft.say(Matter::lost, directive.spot, directive.text(),
                   "headgate has one page of " + status + " for all hosts: " + known->second);
}

void take_page(NginxWork& work, const Directive& server, const NginxScope& scope, const Directive& directive) {
  auto words = directive.words;
  if (words.size() < 2) return;
  const auto uri = words.back();
  words.pop_back();
  if (words.back().starts_with('=')) {
    work.draft.say(Matter::differs, directive.spot, directive.text(), "headgate keeps the status of a problem");
    words.pop_back();
  }
  const auto page = page_at(server, scope, uri);
  if (!page.why_not.empty()) return work.draft.say(Matter::lost, directive.spot, directive.text(), page.why_not);
  for (const auto& status : words) {
    if (!is_status_of_error(status)) continue;
    note_page(work, directive, status, page.file);
    // headgate's limits reject with 429, whatever status nginx's limits have
    const bool named = std::ranges::find(words, "429") != words.end();
    if (status != "429" && !named && rejects_somewhere_with(server, scope, status))
      note_page(work, directive, "429", page.file);
  }
  if (work.said.insert("error_page").second)
    work.draft.say(Matter::differs, directive.spot, directive.text(),
                   "headgate shows pages to who asks for HTML or text, and answers others with JSON; they are for all "
                   "hosts and paths");
}

}  // namespace

void take_error_pages(NginxWork& work, const Directive& server, const NginxScope& scope) {
  for (const auto* each : scope.all("error_page")) take_page(work, server, scope, *each);
  for (const auto& location : server.block) {
    if (location.name != "location") continue;
    for (const auto& each : location.block)
      if (each.name == "error_page")
        work.draft.say(Matter::lost, each.spot, each.text(),
                       "headgate's pages are for all paths: \"error_pages\"; a route has \"rejection\" of its own");
  }
}

void write_error_pages(NginxWork& work) {
  std::vector<std::pair<std::string, std::string>> members;
  for (const auto& [status, file] : work.pages) members.emplace_back(status, json_text(file));
  if (!members.empty()) work.draft.error_pages.set("files", object_of(members));
}

}  // namespace headgate::translate
