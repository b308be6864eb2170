#include "cli/admin/admin_client.hpp"
#include "cli/commands.hpp"
#include "cli/config_file.hpp"
#include "cli/printable.hpp"
#include "cli/text_table.hpp"
#include "explain_text.hpp"
#include "past_request.hpp"

#include "headgate/admin/explain_json.hpp"
#include "headgate/admin/routes_in_order.hpp"
#include "headgate/server/explain.hpp"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <cstdio>
#include <exception>
#include <memory>
#include <string>
#include <vector>

namespace headgate::cli {
namespace {

struct ExplainOptions {
  std::string file;
  gateway::ExplainedParts parts;
  std::vector<std::string> fields;
  std::string domain;
  std::vector<std::string> descriptors;
  std::uint64_t hits = 1;
  AdminOptions admin;
  PastOptions past;
};

int complain_of(const std::string& sentence, const char* help) {
  std::fprintf(stderr, "headgate: %s\n  help: %s\n", sentence.c_str(), help);
  return kWrongCommandLine;
}

using QuestionJson = nlohmann::ordered_json;

std::string body_text(const QuestionJson& body) {
  return body.dump(-1, ' ', false, QuestionJson::error_handler_t::replace);
}

/// Asks a running gateway.
int explain_there(const ExplainOptions& options, std::string body) {
  const AdminRequest request{.method = "POST", .target = "/api/v1/explain", .body = std::move(body)};
  const auto reply = call_gateway(options.admin, request);
  if (reply.has_error()) {
    if (options.admin.json && !reply.error().text.empty())
      std::fputs(printable_json(reply.error().text).c_str(), stdout);
    return complain(reply.error());
  }
  if (options.admin.json)
    std::fputs(printable_json(reply->text).c_str(), stdout);
  else if (reply->json.is_object() && reply->json.contains("outcome"))
    std::fputs(explain_text(reply->json, stdout_has_colours()).c_str(), stdout);
  else
    return complain({kFailed, "the answer is not an explanation", "is this the admin interface of a gateway?"});
  return kWell;
}

/// Asks the configuration.
int explain_here(const ExplainOptions& options, gateway::ExplainedRequest request) {
  const auto loaded = load_file(options.file);
  if (!loaded.config) return loaded.exit_code;
  std::string told;
  try {
    told = server::explain_offline(*loaded.config, std::move(request));
  } catch (const std::runtime_error& failure) {
    std::fprintf(stderr, "headgate: %s\n", failure.what());
    return kFailed;
  }
  if (!options.admin.json) told = explain_text(QuestionJson::parse(told), stdout_has_colours());
  std::fputs(told.c_str(), stdout);
  return kWell;
}

/// Reads "generic_key=login,remote_address=203.0.113.9", or an object of JSON. Returns null for any other text.
QuestionJson descriptor_json(std::string_view text) {
  if (text.starts_with('{')) {
    auto read = QuestionJson::parse(text, nullptr, false);
    return read.is_object() ? read : QuestionJson();
  }
  QuestionJson out = QuestionJson::object();
  while (true) {
    const auto entry = text.substr(0, text.find(','));
    const auto sign = entry.find('=');
    if (sign == std::string_view::npos || sign == 0) return {};
    if (!out.emplace(entry.substr(0, sign), entry.substr(sign + 1)).second) return {};
    if (entry.size() == text.size()) return out;
    text.remove_prefix(entry.size() + 1);
  }
}

/// Explains a call of the rate limit service.
int explain_call(const ExplainOptions& options) {
  constexpr const char* kExample =
      "headgate explain --domain edge --descriptor 'generic_key=login,remote_address=203.0.113.9'";
  QuestionJson body = {{"domain", options.domain}, {"descriptors", QuestionJson::array()}, {"hits", options.hits}};
  for (const auto& written : options.descriptors) {
    auto descriptor = descriptor_json(written);
    if (descriptor.is_null())
      return complain_of("\"" + printable(written) + "\" is no descriptor: it has keys and values, each key once",
                         R"(write 'path=/login,method=POST'; a value with a comma needs JSON: '{"path": "/a,b"}')");
    body["descriptors"].push_back(std::move(descriptor));
  }
  auto request = admin::explained_request(body_text(body));
  if (request.has_error()) return complain_of(request.error(), kExample);
  return options.admin.url.empty() ? explain_here(options, std::move(*request))
                                   : explain_there(options, body_text(body));
}

int explain(ExplainOptions options) {
  if (!options.past.request_id.empty()) {
    options.past.json = options.admin.json;
    return explain_past(options.past);
  }
  if (!options.domain.empty()) return explain_call(options);
  if (options.parts.method.empty() || options.parts.url.empty())
    return complain_of("a method and a URL are needed, or --domain and --descriptor, or --request-id and --log",
                       "headgate explain GET https://api.example.com/v1/orders");
  for (const auto& field : options.fields) {
    const auto colon = field.find(':');
    if (colon == std::string::npos)
      return complain_of("a field has a name and a value", "write -H 'Authorization: Bearer …'");
    const auto value = field.find_first_not_of(" \t", colon + 1);
    options.parts.fields.emplace_back(field.substr(0, colon), value == std::string::npos ? "" : field.substr(value));
  }
  if (!options.admin.url.empty()) {
    QuestionJson body = {{"method", options.parts.method}, {"url", options.parts.url}, {"ip", options.parts.address}};
    body["headers"] = QuestionJson::array();
    for (const auto& [name, value] : options.parts.fields)
      body["headers"].push_back(QuestionJson::array({name, value}));
    return explain_there(options, body_text(body));
  }
  auto request = gateway::explained_request(options.parts);
  if (request.has_error())
    return complain_of(request.error(), "headgate explain GET https://api.example.com/v1/orders -H 'Accept: */*'");
  return explain_here(options, std::move(*request));
}

/// Prints all routes of a running gateway, page by page.
int routes_there(const AdminOptions& admin) {
  constexpr std::size_t kPageOfRoutes = 1000;
  nlohmann::ordered_json all = {{"routes", nlohmann::ordered_json::array()}};
  auto& rows = all["routes"];
  for (std::size_t total = 1; rows.size() < total;) {
    const auto reply =
        call_gateway(admin, {.target = "/api/v1/routes?order=compared&first=" + std::to_string(rows.size()) +
                                       "&count=" + std::to_string(kPageOfRoutes)});
    if (reply.has_error()) return complain(reply.error());
    const auto page = reply->json.find("routes");
    if (page == reply->json.end() || !page->is_array() ||
        !reply->json.value("total", nlohmann::ordered_json()).is_number())
      return complain({kFailed, "the answer is no list of routes", "is this the admin interface of a gateway?"});
    if (page->empty()) break;  // a reload has removed some routes meanwhile
    total = reply->json["total"].get<std::size_t>();
    for (auto& each : *page) rows.push_back(each);
  }
  if (admin.json)
    std::puts(printable_json(all.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace)).c_str());
  else
    std::fputs(routes_text(all, stdout_has_colours()).c_str(), stdout);
  return kWell;
}

int routes(const std::string& file, bool json) {
  const auto loaded = load_file(file);
  if (!loaded.config) return loaded.exit_code;
  auto told = admin::routes_in_order(*loaded.config);
  if (!json) told = routes_text(nlohmann::ordered_json::parse(told), stdout_has_colours());
  std::fputs(told.c_str(), stdout);
  return kWell;
}

}  // namespace

