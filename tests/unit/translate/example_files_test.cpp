// The files for Envoy, Istio and Traefik, which no test can run with these programs: each is YAML, and the descriptors
// that are sent to the rate limit service are those that its configuration decides about.

#include "translate/reading/tree.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace headgate::translate {
namespace {

std::string example_text(const std::string& name) {
  std::ifstream in(HEADGATE_SOURCE_DIR "/conf/" + name, std::ios::binary);
  std::ostringstream out;
  out << in.rdbuf();
  EXPECT_FALSE(out.str().empty()) << name;
  return out.str();
}

std::vector<TreeNode> example_documents(const std::string& name) {
  std::size_t count = 0;
  return read_yaml(example_text(name), name, count);
}

/// Adds the descriptors of the actions, as "key=value" of each entry; a value that differs by request is "*".
void collect_example_descriptors(const TreeNode& node, std::set<std::string>& domains, std::set<std::string>& out) {
  if (node.has("domain")) domains.insert(node.get("domain"));
  for (const auto* one : node["rate_limits"].each()) {
    std::string descriptor;
    for (const auto* action : (*one)["actions"].each())
      for (const auto& member : action->members) {
        const auto value = member.value.get("descriptor_value", "*");
        descriptor += member.key + "=" + value + " ";
      }
    out.insert(descriptor);
  }
  for (const auto& item : node.items) collect_example_descriptors(item, domains, out);
  for (const auto& member : node.members) collect_example_descriptors(member.value, domains, out);
}

TEST(ExampleFiles, OfProxiesThatAreNotHereAreYaml) {
  for (const auto* name : {"decisions/traefik.yml", "decisions/envoy.yaml", "decisions/istio.yaml"})
    EXPECT_FALSE(example_documents(name).empty()) << name;
}

TEST(ExampleFiles, SendTheDescriptorsThatAreDecidedAbout) {
  const auto config = nlohmann::json::parse(example_text("rate_limit_service/headgate.json"), nullptr, true, true);
  std::set<std::string> decided;
  std::set<std::string> domains;
  for (const auto& each : config.at("decide")) {
    domains.insert(each.at("domain").get<std::string>());
    std::string descriptor;
    for (const auto& [key, value] : each.at("match").items()) descriptor += key + "=" + value.get<std::string>() + " ";
    decided.insert(descriptor);
  }
  for (const auto* name : {"rate_limit_service/envoy.yaml", "rate_limit_service/istio.yaml"}) {
    std::set<std::string> sent;
    std::set<std::string> to;
    for (const auto& document : example_documents(name)) collect_example_descriptors(document, to, sent);
    EXPECT_EQ(sent, decided) << name;
    EXPECT_EQ(to, domains) << name;
  }
}

}  // namespace
}  // namespace headgate::translate
