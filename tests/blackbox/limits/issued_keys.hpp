#pragma once
// Gateways that issue API keys.

#include "blackbox/harness/gateway.hpp"
#include "blackbox/harness/operator.hpp"

#include <fstream>
#include <iterator>
#include <string>

namespace headgate::test {

inline const std::string kKeysPath = "/api/v1/keys";
inline const std::string kHandKey = "a-key-that-somebody-wrote-by-hand";
inline const std::string kHandRecord =
    R"({"sha256": "5aef15bae62e7be0d4dbfd0b1fe7f8e313c5d6669bfeadaff74e55191aed2151",  "owner": "hand", "note": "by hand"})";

/// Every route demands a key, and limits count by its owner.
inline Json issuing(const std::string& file, const Json& changes = Json::object()) {
  Json out = {{"admin", {{"listen", "127.0.0.1:0"}}},
              {"identity", {{"api_key", {{"file", file}, {"issue", true}}}}},
              {"limits",
               {{"plan",
                 {{"per", "api_key"},
                  {"tier_from", "api_key"},
                  {"default_tier", "free"},
                  {"tiers", {{"free", {{"rate", "100000/hour"}}}, {"pro", {{"rate", "200000/hour"}}}}}}}}},
              {"routes", Json::array({{{"path", "/*"}, {"to", "app"}, {"require", "api_key"}, {"limits", {"plan"}}}})}};
  out.merge_patch(changes);
  return out;
}

inline std::string text_of_file(const std::string& path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), {}};
}
inline void write_file(const std::string& path, const std::string& text) {
  std::ofstream(path, std::ios::trunc) << text;
}

struct IssuedKey {
  std::string id;
  std::string key;
  Json answer;
};
inline IssuedKey issue(const Operator& admin, const Json& wanted = {{"owner", "acme"}}) {
  const auto answer = admin.ask("POST", kKeysPath, wanted.dump());
  EXPECT_EQ(answer.status(), 201) << answer.body;
  auto json = Json::parse(answer.body, nullptr, false);
  if (!json.is_object()) return {};
  return {json.value("id", ""), json.value("key", ""), json};
}
inline Json revoke(const Operator& admin, const std::string& id) {
  const auto answer = admin.ask("DELETE", kKeysPath + '/' + id);
  EXPECT_EQ(answer.status(), 200) << answer.body;
  return Json::parse(answer.body, nullptr, false);
}

template <class Somewhere>
int asked_with(const Somewhere& proxy, const std::string& key) {
  auto client = proxy.client();
  return client.get("/", "X-API-Key: " + key + "\r\n").status();
}

}  // namespace headgate::test
