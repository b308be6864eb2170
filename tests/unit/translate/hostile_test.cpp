// Tests of hostile files: each ends with a clear error at its place, within bounds.

#include "headgate/config/load.hpp"
#include "headgate/translate/translate.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace headgate::translate {
namespace {

class Hostile : public testing::Test {
 protected:
  Hostile() {
    auto name = (std::filesystem::temp_directory_path() / "headgate_translate.XXXXXX").string();
    EXPECT_NE(::mkdtemp(name.data()), nullptr);
    folder_ = name;
  }
  ~Hostile() override { std::filesystem::remove_all(folder_); }

  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name) << text;
    return (folder_ / name).string();
  }
  /// Returns the error as "NAME:LINE:COLUMN: message".
  std::string error_of(const std::string& name, const std::string& text, std::optional<Product> product = {}) const {
    const auto translated = translate(write(name, text), product);
    if (translated.has_value()) return "accepted";
    const auto& why = translated.error();
    auto file = std::filesystem::path(why.spot.file).filename().string();
    return file + ':' + std::to_string(why.spot.line) + ':' + std::to_string(why.spot.column) + ": " + why.message;
  }
  /// Returns the translation, which the checker accepts.
  static Translated accepted(const std::string& path) {
    auto translated = translate(path, std::nullopt);
    EXPECT_TRUE(translated.has_value()) << translated.error().message;
    if (!translated.has_value()) return {};
    EXPECT_TRUE(config::load(translated->text).config.has_value()) << translated->text;
    return *translated;
  }

  std::filesystem::path folder_;
};

