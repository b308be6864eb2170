// Tests that the tables of the importers are complete and true, and that docs/imports.md shows them.

#include "headgate/translate/known.hpp"

#include "imported_text.hpp"
#include "known_samples.hpp"

#include "headgate/config/load.hpp"
#include "headgate/core/text.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <set>

namespace headgate::translate {
namespace {

std::string content_of(const std::filesystem::path& file) {
  std::ifstream in(file);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

std::vector<std::string> keys_of(const ImportWord& known) {
  static const std::regex comma(", ");
  const std::string all(known.becomes);
  return {std::sregex_token_iterator(all.begin(), all.end(), comma, -1), std::sregex_token_iterator()};
}

/// Returns the frame with `text` at one place and nothing at the others.
std::string filled(const ProductSamples& product, std::string_view place, std::string_view text) {
  static const std::regex any("<[a-z]+>");
  std::string out(product.frame);
  std::smatch first;
  std::regex_search(out, first, any);
  const auto wanted = place.empty() ? first.str() : '<' + std::string(place) + '>';
  const auto at = out.find(wanted);
  EXPECT_NE(at, std::string::npos) << wanted;
  out.replace(at, wanted.size(), text);
  return std::regex_replace(out, any, "");
}

class KnownWords : public ImportedText {
 protected:
  std::string translated(const ProductSamples& product, const Sample& sample) const {
    auto text = std::string(sample.text);
    if (product.product == Product::ingress)
      text = "    nginx.ingress.kubernetes.io/" + std::string(sample.name) + ": " + text;
    auto place = sample.place;
    if (product.product == Product::nginx && place.empty()) place = "location";
    return of(std::string(product.file), filled(product, place, text)).text;
  }
};

TEST_F(KnownWords, BecomeTheKeysThatTheirRowsName) {
  const auto schema = config::schema();
  for (const auto& product : product_samples()) {
    std::map<std::string_view, std::string> texts;
    for (const auto& sample : product.samples) texts[sample.name] += translated(product, sample);
    for (const auto& known : import_words(product.product)) {
      if (known.becomes.empty()) continue;
      for (const auto& key : keys_of(known)) {
        EXPECT_NE(schema.find('"' + key + "\":"), std::string::npos) << known.name << ": no key " << key;
        EXPECT_NE(texts[known.name].find('"' + key + "\":"), std::string::npos)
            << to_text(product.product) << ' ' << known.name << ": no " << key << " in " << texts[known.name];
      }
    }
  }
}

/// Returns the names that the importer of a product compares with.
std::set<std::string> names_in_sources(Product product) {
  struct Call {
    Product product;
    const char* expression;
  };
  static const std::vector<Call> kCalls{
      {Product::nginx, R"re(\b(?:one|all|on)\("([a-z0-9_]+)"\))re"},
      {Product::nginx, R"re(\bown\([^()]*, "([a-z_]+)"\))re"},
      {Product::nginx, R"re(\.name == "([a-z_]+)")re"},
      {Product::haproxy, R"re(begins\("([a-z_-]+(?:", "[a-z-]+)?)"\))re"},
      {Product::haproxy, R"re(last_line\(\w+, "([a-z_-]+(?:", "[a-z-]+)?)"\))re"},
      {Product::kong, R"re(\b(?:name|plugin) ==? "([a-z-]+)")re"},
      {Product::kong, R"re(\bplugin\("([a-z-]+)"\))re"},
      {Product::ingress, R"re(object\.(?:get|spot|annotations\.contains)\("([a-z-]+)")re"},
      {Product::spring, R"re(\b(?:name|step\.name) == "([A-Za-z]+)")re"},
      {Product::traefik, R"re(\bkind == "([a-z]+)")re"},
      {Product::litellm, R"re(\b(?:get|has)\("([a-z_]+)")re"},
      {Product::litellm, R"re(\["([a-z_]+)"\])re"},
      {Product::ratelimit, R"re(\b(?:get|has)\("([a-z_]+)")re"},
      {Product::ratelimit, R"re(\bis_rate_flag\([^()"]*, "([a-z_]+)"\))re"},
      {Product::ratelimit, R"re(\["([a-z_]+)"\])re"}};
  std::set<std::string> out;
  const auto folder = HEADGATE_SOURCE_DIR "/src/translate/" + std::string(to_text(product));
  for (const auto& file : std::filesystem::directory_iterator(folder)) {
    const auto text = content_of(file.path());
    for (const auto& call : kCalls) {
      if (call.product != product) continue;
      const std::regex expression(call.expression);
      for (std::sregex_iterator at(text.begin(), text.end(), expression); at != std::sregex_iterator(); ++at)
        out.insert(std::regex_replace((*at)[1].str(), std::regex("\", \""), " "));
    }
  }
  return out;
}

bool has_row(Product product, const std::string& name) {
  const auto same = [&](const ImportWord& known) {
    const auto words = std::string(known.name);
    const bool family = words.ends_with('*') && name.starts_with(words.substr(0, words.size() - 1));
    return family || (words.size() == name.size() && lower(words) == lower(name)) || words.starts_with(name + ' ') ||
           name.starts_with(words + ' ');
  };
  const auto words = import_words(product);
  return std::any_of(words.begin(), words.end(), same);
}

TEST(KnownTables, HaveEveryNameThatAnImporterComparesWith) {
  // Words of maps, sections, members of plugins and of compose files, and rules that have rows by their actions.
  const std::set<std::string> others{"default",          "querystring",         "uri",          "services",
                                     "http-response",    "http-after-response", "tcp-response", "general_settings",
                                     "litellm_settings", "router_settings"};
  for (const auto product : all_products()) {
    const auto names = names_in_sources(product);
    EXPECT_GE(names.size(), 10U) << to_text(product);
    for (const auto& name : names)
      EXPECT_TRUE(others.contains(name) || has_row(product, name))
          << to_text(product) << ": \"" << name << "\" has no row: add it to known.cpp or translated.cpp";
  }
}

TEST_F(KnownWords, WithoutAnEquivalentAreReportedWithTheReasonOfTheirRows) {
  // No remark is given for blocks and for words without effect; the others need a frame that this test does not have.
  const std::set<std::string_view> silent{"http",  "events",      "proxy_send_timeout", "proxy_next_upstream_timeout",
                                          "chain", "mode",        "limit_req_status",   "limit_conn_status",
                                          "zone",  "keepalive_*", "PreserveHostHeader", "basic-auth"};
  for (const auto& product : product_samples())
    for (const auto& known : import_words(product.product)) {
      if (!known.becomes.empty() || silent.contains(known.name)) continue;
      auto name = std::string(known.name);
      if (name.ends_with('*')) name.replace(name.size() - 1, 1, product.product == Product::ingress ? "" : "x");
      if (product.product == Product::ingress && import_words(product.product).front().name == name) continue;
      std::string text;
      std::string_view place;
      switch (product.product) {
        case Product::nginx:
          text = name + " 1x;";
          if (known.matter != Matter::closed) text = "location /x { " + text + " }";
          place = known.matter == Matter::closed ? "location" : "server";
          break;
        case Product::ingress:
          text = "    nginx.ingress.kubernetes.io/" + name + ": \"1\"";
          break;
        case Product::kong:
          text = "{ name: " + name + " }";
          break;
        case Product::haproxy:
          text = name + " a";
          place = name == "server-template" ? "backend" : "frontend";
          break;
        case Product::spring: {
          const bool predicate =
              name == "After" || name == "Before" || name == "Between" || name == "XForwardedRemoteAddr";
          text = "            - " + name + "=a";
          place = predicate ? "predicate" : "filter";
          break;
        }
        case Product::traefik:
          text = name + ": { a: b }";
          place = "middleware";
          break;
        case Product::litellm:
          text = name + ": x";
          place = "general";
          break;
        case Product::ratelimit:
          text = name + ": x";
          break;
      }
      const auto got = of(std::string(product.file), filled(product, place, text));
      const auto why = std::string(known.why);
      EXPECT_TRUE(std::ranges::any_of(got.remarks, [&](const Remark& each) { return each.why.starts_with(why); }))
          << to_text(product.product) << ' ' << known.name << ": nothing says " << why;
    }
}

TEST(KnownTables, AreShownByThePage) {
  const auto page = content_of(HEADGATE_SOURCE_DIR "/docs/imports.md");
  const std::string begin = "<!-- generated: begin -->\n";
  const auto from = page.find(begin);
  const auto to = page.find("<!-- generated: end -->");
  ASSERT_TRUE(from != std::string::npos && to != std::string::npos);
  EXPECT_EQ(page.substr(from + begin.size(), to - from - begin.size()), import_tables())
      << "./dev docs reference writes the tables";
}

}  // namespace
}  // namespace headgate::translate
