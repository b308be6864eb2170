// What the table generates: the schema, the reference, and the defaults in both.

#include "describe.hpp"
#include "files.hpp"
#include "loaded.hpp"

#include "headgate/config/load.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

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
            R"([{"required":["rate"]},{"required":["in_flight"]},{"required":["tiers"]},{"required":["balance"]}])");
  EXPECT_EQ(parsed["$defs"]["redis"]["oneOf"].dump(),
            R"([{"required":["url"]},{"required":["cluster"]},{"required":["sentinel"]}])");
  EXPECT_EQ(parsed["$defs"]["tier"]["oneOf"].dump(), R"([{"required":["rate"]},{"required":["in_flight"]}])");
  EXPECT_FALSE(parsed["$defs"]["route"].contains("oneOf"));
}

TEST(Schema, DescribesEveryKey) {
  const auto parsed = Json::parse(schema());
  const auto has_sentences = [](const Json& object) {
    for (const auto& [name, property] : object["properties"].items())
      EXPECT_NE(property.value("description", ""), "") << name;
  };
  has_sentences(parsed);
  for (const auto& [name, definition] : parsed["$defs"].items()) has_sentences(definition);
}

/// Where a file has each section.
const std::map<std::string, std::string>& places() {
  static const std::map<std::string, std::string> all{{"configuration", ""},
                                                      {"upstream", "/upstreams/u"},
                                                      {"concurrency", "/upstreams/u/concurrency"},
                                                      {"queue", "/upstreams/u/concurrency/queue"},
                                                      {"health", "/upstreams/u/health"},
                                                      {"server_queue", "/upstreams/u/queue"},
                                                      {"limit", "/limits/p"},
                                                      {"tier", "/limits/t/tiers/x"},
                                                      {"rate_from", "/limits/s/rate"},
                                                      {"exempt", "/limits/l/exempt"},
                                                      {"appointments", "/limits/l/appointments"},
                                                      {"count", "/limits/b/count"},
                                                      {"key_balance", "/limits/c/balance"},
                                                      {"ban", "/limits/b/ban"},
                                                      {"reject_with", "/limits/h/if_absent"},
                                                      {"route", "/routes/0"},
                                                      {"jwt", "/identity/jwt"},
                                                      {"issuer", "/identity/jwt"},  // one alone stands there
                                                      {"failures", "/identity/failures"},
                                                      {"listener", "/listen"},
                                                      {"server_tls", "/listen/tls"},
                                                      {"certificate", "/listen/tls/0"},
                                                      {"respond", "/routes/1/respond"},
                                                      {"redirect", "/routes/3/redirect"},
                                                      {"rewrite", "/routes/0/rewrite"},
                                                      {"request_headers", "/routes/0/request_headers"},
                                                      {"response_headers", "/routes/0/response_headers"},
                                                      {"limit_use", "/routes/0/limits/0"},
                                                      {"cost", "/routes/2/limits/0/cost"},
                                                      {"hold", "/routes/8/limits/0/cost/hold"},
                                                      {"api_key", "/identity/api_key"},
                                                      {"known_key", "/identity/api_key/keys/k"},
                                                      {"redis_tls", "/redis/tls"},
                                                      {"upstream_tls", "/upstreams/u/tls"},
                                                      {"server", "/upstreams/u/servers/0"},
                                                      {"balance", "/upstreams/u/balance"},
                                                      {"eject", "/upstreams/u/eject"},
                                                      {"circuit", "/upstreams/u/circuit"},
                                                      {"retry", "/upstreams/u/retry"},
                                                      {"mirror", "/routes/6/mirror"},
                                                      {"on_reject", "/routes/6/on_reject"},
                                                      {"auth", "/routes/7/auth"},
                                                      {"compress", "/routes/8/compress"},
                                                      {"basic", "/routes/9/basic"},
                                                      {"route_rejection", "/routes/6/rejection"},
                                                      {"rejection_body", "/rejection/body"},
                                                      {"logged_query", "/log/query"},
                                                      {"sentinel", "/redis/sentinel"},
                                                      {"waiting_room", "/waiting_rooms/w"},
                                                      {"waiting_page", "/waiting_rooms/w/page"},
                                                      {"cors", "/routes/1/cors"},
                                                      {"share", "/routes/4/to/0"},
                                                      {"decide", "/decide/0"},
                                                      {"split_when", "/routes/4/to/0/when"},
                                                      {"addresses", "/routes/2/addresses"},
                                                      {"require", "/routes/4/require"},
                                                      {"require_jwt", "/routes/4/require/jwt"},
                                                      {"require_api_key", "/routes/5/require/api_key"}};
  return all;
}

