// The description of the admin interface, compared with what it does.

#include "blackbox/harness/operator.hpp"
#include "blackbox/harness/reloaded.hpp"

#include <gtest/gtest.h>

#include <map>

namespace headgate::test {
namespace {

const Json kGateway = {
    {"admin", {{"listen", "127.0.0.1:0"}}},
    {"limits", {{"x", {{"rate", "5/day"}, {"per", "client_ip"}, {"ban", {{"after", 5}, {"for", "1d"}}}}}}},
    {"all_routes", {{"limits", {"x"}}}}};

/// Fails the test unless `value` has what `schema` requires, and what is there has its type.
void expect_fits(const Json& value, Json schema, const Json& document, const std::string& where) {
  while (schema.contains("$ref")) {
    const auto pointer = schema["$ref"].get<std::string>().substr(1);
    schema = document.at(Json::json_pointer(pointer));
  }
  if (schema.contains("oneOf")) {  // the first alternative whose required members are there
    for (Json each : schema["oneOf"]) {
      while (each.contains("$ref")) each = document.at(Json::json_pointer(each["$ref"].get<std::string>().substr(1)));
      const auto required = each.value("required", Json::array());
      if (value.is_object() && std::ranges::all_of(required, [&](const auto& name) {
            return value.contains(name.template get<std::string>());
          }))
        return expect_fits(value, each, document, where);
    }
  }
  const auto type = schema.value("type", "");
  const std::map<std::string, bool> is = {{"object", value.is_object()}, {"array", value.is_array()},
                                          {"string", value.is_string()}, {"integer", value.is_number_integer()},
                                          {"number", value.is_number()}, {"boolean", value.is_boolean()}};
  const bool typed = type.empty() || is.at(type);
  ASSERT_TRUE(typed) << where << " is no " << type << ": " << value;
  if (schema.contains("enum")) {
    const auto& words = schema["enum"];
    EXPECT_NE(std::find(words.begin(), words.end(), value), words.end()) << where << value;
  }
  EXPECT_EQ(value, schema.value("const", value)) << where;
  for (const auto& member : schema.value("required", Json::array()))
    EXPECT_TRUE(value.contains(member.get<std::string>())) << where << " lacks " << member << ": " << value;
  if (schema.contains("properties"))
    for (const auto& [name, below] : schema["properties"].items())
      if (value.contains(name)) expect_fits(value[name], below, document, where + '.' + name);
  if (schema.contains("items"))
    for (const auto& each : value) expect_fits(each, schema["items"], document, where + "[]");
}

/// A real path of the running gateway, with what it needs after '?'.
std::string path_of(std::string pattern, const std::string& method, const std::string& server) {
  const std::map<std::string, std::string> values = {
      {"{server}", server},
      {"{key}", "127.0.0.1"},
      {"{address}", "127.0.0.1"},
      {"{file}", "app.css"},
      {"{name}", pattern.find("upstreams") != std::string::npos ? "app" : "x"}};
  for (const auto& [name, value] : values)
    if (const auto at = pattern.find(name); at != std::string::npos) pattern.replace(at, name.size(), value);
  if (pattern.ends_with("/state")) pattern += "?force";
  if (method == "delete" && pattern.ends_with("/bans")) pattern += "?limit=x&key=127.0.0.1";
  return pattern;
}

const std::string kCandidate = "/api/v1/candidate";

TEST(AdminOpenApi, DescribesWhatTheGatewayDoes) {
  Reloaded file(kGateway);
  const Operator operators(file.process());
  ASSERT_TRUE(Look(file.process()).status_comes_to("/readyz", 200));
  const auto document = operators.get("/api/v1/openapi.json");
  EXPECT_EQ(document["openapi"], "3.1.0");
  const auto server = "127.0.0.1:" + std::to_string(file.upstream.port());
  const std::map<std::string, std::string> bodies = {{"ServerState", R"({"state": "drain"})"},
                                                     {"LogLevel", R"({"level": "info"})"},
                                                     {"NewOverride", R"({"rate": "9/day", "for": "1h"})"},
                                                     {"CandidateText", Json{{"file", file.path()}}.dump()},
                                                     {"ExplainedRequest", R"({"url": "http://a.example/x"})"},
                                                     {"NewBan", R"({"limit": "x", "key": "127.0.0.1", "for": "1h"})"}};
  std::size_t calls = 0;
  std::set<std::string> ids;
  const auto call = [&](const std::string& pattern, const std::string& method, const Json& operation) {
    const auto where = method + ' ' + pattern;
    EXPECT_FALSE(operation["summary"].get<std::string>().empty()) << where;
    if (pattern.find("{day}") != std::string::npos) return;  // it needs Redis; another test has it
    if (pattern.ends_with("/balances")) return;              // it needs Redis; another test has it
    if (pattern.find("{id}") != std::string::npos) return;   // it needs a request under way; another test has it
    EXPECT_TRUE(ids.insert(operation["operationId"].get<std::string>()).second) << where;
    std::string body;
    if (operation.contains("requestBody")) {
      const auto ref = operation["requestBody"]["content"]["application/json"]["schema"]["$ref"].get<std::string>();
      const auto name = ref.substr(ref.rfind('/') + 1);
      if (!bodies.contains(name)) return;  // another test has it
      body = bodies.at(name);
      expect_fits(Json::parse(body), {{"$ref", ref}}, document, where + " body");
    }
    auto verb = method;
    for (auto& c : verb) c = static_cast<char>(std::toupper(c));
    const auto& content = operation["responses"]["2XX"]["content"];
    if (content.contains("text/event-stream")) verb = "HEAD";
    const auto answer = operators.ask(verb, path_of(pattern, method, server), body);
    EXPECT_EQ(answer.status() / 100, 2) << where << '\n' << answer.head << answer.body;
    if (content.contains("application/json"))
      expect_fits(Json::parse(answer.body, nullptr, false), content["application/json"]["schema"], document, where);
    ++calls;
  };
  for (const auto& [pattern, methods] : document["paths"].items())
    for (const std::string method : {"post", "get", "put", "delete"})
      if (methods.contains(method) && pattern != "/api/v1/drain" && !pattern.starts_with(kCandidate))
        call(pattern, method, methods[method]);
  EXPECT_GT(calls, 18U);
  const auto again = [&] { return operators.ask("PUT", kCandidate, bodies.at("CandidateText")).status(); };
  const auto of_candidate = [&](const std::string& below, const std::string& method) {
    call(kCandidate + below, method, document["paths"][kCandidate + below][method]);
  };
  for (const auto* const method : {"put", "get"}) of_candidate("", method);
  of_candidate("/diff", "get");
  of_candidate("/promote", "post");
  EXPECT_EQ(again(), 200);
  of_candidate("", "delete");
  call("/api/v1/drain", "post", document["paths"]["/api/v1/drain"]["post"]);
  EXPECT_EQ(file.process().wait(), 0);
}

TEST(AdminOpenApi, NamesEverySchemaAndEveryParameter) {
  Proxy proxy(kGateway);
  const Operator operators(proxy.gateway.process());
  const auto document = operators.get("/api/v1/openapi.json");
  const auto text = document.dump();
  const std::string ref = R"("$ref":"#)";
  for (auto at = text.find(ref); at != std::string::npos; at = text.find(ref, at + 1)) {
    const auto pointer = text.substr(at + ref.size(), text.find('"', at + ref.size()) - at - ref.size());
    EXPECT_TRUE(document.contains(Json::json_pointer(pointer))) << pointer;
  }
  for (const auto& [pattern, methods] : document["paths"].items()) {
    for (const auto& [method, operation] : methods.items()) {
      std::size_t in_path = 0;
      for (const auto& parameter : operation.value("parameters", Json::array())) {
        if (parameter["in"] != "path") continue;
        ++in_path;
        EXPECT_NE(pattern.find('{' + parameter["name"].get<std::string>() + '}'), std::string::npos) << pattern;
      }
      EXPECT_EQ(in_path, count_of(pattern, "{")) << pattern;
    }
  }
  EXPECT_EQ(document["paths"]["/healthz"]["get"]["security"], Json::array());
}

}  // namespace
}  // namespace headgate::test