TEST_F(Hostile, BracesAndQuotesOfNginxAreCounted) {
  EXPECT_EQ(error_of("a.conf", "server {\n  listen 80;\n"), "a.conf:1:1: the block of \"server\" is not closed");
  EXPECT_EQ(error_of("a.conf", "server { listen 80; }\n}\n"), "a.conf:2:1: unexpected \"}\": no block is open");
  EXPECT_EQ(error_of("a.conf", "server {\n  listen 80\n}\n"), "a.conf:2:3: \"listen\" is not ended");
  EXPECT_EQ(error_of("a.conf", "server { listen \"80; }\n"), "a.conf:1:17: this quote is not closed");
  EXPECT_EQ(error_of("a.conf", "server { ;"), "a.conf:1:10: unexpected \";\"");
  std::string deep;
  for (int i = 0; i < 10'000; ++i) deep += "server { ";
  EXPECT_EQ(error_of("a.conf", deep + ";").substr(0, 9), "a.conf:1:");
}

TEST_F(Hostile, FilesThatIncludeEachOtherEnd) {
  write("b.conf", "include a.conf;\n");
  EXPECT_NE(error_of("a.conf", "server { }\ninclude b.conf;\n").find("b.conf:1:1: "), std::string::npos);
  EXPECT_NE(error_of("c.conf", "server { }\ninclude c.conf;\n").find("includes itself"), std::string::npos);
}

TEST_F(Hostile, RefusesFilesThatAreNotConfigurations) {
  EXPECT_NE(error_of("a.conf", std::string("server {\0 }", 11)).find("is not a text file"), std::string::npos);
  EXPECT_NE(error_of("a.conf", "").find("configuration of no known product"), std::string::npos);
  EXPECT_NE(error_of("a.yml", "- just\n- a list\n").find("configuration of no known product"), std::string::npos);
  EXPECT_NE(error_of("a.conf", std::string((16U << 20U) + 1, '#')).find("is larger than 16 MiB"), std::string::npos);
  EXPECT_TRUE(translate((folder_ / "absent").string(), std::nullopt).has_error());
  EXPECT_TRUE(translate(folder_.string() + "/nothing-here/", std::nullopt).has_error());
}

TEST_F(Hostile, AliasesOfYamlAreCountedEachTime) {
  std::string bomb = "_format_version: \"3.0\"\na0: &a0 [x, x, x, x, x, x, x, x, x, x]\n";
  for (int i = 1; i < 9; ++i) {
    const auto before = std::to_string(i - 1);
    bomb += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [";
    for (int j = 0; j < 10; ++j) bomb += (j > 0 ? ", *a" : "*a") + before;
    bomb += "]\n";
  }
  EXPECT_NE(error_of("kong.yml", bomb).find("more than 200000 values"), std::string::npos);
  EXPECT_NE(error_of("kong.yml", "_format_version: \"3.0\"\nservices: " + std::string(5000, '[')).find("kong.yml:2:"),
            std::string::npos);
  EXPECT_NE(error_of("kong.yml", "_format_version: \"3.0\"\nservices: [a\n").find("kong.yml:"), std::string::npos);
}

TEST_F(Hostile, ATextOfTheFileIsNeitherAVariableNorAFileHere) {
  const auto translated =
      accepted(write("a.conf",
                     "server { listen 8080; location / { return 200 \"x\"; } location = /b { return 200 "
                     "'${file:/etc/passwd} ${HOME}'; } location = /c { add_header X-A "
                     "'a\"b\\c'; proxy_pass http://a:1; } }"));
  EXPECT_EQ(translated.text.find("\"${"), std::string::npos) << translated.text;
}

TEST_F(Hostile, ACommentStaysOnItsLine) {
  const auto translated = accepted(write("a.conf",
                                         "limit_req_zone $x zone=one:1m rate=1r/s;\nserver { location / { what \"a\n} "
                                         "] \x1b[31m\"; proxy_pass http://a:1; } }"));
  EXPECT_EQ(translated.text.find('\x1b'), std::string::npos);
  EXPECT_FALSE(translated.complete());
}

TEST_F(Hostile, SectionsOfHaproxyAreExpected) {
  EXPECT_EQ(error_of("a.cfg", "bind :80\nfrontend x\n"), "a.cfg:1:1: no section is open: \"bind\"");
  EXPECT_EQ(error_of("a.cfg", "frontend x\n  bind \":80\n"), "a.cfg:2:8: this quote is not closed");
}

TEST_F(Hostile, NamesThatNothingCanHaveAreReplaced) {
  accepted(write("a.conf", "upstream \"a b/ü\" { server 127.0.0.1:1; }\nlimit_req_zone $binary_remote_addr zone=" +
                               std::string(200, 'z') +
                               ":1m rate=1r/s;\nserver { location / { proxy_pass http://127.0.0.1:99999; } location "
                               "/%zz/ { return 204; } location \"/a*b{c}\" { return 204; } }"));
}

TEST_F(Hostile, RulesOfTraefikAreBounded) {
  const auto of_rule = [](const std::string& rule) {
    return "http:\n  services: {a: {loadBalancer: {servers: [{url: \"http://a:1\"}]}}}\n  routers: {r: {service: a, "
           "rule: '" +
           rule + "'}}\n";
  };
  std::string alternatives = "Path(`/x`)";
  for (int i = 0; i < 600; ++i) alternatives += " || Path(`/x`)";
  const auto product = "(" + alternatives.substr(0, 2000) + "Path(`/y`))";
  for (const auto& rule :
       {std::string(100'000, '!') + "Path(`/x`)", std::string(100'000, '(') + "Path(`/x`)", alternatives,
        product + " && " + product + " && " + product, "HostRegexp(`^" + std::string(100'000, '.') + "$`)",
        "PathRegexp(`" + std::string(10'000, '(') + "`)", std::string("Path(`/x`) &&"), std::string("Path(")}) {
    const auto translated = accepted(write("traefik.yml", of_rule(rule)));
    EXPECT_EQ(translated.text.find("\"to\""), translated.text.find("have: { \"to\"") + 8) << rule.substr(0, 100);
  }
}

}  // namespace
}  // namespace headgate::translate
