// What the table generates: the schema, the reference, and the defaults in both.

#include "describe.hpp"
#include "files.hpp"

#include "headgate/config/load.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace headgate::config {
namespace {

using Json = nlohmann::ordered_json;

TEST(Schema, IsTheFileThatIsShipped) {
  EXPECT_EQ(content(source_path("conf/headgate.schema.json")), schema()) << "write it anew: ./dev docs reference";
}

void collect_references(const Json& node, std::vector<std::string>& out) {
  if (node.is_object() && node.contains("$ref")) out.push_back(node["$ref"]);
  if (!node.is_structured()) return;  // a scalar would iterate over itself
  for (const auto& child : node) collect_references(child, out);
}

TEST(Schema, RefersOnlyToWhatItDefines) {
  const auto parsed = Json::parse(schema());
  std::vector<std::string> references;
  collect_references(parsed, references);
  EXPECT_GE(references.size(), 12U);
  for (const auto& each : references) EXPECT_TRUE(parsed.contains(Json::json_pointer(each.substr(1)))) << each;
}

TEST(Schema, SaysWhereExactlyOneOfSeveralKeysStands) {
  const auto parsed = Json::parse(schema());
  EXPECT_EQ(parsed["$defs"]["limit"]["oneOf"].dump(),
            R"([{"required":["rate"]},{"required":["in_flight"]},{"required":["tiers"]}])");
  EXPECT_EQ(parsed["$defs"]["redis"]["oneOf"].dump(),
            R"([{"required":["url"]},{"required":["cluster"]},{"required":["sentinel"]}])");
  EXPECT_EQ(parsed["$defs"]["tier"]["oneOf"].dump(), R"([{"required":["rate"]},{"required":["in_flight"]}])");
  EXPECT_FALSE(parsed["$defs"]["route"].contains("oneOf"));
}

TEST(Schema, DescribesEveryKey) {
  const auto parsed = Json::parse(schema());
  const auto described = [](const Json& object) {
    for (const auto& [name, property] : object["properties"].items())
      EXPECT_NE(property.value("description", ""), "") << name;
  };
  described(parsed);
  for (const auto& [name, definition] : parsed["$defs"].items()) described(definition);
}

// A valid file with one section written out as the schema's defaults say.
std::string with_defaults(const Json& schema, const std::string& section) {
  Json file = Json::parse(
      R"({ "listen": { "address": ":1" }, "admin": {}, "redis": { "url": "rediss://r", "tls": {} },
    "upstreams": { "u": { "servers": ["http://a"], "concurrency": {} } },
    "identity": { "failures": {}, "jwt": { "algorithms": ["HS256"], "secret": "0123456789abcdef0123456789abcdef" },
                  "api_key": { "keys": { "k": { "key": "0123456789abcdef" } } } },
    "signing": { "keys": ["0123456789abcdef0123456789abcdef"] },
    "limits": { "l": { "rate": "1/s", "per": "total", "exempt": { "api_key": ["k"] }, "appointments": {} },
                "t": { "tiers": { "x": { "rate": "1/s" } }, "tier_from": "api_key", "default_tier": "x", "per": "total" } },
    "routes": [{ "path": "/*", "to": "u", "limits": [{ "use": "l" }, "t"] }, { "path": "/r", "respond": {} },
               { "path": "/c", "respond": {}, "limits": [{ "use": "l", "cost": { "by_method": { "GET": 1 } } }] }] })");
  const std::map<std::string, std::string> places{{"upstream", "/upstreams/u"},
                                                  {"concurrency", "/upstreams/u/concurrency"},
                                                  {"queue", "/upstreams/u/concurrency/queue"},
                                                  {"limit", "/limits/l"},
                                                  {"tier", "/limits/t/tiers/x"},
                                                  {"exempt", "/limits/l/exempt"},
                                                  {"appointments", "/limits/l/appointments"},
                                                  {"route", "/routes/0"},
                                                  {"jwt", "/identity/jwt"},
                                                  {"issuer", "/identity/jwt"},  // one alone stands there
                                                  {"failures", "/identity/failures"},
                                                  {"listener", "/listen"},
                                                  {"respond", "/routes/1/respond"},
                                                  {"limit_use", "/routes/0/limits/0"},
                                                  {"cost", "/routes/2/limits/0/cost"},
                                                  {"api_key", "/identity/api_key"},
                                                  {"known_key", "/identity/api_key/keys/k"},
                                                  {"redis_tls", "/redis/tls"},
                                                  {"configuration", ""}};
  if (section.empty()) return file.dump();
  const auto place = places.contains(section) ? places.at(section) : '/' + section;
  const auto& properties = section == "configuration" ? schema["properties"] : schema["$defs"][section]["properties"];
  auto& target = file[Json::json_pointer(place)];
  for (const auto& [key, property] : properties.items()) {
    if (property.contains("default") && !target.contains(key)) target[key] = property["default"];
  }
  return file.dump();
}

TEST(Schema, TellsTheDefaultsTheProgramHas) {
  const auto parsed = Json::parse(schema());
  const auto plain = load(with_defaults(parsed, ""));
  ASSERT_TRUE(plain.config) << render_text(plain.diagnostics, "f", with_defaults(parsed, ""));
  std::vector<std::string> sections{"configuration"};
  for (const auto& [name, definition] : parsed["$defs"].items()) sections.push_back(name);
  for (const auto& section : sections) {
    if (section == "reject_with" || section == "sentinel" || section == "count" || section == "ban" ||
        section == "waiting_room" || section == "waiting_page" || section == "shedding" || section == "signing" ||
        section == "webhook")
      continue;  // have no default
    const auto source = with_defaults(parsed, section);
    const auto written = load(source);
    ASSERT_TRUE(written.config) << section << '\n' << render_text(written.diagnostics, "f", source);
    EXPECT_EQ(describe(*written.config), describe(*plain.config)) << section;
  }
}

TEST(Reference, IsTheMiddleOfTheDocumentation) {
  const auto page = content(source_path("docs/configuration.md"));
  const std::string begin = "<!-- generated: begin -->\n";
  const std::string end = "<!-- generated: end -->";
  const auto from = page.find(begin);
  const auto to = page.find(end);
  ASSERT_TRUE(from != std::string::npos && to != std::string::npos);
  EXPECT_EQ(page.substr(from + begin.size(), to - from - begin.size()), reference())
      << "write it anew: ./dev docs reference";
}

}  // namespace
}  // namespace headgate::config