/// A valid file that has `section`, with no more in it than it needs.
Json bare(const std::string& section) {
  Json file = Json::parse(
      R"({ "listen": { "address": ":1" }, "admin": {}, "redis": { "url": "rediss://r", "tls": {} }, "memory": {},
    "upstreams": { "u": { "servers": [{ "url": "https://a" }], "balance": { "policy": "round_robin" }, "tls": {},
                          "concurrency": { "queue": {} }, "eject": {}, "circuit": {}, "retry": {},
                          "health": { "path": "/" }, "max_in_flight": 5, "queue": {} },
                   "v": { "servers": ["http://b"] } },
    "identity": { "failures": {}, "jwt": { "algorithms": ["HS256"], "secret": "0123456789abcdef0123456789abcdef" },
                  "api_key": { "keys": { "k": { "key": "0123456789abcdef" } } } },
    "hsts": { "max_age": "1y" }, "signing": { "keys": ["0123456789abcdef0123456789abcdef"] }, "shedding": {},
    "all_routes": {}, "timeouts": {}, "bounds": {}, "rejection": { "body": { "text": "{}" } }, "error_pages": {},
    "log": { "query": { "mask": ["email"] } }, "tracing": { "otlp_http": "http://c:4318" },
    "billing": {}, "webhook": { "url": "https://hooks.example.com/", "secret": "whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=" },
    "limits": { "p": { "rate": "1/s", "per": "total" }, "q": { "rate": "5/s", "per": "total" },
                "l": { "rate": "1/s", "per": "total", "exempt": { "api_key": ["k"] }, "appointments": {} },
                "b": { "rate": "1/s", "per": "client_ip", "bill": true, "count": { "status": [401] },
                       "ban": { "after": 5, "for": "10m" } },
                "c": { "balance": {}, "per": "total" },
                "s": { "rate": { "from": "jwt.rpm", "per": "minute", "most": 9, "otherwise": 1 }, "per": "total" },
                "h": { "rate": "1/s", "per": "header:X-A", "if_absent": { "reject": 403 } },
                "t": { "tiers": { "x": { "rate": "1/s" } }, "tier_from": "api_key", "default_tier": "x", "per": "total" } },
    "decide": [{ "domain": "d", "match": { "a": "*" }, "limits": ["q"] }],
    "waiting_rooms": { "w": { "rate": "1/s", "secret": "0123456789abcdef0123456789abcdef", "page": {} } },
    "routes": [{ "path": "/*", "to": "u", "limits": [{ "use": "l" }, "p", "t", "b", "h", "s"], "waiting_room": "w",
                 "rewrite": {}, "request_headers": {}, "response_headers": { "set": { "X-A": "b" } } },
               { "path": "/r", "respond": {}, "cors": { "origins": "https://a.example" } },
               { "path": "/c", "respond": {}, "addresses": {}, "limits": [{ "use": "l", "cost": { "by_method": { "GET": 1 } } }] },
               { "path": "/d", "redirect": { "to": "/e" } },
               { "path": "/s", "to": [{ "upstream": "u", "weight": 1, "when": {} }], "require": { "jwt": {} } },
               { "path": "/k", "respond": {}, "require": { "api_key": {} } },
               { "path": "/m", "to": "u", "mirror": { "to": "v" }, "on_reject": { "to": "v" },
                 "rejection": {} },
               { "path": "/n", "to": "u", "auth": { "url": "http://u/" } },
               { "path": "/o", "to": "u", "compress": {},
                 "limits": [{ "use": "q", "cost": { "answer": "/n", "hold": { "otherwise": 1 }, "most": 5 } }] },
               { "path": "/p", "to": "u", "basic": {} }] })");
  file["routes"][9]["basic"]["file"] = source_path("tests/unit/config/beside/users.htpasswd").string();
  const auto folder = source_path("tests/unit/config/beside/tls/").string();
  const Json pair = {{"certificate", folder + "good.pem"}, {"key", folder + "good.key"}};
  if (section == "server_tls") file["listen"]["tls"] = pair;
  if (section == "certificate") file["listen"]["tls"] = Json::array({pair});
  // One that counts rejected requests goes with none that hands out appointments.
  if (section == "limit") file["routes"][0]["limits"].erase(0);
  if (section == "sentinel") file["redis"] = {{"sentinel", {{"master", "m"}, {"nodes", {"s:1"}}}}};
  return file;
}

