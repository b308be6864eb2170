#include "openapi.hpp"

#include "openapi_schemas.hpp"
#include "schema_notation.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cctype>
#include <memory>
#include <mutex>
#include <string>

namespace headgate::admin {
namespace {

using ApiJson = nlohmann::ordered_json;

ApiJson content(std::string_view type, ApiJson schema) {
  ApiJson out;
  out[std::string(type)] = {{"schema", std::move(schema)}};
  return out;
}

ApiJson reference_to(std::string_view name) { return {{"$ref", "#/components/schemas/" + std::string(name)}}; }

/// For example "put_upstreams_name_servers_server_state".
std::string operation_id(const AdminEndpoint& endpoint) {
  std::string out;
  for (const char c : endpoint.method) out += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  constexpr std::string_view kPrefix = "/api/v1";
  auto path = endpoint.path;
  if (path.starts_with(kPrefix)) path.remove_prefix(kPrefix.size());
  for (const char c : path) {
    if (std::isalnum(static_cast<unsigned char>(c)) != 0)
      out += c;
    else if (!out.ends_with('_') && c != '}')
      out += '_';
  }
  return out;
}

ApiJson parameters_of(const AdminEndpoint& endpoint) {
  auto out = ApiJson::array();
  for (std::size_t at = 0; (at = endpoint.path.find('{', at)) != std::string_view::npos; ++at) {
    const auto name = endpoint.path.substr(at + 1, endpoint.path.find('}', at) - at - 1);
    out.push_back({{"name", name}, {"in", "path"}, {"required", true}, {"schema", {{"type", "string"}}}});
  }
  for (const auto& each : endpoint.about.query)
    out.push_back({{"name", each.name},
                   {"in", "query"},
                   {"required", each.required},
                   {"description", each.meaning},
                   {"schema", {{"type", "string"}}}});
  return out;
}

ApiJson answer_of(const AdminEndpoint& endpoint) {
  const auto& about = endpoint.about;
  ApiJson out = {{"description", "Done"}};
  if (!about.stream.empty())
    out["content"] = content(about.stream, {{"type", "string"}});
  else if (!about.lines.empty())
    out = {{"description", "Lines of JSON: each is a " + std::string(about.lines)},
           {"content", content("application/x-ndjson", {{"type", "string"}})}};
  else if (!about.answer.empty())
    out["content"] = content(AdminAnswer::kJson, reference_to(about.answer));
  else
    out["content"] = content("text/plain", {{"type", "string"}});
  return out;
}

ApiJson operation(const AdminEndpoint& endpoint) {
  ApiJson out = {{"operationId", operation_id(endpoint)}, {"summary", endpoint.about.summary}};
  const bool all = endpoint.who == AdminEndpoint::For::all;
  out["description"] = all                  ? "Needs no token."
                       : endpoint.changes() ? "Needs the token, or a call without one from this machine."
                                            : "Needs either token, or a call without one from this machine.";
  if (all) out["security"] = ApiJson::array();
  if (auto parameters = parameters_of(endpoint); !parameters.empty()) out["parameters"] = std::move(parameters);
  if (!endpoint.about.body.empty())
    out["requestBody"] = {{"required", true},
                          {"content", content(AdminAnswer::kJson, reference_to(endpoint.about.body))}};
  out["responses"]["2XX"] = answer_of(endpoint);
  out["responses"]["default"] = {{"description", "A refusal, in a sentence"},
                                 {"content", content(AdminAnswer::kProblem, reference_to("Problem"))}};
  return out;
}

std::string openapi(const std::vector<AdminEndpoint>& endpoints) {
  ApiJson out = {{"openapi", "3.1.0"}};
  out["info"] = {{"title", "headgate admin interface"},
                 {"version", HEADGATE_VERSION},
                 {"description", "State of a running gateway, and changes to it. GET changes nothing."}};
  out["security"] = ApiJson::array({{{"token", ApiJson::array()}}});
  out["paths"] = ApiJson::object();
  for (const auto& each : endpoints) {
    std::string method(each.method);
    std::transform(method.begin(), method.end(), method.begin(), [](unsigned char c) { return std::tolower(c); });
    out["paths"][std::string(each.path)][method] = operation(each);
  }
  for (const auto& each : kSchemas) out["components"]["schemas"][std::string(each.name)] = schema_of(each.type);
  out["components"]["securitySchemes"]["token"] = {{"type", "http"}, {"scheme", "bearer"}};
  return out.dump(2) + '\n';
}

}  // namespace

AdminEndpoint openapi_endpoint(const std::vector<AdminEndpoint>& endpoints) {
  struct Document {
    std::once_flag made;
    std::string text;
  };
  const auto answer = [&endpoints, document = std::make_shared<Document>()](const AdminCall&) {
    std::call_once(document->made, [&] { document->text = openapi(endpoints); });
    return AdminAnswer{.body = document->text, .type = AdminAnswer::kJson};
  };
  return {.method = "GET",
          .path = "/api/v1/openapi.json",
          .answer = answer,
          .about = {.summary = "This description", .answer = "Object"}};
}

}  // namespace headgate::admin
