// The dashboard: a page and its files, which are the same for everyone. They need no token: the page gets its data by
// calls, with which it sends a token like any other client.

#include "admin/endpoint_groups.hpp"
#include "page_files.hpp"

#include "headgate/http/accept.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <string>
#include <utility>

namespace headgate::admin {
namespace {

constexpr std::string_view kIndex = "index.html";

/// The page's Content-Security-Policy: nothing from other hosts, nothing inline, and no frame around the page.
constexpr std::string_view kPolicy =
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; "
    "form-action 'none'; frame-ancestors 'none'";

std::string_view type_of_file(std::string_view name) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 4> kTypes = {{
      {".html", "text/html; charset=utf-8"},
      {".css", "text/css; charset=utf-8"},
      {".js", "text/javascript; charset=utf-8"},
      {".svg", "image/svg+xml"},
  }};
  for (const auto& [end, type] : kTypes)
    if (name.ends_with(end)) return type;
  return "text/plain; charset=utf-8";
}

/// The header fields of each file's answer, by the name of the file. The fields are views.
using FieldsOfFiles = std::map<std::string_view, http::Fields>;

FieldsOfFiles fields_of_files() {
  FieldsOfFiles out;
  for (const auto& file : page_files())
    out[file.name] = {{http::Known::cache_control, "Cache-Control", "no-cache"},
                      {http::Known::unknown, "ETag", file.etag},
                      {http::Known::unknown, "Content-Security-Policy", kPolicy},
                      {http::Known::unknown, "X-Content-Type-Options", "nosniff"},
                      {http::Known::unknown, "Referrer-Policy", "no-referrer"},
                      {http::Known::unknown, "Cross-Origin-Opener-Policy", "same-origin"},
                      {http::Known::unknown, "Cross-Origin-Resource-Policy", "same-origin"}};
  return out;
}

AdminAnswer file_answer(std::string_view name, const FieldsOfFiles& fields, std::string_view known) {
  const auto files = page_files();
  const auto file = std::ranges::find(files, name, &PageFile::name);
  if (file == files.end()) return {.status = 404, .body = "The dashboard has no such file."};
  AdminAnswer out{.type = type_of_file(name), .fields = fields.at(file->name)};
  if (known.find(file->etag) != std::string_view::npos)
    out.status = 304;
  else
    out.body = file->bytes;
  return out;
}

/// Returns whether the caller's Accept field names JSON and does not prefer HTML.
bool wants_json(std::string_view accept) {
  constexpr std::string_view kJsonType = AdminAnswer::kJson;
  return http::names_type(accept, kJsonType) &&
         http::quality_of(accept, kJsonType) >= http::quality_of(accept, "text/html");
}

}  // namespace

std::vector<AdminEndpoint> page_endpoints() {
  const auto fields = std::make_shared<const FieldsOfFiles>(fields_of_files());
  return {
      {.method = "GET",
       .path = "/",
       .who = AdminEndpoint::For::all,
       .answer =
           [fields](const AdminCall& call) {
             if (!wants_json(call.accept)) return file_answer(kIndex, *fields, call.known);
             return AdminAnswer{.body = "{\"openapi\": \"/api/v1/openapi.json\"}\n", .type = AdminAnswer::kJson};
           },
       .about = {.summary = "The dashboard; with Accept: application/json where this description is"}},
      {.method = "GET",
       .path = "/dashboard/{file}",
       .who = AdminEndpoint::For::all,
       .answer = [fields](const AdminCall& call) { return file_answer(call.parameter("file"), *fields, call.known); },
       .about = {.summary = "A file of the dashboard"}}};
}

AdminEndpoint role_endpoint() {
  return {.method = "GET",
          .path = "/api/v1/role",
          .answer =
              [](const AdminCall& call) {
                return AdminAnswer{.body = "{\"role\": \"" + std::string(role_text(call.role)) + "\"}\n",
                                   .type = AdminAnswer::kJson};
              },
          .asks_who = true,
          .about = {.summary = "What the token of this call may do: an operator's everything, a reader's only read; "
                               "local is who needs none",
                    .answer = "Role"}};
}

}  // namespace headgate::admin