std::vector<std::string> sections(const Json& schema) {
  std::vector<std::string> all{"configuration"};
  for (const auto& [name, definition] : schema["$defs"].items()) all.push_back(name);
  return all;
}

std::string place_of(const std::string& section) {
  const auto place = places().find(section);
  return place == places().end() ? '/' + section : place->second;
}

/// The same, with the section written out as the schema's defaults say; but for `types` of tokens, which demands one
/// where it is written.
Json with_defaults(const Json& schema, const std::string& section) {
  Json file = bare(section);
  const auto place = place_of(section);
  EXPECT_TRUE(file.contains(Json::json_pointer(place))) << "the file has no " << place;
  const auto& properties = section == "configuration" ? schema["properties"] : schema["$defs"][section]["properties"];
  auto& target = file[Json::json_pointer(place)];
  for (const auto& [key, property] : properties.items()) {
    if (property.contains("default") && !target.contains(key) && key != "types") target[key] = property["default"];
  }
  return file;
}

/// What `file` configures, without where it is written.
std::string configured(const Json& file, const std::string& section) {
  const auto source = file.dump();
  auto read = load(source);
  EXPECT_TRUE(read.config) << section << '\n' << render_text(read.diagnostics, "f", source);
  return read.config ? test::described(without_origin(std::move(*read.config))) : "";
}

TEST(Schema, TellsTheDefaultsTheProgramHas) {
  const auto parsed = Json::parse(schema());
  for (const auto& section : sections(parsed))
    EXPECT_EQ(configured(with_defaults(parsed, section), section), configured(bare(section), section)) << section;
}

/// Another value than the default of `property`, which is that of `key` ("redirect.status"); null: there is none that
/// would load without other keys.
Json another(const std::string& key, const Json& property) {
  static const std::map<std::string, Json> chosen{
      {"admin.listen", "127.0.0.1:1"}, {"billing.time_zone", "Europe/Vienna"},
      {"log.access", "/a.log"},        {"log.error", "/a.log"},
      {"redirect.status", 301},        {"route.require", "jwt"},
      {"upstream.head_size", "63KiB"}, {"waiting_room.per", "api_key"},
  };
  static const std::set<std::string> alone{
      "all_routes.cors",   "api_key.issue",   "concurrency.adaptive", "cost.ask_usage",     "cost.debt",
      "cost.otherwise",    "cost.on_hangup",  "decide.reject",        "limit.spent_status", "listener.from",
      "listener.protocol", "hold.clamp",      "hold.extend",          "hold.learned",       "limit.window",
      "limit_use.cost",    "log.descriptors", "route.grpc_web",       "server.backup",      "upstream.protocol"};
  if (alone.contains(key)) return nullptr;
  if (const auto found = chosen.find(key); found != chosen.end()) return found->second;
  const auto& value = property["default"];
  if (value.is_boolean()) return !value.get<bool>();
  if (value.is_number()) return value.get<std::int64_t>() + 1;
  if (!value.is_string()) return nullptr;  // of lists and objects most are empty
  for (const auto& choice : property.value("anyOf", Json::array()))
    for (const auto& word : choice.value("enum", Json::array()))
      if (word != value) return word;
  const auto text = value.get<std::string>();
  if (text == "100%") return "99%";
  const auto unit = std::min(text.find_first_not_of("0123456789"), text.size());
  if (unit > 0) return std::to_string(std::stoi(text) + 1) + text.substr(unit);
  if (text.starts_with('#')) return "#123456";
  return text + "x";
}

// Else the test above would not see a wrong default.
TEST(Schema, HasNoDefaultThatAnotherValueOfItWouldNotShow) {
  auto parsed = Json::parse(schema());
  int seen = 0;
  for (const auto& section : sections(parsed)) {
    const auto file = bare(section);
    const auto right = configured(file, section);
    const auto& written = file[Json::json_pointer(place_of(section))];
    auto& properties = section == "configuration" ? parsed["properties"] : parsed["$defs"][section]["properties"];
    for (auto& [key, property] : properties.items()) {
      if (!property.contains("default") || written.contains(key)) continue;
      const auto value = property["default"];
      const auto wrong = another(section + '.' + key, property);
      if (wrong.is_null()) continue;
      property["default"] = wrong;
      EXPECT_NE(configured(with_defaults(parsed, section), section), right) << section << '.' << key;
      property["default"] = value;
      ++seen;
    }
  }
  EXPECT_GE(seen, 140);
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
