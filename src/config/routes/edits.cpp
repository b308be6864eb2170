// Changes to messages by a route, or by all routes.

#include "config/formats/edits.hpp"

#include "config/build.hpp"
#include "config/formats/formats.hpp"
#include "config/table.hpp"
#include "config/table_shapes.hpp"
#include "config/text/codes.hpp"
#include "config/text/placeholders.hpp"
#include "config/values.hpp"

#include "headgate/core/hex.hpp"
#include "headgate/core/text.hpp"
#include "headgate/http/date.hpp"
#include "headgate/identity/sha256.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <filesystem>

namespace headgate::config {
namespace {

// for fields

constexpr Shape kFieldTemplate = text("a field value", check_field_template);
constexpr Shape kRequestSet = map("an object of values by field", kFieldTemplate, 0, check_request_field);
constexpr Shape kResponseSet = map("an object of values by field", kFieldTemplate, 0, check_response_field);
constexpr Shape kRequestName = text("a field name", check_request_field);
constexpr Shape kResponseName = text("a field name", check_response_field);
constexpr Shape kRequestNames = list("a list of field names", kRequestName, 0, 64);
constexpr Shape kResponseNames = list("a list of field names", kResponseName, 0, 64);

constexpr std::string_view kVariablesDoc =
    "Fields to set, in place of present ones. Values may contain `${client_ip}`, `${request_id}`, `${route}`, "
    "`${host}`, `${jwt.<claim>}`, `${auth.<field>}`, `${api_key.owner}`, `${api_key.tier}`, `${api_key.tags}` and "
    "`${path.<parameter>}`; a field is not sent if one of them is missing";
constexpr Key kRequestFieldsKeys[] = {
    {"remove", &kRequestNames, "[]", R"(["Cookie"])", "Fields to remove from requests"},
    {"set", &kRequestSet, "{}", R"({ "X-User": "${jwt.sub}" })", kVariablesDoc},
    {"add", &kRequestSet, "{}", R"({ "X-Tag": "edge" })", "Fields to add to those present, with the same variables"},
};
constexpr Section kRequestFields{"request_headers", "request_headers",
                                 "Changes of request fields for the server: first `remove`, then `set`, then `add`.",
                                 kRequestFieldsKeys};
constexpr Key kResponseFieldsKeys[] = {
    {"remove", &kResponseNames, "[]", R"(["X-Powered-By"])", "Fields to remove from answers"},
    {"set", &kResponseSet, "{}", R"({ "X-Frame-Options": "DENY" })", kVariablesDoc},
    {"add", &kResponseSet, "{}", R"({ "Server-Timing": "edge" })",
     "Fields to add to those present, with the same variables"},
    {"always", &kBoolean, kOfOptions, "true",
     "Whether `set` and `add` also apply to the gateway's own answers, such as 429 and 502, unless these have the "
     "field",
     into<&gateway::EditOptions::always>},
};
constexpr Section kResponseFields{"response_headers", "response_headers",
                                  "Changes of answer fields for the client: first `remove`, then `set`, then `add`.",
                                  kResponseFieldsKeys};

// for the path

constexpr Shape kPrefix = text("a path", check_prefix);
constexpr Shape kPathTemplate = text("a path", check_path);
constexpr Key kRewriteKeys[] = {
    {"strip_prefix", &kPrefix, "", R"("/api")",
     "Beginning of the path to remove; the server gets it as `X-Forwarded-Prefix`"},
    {"add_prefix", &kPrefix, "", R"("/v2")", "Text to put before the path, after `strip_prefix`"},
    {"path", &kPathTemplate, "", R"("/users/{id}/*")",
     "Whole path, in place of the two above, with parameters of the route's path; `/*` stands for the rest that its "
     "own `/*` matched"},
};
constexpr Section kRewrite{"rewrite", "routes[].rewrite",
                           "Path that the server sees. Limits, logs and metrics use the client's path.", kRewriteKeys};

// for redirect and respond

constexpr Shape kRedirectTo = text("an address", check_redirect_to);
constexpr Shape kRedirectStatus = integer(301, 308);
constexpr Key kRedirectKeys[] = {
    {"to", &kRedirectTo, "", R"("https://example.com/new/*")",
     "URL or path, with parameters of the route's path; `/*` stands for the rest that its own `/*` matched. The query "
     "is kept unless this has its own",
     into<&gateway::RouteRedirect::to>, required},
    {"status", &kRedirectStatus, kOfOptions, "301", "301, 302, 303, 307 or 308; 307 and 308 keep the method",
     into<&gateway::RouteRedirect::status>},
};
constexpr Section kRedirect{"redirect", "routes[].redirect", "Sends the client elsewhere.", kRedirectKeys};
constexpr Shape kStatus = integer(200, 599);
constexpr Shape kFieldValue = text("a field value", check_field_value);
constexpr Key kRespondKeys[] = {
    {"status", &kStatus, kOfOptions, "200", "Status", into<&gateway::Respond::status>},
    {"body", &kText, "", R"("ok\n")", "Body", into<&gateway::Respond::body>},
    {"body_file", &kFilePath, "", R"("maintenance.html")",
     "File with the body, at most 1MiB, in place of `body`; read at startup and reload. With status 200 it has `ETag` "
     "and `Last-Modified`, and supports `Range`"},
    {"content_type", &kFieldValue, "", R"("application/json")",
     "`Content-Type`. Default: from the name of `body_file`, otherwise `text/plain; charset=utf-8`",
     into<&gateway::Respond::content_type>},
    {"headers", &kResponseSet, "{}", R"({ "Retry-After": "300" })",
     "Further fields, with variables as in `response_headers`"},
};

constexpr Shape kHostName = text("keep, server or a host", check_host_header);

}  // namespace

constexpr Section kRespondSection{"respond", "routes[].respond", "An answer without an upstream.", kRespondKeys};
constexpr Shape kRequestFieldsShape = section(kRequestFields);
constexpr Shape kResponseFieldsShape = section(kResponseFields);
constexpr Shape kRewriteShape = section(kRewrite);
constexpr Shape kRedirectShape = section(kRedirect);
constexpr Shape kHostHeaderShape = kHostName;

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
      build.report.error_at_key(code::kDuplicate, *each, in_quotes(each->key) + " appears twice here", "give it once");
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

/// Reads the value only if it is valid. An invalid one is already reported, and further messages about it would only
/// confuse.
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
  fill(&node, kRedirect, redirect);
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

/// Sets the entity tag and the time of the last change, by which caches and browsers compare files. The tag is the same
/// on all gateways with the same file.
void tag_file(const std::string& file, gateway::Respond& out) {
  const auto digest = identity::sha256(out.body);
  out.etag = '"' + hex(std::span(digest).first<16>()) + '"';
  struct stat state {};
  const auto now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  // The moment must not be later than the Date of any answer (RFC 9110 section 8.8.2.1).
  const auto changed = ::stat(file.c_str(), &state) == 0 ? std::min(state.st_mtime, now) : now;
  out.modified = Instant(std::chrono::seconds(changed));
  out.last_modified = http::http_date(out.modified);
}

}  // namespace

void build_edits(Build& build, const Node& section, std::shared_ptr<const EditOptions>& out) {
  auto made = std::make_shared<EditOptions>();
  const Node* request = find(&section, "request_headers");
  const Node* response = find(&section, "response_headers");
  made->request_fields = field_edits(build, request);
  made->response_fields = field_edits(build, response);
  fill(response, kResponseFields, *made);
  made->host = host_header(section);
  // A setting that equals the default does not count as an edit.
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
  fill(&node, kRespondSection, out);
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
      if (out.status == 200) tag_file(file->text, out);
    }
    if (text_at(&node, "content_type") == nullptr) out.content_type = type_of(file->text);
    body = file;
  }
  if ((out.status == 204 || out.status == 304) && body != nullptr && !out.body.empty()) {
    build.report.error(code::kConflict, *body, "an answer with status " + std::to_string(out.status) + " has no body",
                       "remove " + in_quotes(body->key) + ", or write \"status\": 200");
  }
}

}  // namespace headgate::config
