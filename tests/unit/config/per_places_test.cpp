// All places of a configuration where what is counted by may be written.

#include "../../../src/config/formats/formats.hpp"
#include "../../../src/config/table.hpp"

#include "headgate/config/load.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>

namespace headgate::config {
namespace {

class Walk {
 public:
  std::set<std::string> run() {
    section(root_section());
    return std::move(places_);
  }

 private:
  void section(const Section& section) {
    if (!met_.insert(&section).second) return;
    const std::string path(section.path);
    for (const Key& key : section.keys) shape(*key.shape, path + (path.empty() ? "" : ".") + std::string(key.name));
  }
  void shape(const Shape& of, const std::string& path) {
    for (const TextCheck check : {check_per, check_if_absent, check_tier_from, check_size_from})
      if (of.check == check) places_.insert(path);
    if (of.section != nullptr) section(*of.section);
    if (of.of != nullptr) shape(*of.of, path);
    for (const Shape* each : of.forms) shape(*each, path);
  }

  std::set<const Section*> met_;
  std::set<std::string> places_;
};

// A new place is one for gateway::each_per and for tests/unit/gateway/path/limits/read_once_test.cpp too: what is read
// there may stand once in a request.
TEST(PlacesOfPer, AreThoseThatThePathReadsOnce) {
  EXPECT_THAT(Walk().run(),
              testing::ElementsAre("limits.<name>.if_absent", "limits.<name>.per", "limits.<name>.rate.from",
                                   "limits.<name>.tier_from", "routes[].split_by", "upstreams.<name>.balance.per",
                                   "upstreams.<name>.concurrency.queue.per", "waiting_rooms.<name>.per"));
}

// A credential that only splits, balances or queues requests by is used as well.
TEST(PlacesOfPer, UseTheCredentialsThatTheyName) {
  const std::string servers = R"("servers": ["http://a", "http://b"])";
  const std::pair<const char*, std::string> places[] = {
      {"routes[].split_by", R"("upstreams": { "u": "http://a", "v": "http://b" }, "routes": [{ "path": "/*",
         "to": [{ "upstream": "u" }, { "upstream": "v" }], "split_by": "#" }])"},
      {"upstreams.<name>.balance.per", R"("routes": [{ "path": "/*", "to": "u" }], "upstreams": { "u": { )" + servers +
                                           R"(, "balance": { "policy": "consistent_hash", "per": "#" } } })"},
      {"upstreams.<name>.concurrency.queue.per", R"("routes": [{ "path": "/*", "to": "u" }], "upstreams": { "u": { )" +
                                                     servers + R"(, "concurrency": { "queue": { "per": "#" } } } })"},
  };
  for (const auto& [place, keys] : places) {
    for (const std::string per : {"jwt.sub", "api_key"}) {
      std::string source = R"({ "listen": ":1", "identity": {
        "jwt": { "algorithms": ["HS256"], "secret": "0123456789abcdef0123456789abcdef" },
        "api_key": { "keys": { "acme": { "key": "0123456789abcdef" } } } }, )" +
                           keys + " }";
      source.replace(source.find('#'), 1, per);
      const auto loaded = load(source);
      EXPECT_TRUE(loaded.config) << place << '\n' << render_text(loaded.diagnostics, "f", source);
      const std::string unused = per == "api_key" ? "no API key is ever read" : "no token is ever verified";
      for (const auto& each : loaded.diagnostics)
        EXPECT_THAT(each.message, testing::Not(testing::StartsWith(unused))) << place;
    }
  }
}

}  // namespace
}  // namespace headgate::config
