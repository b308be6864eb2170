// Tests that servers keep their shares of the requests, whatever numbers another product uses.

#include "translate/draft/weights.hpp"

#include "headgate/config/load.hpp"
#include "headgate/translate/translate.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace headgate::translate {
namespace {

using Weights = std::vector<std::uint64_t>;

TEST(Weights, AreTheSmallestWithTheSameProportions) {
  EXPECT_EQ(proportions({100, 50}, 1000), (Weights{2, 1}));
  EXPECT_EQ(proportions({7}, 1000), (Weights{1}));
  EXPECT_EQ(proportions({3, 5}, 1000), (Weights{3, 5}));
  EXPECT_EQ(proportions({}, 1000), (Weights{}));
}

TEST(Weights, ThatDoNotFitAreScaledAndNeverVanish) {
  EXPECT_EQ(proportions({65535, 32768, 1}, 1000), (Weights{1000, 500, 1}));
}

TEST(Weights, OfZeroLeaveTheServerOut) {
  EXPECT_EQ(servers_json({{"http://a", 0}, {"http://b", 5}}), R"(["http://b"])");
}

/// Returns the translation of a file.
std::string translated_text(const std::string& name, const std::string& text) {
  auto folder = (std::filesystem::temp_directory_path() / "headgate_weights.XXXXXX").string();
  EXPECT_NE(::mkdtemp(folder.data()), nullptr);
  const auto file = std::filesystem::path(folder) / name;
  std::ofstream(file) << text;
  const auto translated = translate(file.string(), std::nullopt);
  std::filesystem::remove_all(folder);
  EXPECT_TRUE(translated.has_value()) << translated.error().message;
  return translated.has_value() ? translated->text : std::string();
}

struct WeightedFile {
  const char* name;
  const char* text;
  const char* part;  ///< part of the translation
};

class WeightsOfProducts : public testing::TestWithParam<WeightedFile> {};

TEST_P(WeightsOfProducts, StayInProportion) {
  const auto text = translated_text(GetParam().name, GetParam().text);
  EXPECT_NE(text.find(GetParam().part), std::string::npos) << text;
}

INSTANTIATE_TEST_SUITE_P(
    All, WeightsOfProducts,
    testing::Values(
        WeightedFile{
            "kong.yml",
            "_format_version: \"3.0\"\nupstreams:\n- name: u\n  targets: [{target: \"a:1\"}, {target: \"b:1\", "
            "weight: 50}, {target: \"c:1\", weight: 0}]\n",
            R"([{ "url": "http://a:1", "weight": 2 }, "http://b:1"])"},
        WeightedFile{"nginx.conf",
                     "upstream u { server a:1 weight=4; server b:1 weight=2; server c:1; }\n"
                     "server { listen 80; location / { proxy_pass http://u; } }\n",
                     R"({ "url": "http://a:1", "weight": 4 }, { "url": "http://b:1", "weight": 2 }, "http://c:1")"},
        WeightedFile{"haproxy.cfg",
                     "defaults\n  mode http\nfrontend f\n  bind :80\n  default_backend b\nbackend b\n"
                     "  server a a:1 weight 100\n  server b b:1 weight 50\n",
                     R"({ "url": "http://a:1", "weight": 100 }, { "url": "http://b:1", "weight": 50 })"},
        WeightedFile{
            "traefik.yml",
            "http:\n  routers: {r: {rule: 'Path(`/`)', service: u}}\n  services:\n    u: {loadBalancer: {servers: "
            "[{url: \"http://a:1\", weight: 30}, {url: \"http://b:1\", weight: 10}]}}\n",
            R"({ "url": "http://a:1", "weight": 3 }, "http://b:1")"},
        WeightedFile{
            "traefik.yml",
            "http:\n  routers: {r: {rule: 'Path(`/`)', service: w}}\n  services:\n    w: {weighted: {services: "
            "[{name: a, weight: 90}, {name: b, weight: 10}]}}\n    a: {loadBalancer: {servers: [{url: "
            "\"http://a:1\"}]}}\n    b: {loadBalancer: {servers: [{url: \"http://b:1\"}]}}\n",
            R"([{ "upstream": "a", "weight": 9 }, { "upstream": "b", "weight": 1 }])"},
        WeightedFile{"application.yml",
                     "spring:\n  cloud:\n    gateway:\n      routes:\n"
                     "      - {id: x, uri: \"http://a:1\", predicates: [Path=/s/**, \"Weight=g, 80\"]}\n"
                     "      - {id: y, uri: \"http://b:1\", predicates: [Path=/s/**, \"Weight=g, 20\"]}\n",
                     R"([{ "upstream": "a", "weight": 4 }, { "upstream": "b", "weight": 1 }])"}),
    [](const auto& file) { return std::to_string(file.index) + std::string(file.param.name).substr(0, 4); });

}  // namespace
}  // namespace headgate::translate