void offer_explain(CLI::App& app, int& result) {
  const auto options = std::make_shared<ExplainOptions>();
  auto* command =
      app.add_subcommand("explain", "Explain what would happen to a request, or what happened to a past one");
  auto* method = command->add_option("method", options->parts.method, "GET, POST …");
  auto* url = command->add_option("url", options->parts.url, "https://api.example.com/v1/orders, or the path alone");
  command->add_option("-H,--header", options->fields, "A header field of the request, as in 'X-API-Key: …'; repeatable")
      ->allow_extra_args(false);
  command->add_option("--ip", options->parts.address, "The address that the request comes from")->capture_default_str();
  auto* domain = command->add_option("--domain", options->domain,
                                     "The domain of a call of the rate limit service to explain instead of a request");
  auto* descriptor =
      command
          ->add_option("--descriptor", options->descriptors,
                       "A descriptor of the call, as in 'path=/login,method=POST', or as a JSON object; repeatable")
          ->allow_extra_args(false);
  auto* hits = command->add_option("--hits", options->hits, "The hits of each descriptor")->capture_default_str();
  domain->needs(descriptor)->excludes(method)->excludes(url)->excludes("-H")->excludes("--ip");
  descriptor->needs(domain);
  hits->needs(domain);
  auto* file = command->add_option("-c,--config", options->file,
                                   "The configuration to explain, without a running gateway (default as for run)");
  offer_admin(*command, options->admin);
  command->get_option("--admin")->excludes(file)->description("Ask the running gateway with this admin interface");
  auto* id = command->add_option("--request-id", options->past.request_id,
                                 "The X-Request-Id of a past request to explain instead");
  auto* log =
      command->add_option("--log", options->past.logs, "The access log with the past request; repeatable, - for stdin");
  id->needs(log)->excludes(method)->excludes(url)->excludes(file)->excludes("--admin")->excludes(domain);
  log->needs(id);
  command->callback([options, &result] { result = explain(*options); });

  const auto path = std::make_shared<std::string>();
  const auto admin = std::make_shared<AdminOptions>();
  auto* list = app.add_subcommand("routes", "List all routes in the order in which requests are compared with them");
  auto* config = list->add_option("-c,--config", *path, "The configuration (default as for run)");
  offer_admin(*list, *admin);
  list->get_option("--admin")->excludes(config)->description("Ask the running gateway with this admin interface");
  list->callback(
      [path, admin, &result] { result = admin->url.empty() ? routes(*path, admin->json) : routes_there(*admin); });
}

}  // namespace headgate::cli
