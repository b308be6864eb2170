// What a route, or all routes, change in messages.

#include "config/build.hpp"
#include "config/formats/edits.hpp"
#include "config/formats/formats.hpp"
#include "config/table.hpp"
#include "config/text/codes.hpp"
#include "config/text/placeholders.hpp"
#include "config/values.hpp"

#include "headgate/core/text.hpp"

#include <algorithm>
#include <array>
#include <filesystem>

namespace headgate::config {
namespace {

using gateway::EditOptions;
using gateway::FieldEdit;
using gateway::HostHeader;

void append_values(const Node* written, FieldEdit::How how, std::vector<FieldEdit>& out) {
  for (const Node* each : children(written, Kind::object)) {
    if (each->kind != Kind::string) continue;
    auto value = parse_field_template(each->text);
    if (value.has_value()) out.push_back({.how = how, .name = each->key, .value = std::move(*value)});
  }
}

void report_twice(Build& build, const Node* written) {
  std::vector<const Node*> met;
  for (const Node* each : children(written, Kind::object)) {
    const bool twice = std::any_of(met.begin(), met.end(),
                                   [&](const Node* other) { return http::same_variable(other->key, each->key); });
    if (twice)
      build.report.error_at_key(code::kDuplicate, *each, in_quotes(each->key) + " stands here twice", "give it once");
    met.push_back(each);
  }
}

std::vector<FieldEdit> field_edits(Build& build, const Node* block) {
  std::vector<FieldEdit> out;
  for (const Node* each : texts(find(block, "remove")))
    out.push_back({.how = FieldEdit::How::remove, .name = each->text});
  for (const char* const key : {"set", "add"}) report_twice(build, find(block, key));
  append_values(find(block, "set"), FieldEdit::How::set, out);
  append_values(find(block, "add"), FieldEdit::How::add, out);
  return out;
}

/// What is not valid is reported already, and other messages about it would only confuse.
void read_valid(const Node* section, std::string_view key, TextCheck check, std::string& out) {
  const Node* node = text_at(section, key);
  if (node != nullptr && !check(node->text)) out = node->text;
}

std::optional<HostHeader> host_header(const Node& section) {
  const Node* node = text_at(&section, "host_header");
  if (node == nullptr || check_host_header(node->text)) return std::nullopt;
  if (node->text == "keep") return HostHeader{};
  if (node->text == "server") return HostHeader{HostHeader::Is::server, {}};
  return HostHeader{HostHeader::Is::fixed, lower(node->text)};
}

void read_redirect(Build& build, const Node& node, EditOptions& out) {
  const Node* to = text_at(&node, "to");
  if (to == nullptr || check_redirect_to(to->text)) return;
  auto& redirect = out.redirect.emplace();
  redirect.to = to->text;
  read_number(&node, "status", redirect.status);
  constexpr std::array<unsigned, 5> kStatuses{301, 302, 303, 307, 308};
  if (std::find(kStatuses.begin(), kStatuses.end(), redirect.status) != kStatuses.end()) return;
  build.report.error(code::kRange, *find(&node, "status"),
                     std::to_string(redirect.status) + " is not the status of a redirect",
                     "write 301 or 308 for one that stays, 302, 303 or 307 for one that does not");
}

std::string type_of(const std::string& file) {
  struct Type {
    std::string_view extension, type;
  };
  constexpr Type kTypes[] = {{".html", "text/html; charset=utf-8"},
                             {".htm", "text/html; charset=utf-8"},
                             {".txt", "text/plain; charset=utf-8"},
                             {".md", "text/markdown; charset=utf-8"},
                             {".css", "text/css; charset=utf-8"},
                             {".js", "text/javascript; charset=utf-8"},
                             {".xml", "application/xml"},
                             {".json", "application/json"},
                             {".svg", "image/svg+xml"},
                             {".png", "image/png"},
                             {".jpg", "image/jpeg"},
                             {".jpeg", "image/jpeg"},
                             {".gif", "image/gif"},
                             {".webp", "image/webp"},
                             {".ico", "image/x-icon"},
                             {".pdf", "application/pdf"}};
  const auto extension = lower(std::filesystem::path(file).extension().string());
  for (const auto& each : kTypes)
    if (each.extension == extension) return std::string(each.type);
  return "application/octet-stream";
}

}  // namespace

void build_edits(Build& build, const Node& section, std::shared_ptr<const EditOptions>& out) {
  auto made = std::make_shared<EditOptions>();
  const Node* request = find(&section, "request_headers");
  const Node* response = find(&section, "response_headers");
  made->request_fields = field_edits(build, request);
  made->response_fields = field_edits(build, response);
  read(response, "always", made->always);
  made->host = host_header(section);
  // What is so anyway makes no route one with edits.
  if (section.key == "all_routes" && made->host && made->host->is == HostHeader::Is::as_received) made->host.reset();
  if (find(&section, "rewrite_answers") != nullptr) read(&section, "rewrite_answers", made->answers.emplace());
  const Node* rewrite = find(&section, "rewrite");
  read_valid(rewrite, "strip_prefix", check_prefix, made->rewrite.strip_prefix);
  read_valid(rewrite, "add_prefix", check_prefix, made->rewrite.add_prefix);
  read_valid(rewrite, "path", check_path, made->rewrite.path);
  if (const Node* redirect = find(&section, "redirect")) read_redirect(build, *redirect, *made);
  const Node* headers = find(find(&section, "respond"), "headers");
  report_twice(build, headers);
  append_values(headers, FieldEdit::How::set, made->respond_fields);
  const bool any = !made->request_fields.empty() || !made->response_fields.empty() || made->host || made->answers ||
                   !made->rewrite.empty() || made->redirect || !made->respond_fields.empty();
  if (any) out = std::move(made);
}

void build_respond(Build& build, const Node& node, gateway::Respond& out) {
  read_number(&node, "status", out.status);
  read(&node, "body", out.body);
  const Node* body = find(&node, "body");
  if (const Node* file = text_at(&node, "body_file")) {
    if (body != nullptr)
      build.report.error_at_key(code::kConflict, *file, "\"body\" and \"body_file\" cannot be used together",
                                "keep one of them");
    auto read = read_file(file->text);
    if (!read.text) {
      build.report.error(code::kUnresolved, *file,
                         "the file " + in_quotes(file->written) + " cannot be read: " + read.why_not,
                         "relative paths begin at the directory of this file");
    } else {
      out.body = std::move(*read.text);
    }
    out.content_type = type_of(file->text);
    body = file;
  }
  read(&node, "content_type", out.content_type);
  if ((out.status == 204 || out.status == 304) && body != nullptr && !out.body.empty()) {
    build.report.error(code::kConflict, *body, "an answer with status " + std::to_string(out.status) + " has no body",
                       "remove " + in_quotes(body->key) + ", or write \"status\": 200");
  }
}

}  // namespace headgate::config
