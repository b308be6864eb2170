// Advice: each piece has a file that deserves it (faults/advice-<name>.json) and one that is close to it and does not.

#include "config/advice/advice.hpp"

#include "files.hpp"

#include "headgate/config/load.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>

namespace headgate::config {
namespace {

class NoAdvice : public testing::TestWithParam<std::filesystem::path> {};

TEST_P(NoAdvice, IsGivenIfItWouldNotBeTrue) {
  unsetenv("HEADGATE_TEST_UNSET");
  setenv("HEADGATE_TEST_FILES", source_path("tests/unit/config/beside").c_str(), 1);
  const auto source = content(GetParam());
  const auto loaded = load(source, "", "f", WithAdvice::yes);
  EXPECT_EQ(render_text(loaded.diagnostics, GetParam().filename().string(), source), "");
}

INSTANTIATE_TEST_SUITE_P(Config, NoAdvice, testing::ValuesIn(files_in("tests/unit/config/silent", ".json")),
                         [](const auto& test) { return test.param.stem().string(); });

TEST(Advice, HasAFileForEachPieceThatDeservesItAndOneThatDoesNot) {
  for (const auto& row : advice_rows()) {
    const std::string name(row.name);
    EXPECT_NE(content(source_path("tests/unit/config/faults/advice-" + name + ".txt")).find("(" + name + ")"),
              std::string::npos)
        << name;
    EXPECT_TRUE(std::filesystem::exists(source_path("tests/unit/config/silent/" + name + ".json"))) << name;
  }
}

TEST(Advice, HasCodesThatRiseAndNamesThatDiffer) {
  const auto rows = advice_rows();
  for (std::size_t i = 1; i < rows.size(); ++i) {
    EXPECT_LT(rows[i - 1].code, rows[i].code);
    for (std::size_t j = 0; j < i; ++j) EXPECT_NE(rows[j].name, rows[i].name);
  }
}

TEST(Advice, IsNotGivenToAGatewayThatRuns) {
  const auto source = content(source_path("tests/unit/config/faults/advice-open_admin.json"));
  EXPECT_TRUE(load(source).diagnostics.empty());
  EXPECT_EQ(load(source, "", "f", WithAdvice::yes).diagnostics.size(), 1U);
}

TEST(Advice, IsNotGivenBesideErrors) {
  const auto loaded = load(R"({ "listen": ":1", "admin": { "listen": ":2", "token": "0123456789abcdef" },
    "routes": [{ "path": "/*" }] })",
                           "", "f", WithAdvice::yes);
  ASSERT_EQ(loaded.diagnostics.size(), 1U);
  EXPECT_EQ(loaded.diagnostics.front().severity, Severity::error);
}

TEST(Advice, HasItsCodeAndItsNameInJson) {
  const auto source = content(source_path("tests/unit/config/faults/advice-open_admin.json"));
  const auto text = render_json(load(source, "", "f", WithAdvice::yes).diagnostics, "f");
  for (const char* each :
       {R"("code": "HG607")", R"("severity": "advice")", R"("name": "open_admin")", R"("pointer": "/admin/listen")"})
    EXPECT_NE(text.find(each), std::string::npos) << each << text;
}

TEST(Advice, IsTheTableOfItsPage) {
  const auto page = content(source_path("docs/advice.md"));
  const std::string begin = "<!-- generated: begin -->\n";
  const auto from = page.find(begin);
  const auto to = page.find("<!-- generated: end -->");
  ASSERT_TRUE(from != std::string::npos && to != std::string::npos);
  EXPECT_EQ(page.substr(from + begin.size(), to - from - begin.size()), advice_table())
      << "write it anew: ./dev docs reference";
}

/// With limits on each route, two of them everywhere, and as many limits and entries that accept as there may be.
std::string large(std::size_t routes) {
  std::string out = R"({ "listen": ":1", "upstreams": { "app": "http://127.0.0.1:1" }, "limits": {
    "a": { "rate": "60/minute", "per": "client_ip" }, "b": { "rate": "90/minute", "per": "client_ip" })";
  for (std::size_t i = 0; i < routes / 10; ++i)
    out += ", \"l" + std::to_string(i) + R"(": { "rate": "90/day", "per": "client_ip" })";
  out += R"( }, "all_routes": { "limits": ["a", "b"] }, "routes": [)";
  for (std::size_t i = 0; i < routes; ++i)
    out += (i == 0 ? "" : ",") + std::string(R"({ "path": "/r)") + std::to_string(i) +
           R"(", "to": "app", "limits": ["l)" + std::to_string(i / 10) + "\"] }";
  out += R"(], "accept_advice": ["never_binds")";
  for (std::size_t i = 0; i < 999; ++i) out += R"(, "HG606 /limits/l)" + std::to_string(i) + '"';
  return out + "] }";
}

TEST(Advice, TakesAShareOfACheckThatDoesNotRiseWithTheNumberOfRoutes) {
  const auto time_of = [](std::size_t routes, WithAdvice with) {
    const auto source = large(routes);
    const auto begin = std::chrono::steady_clock::now();
    const auto loaded = load(source, "", "f", with);
    EXPECT_TRUE(loaded.config);
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  };
  // Far from what it takes, and far below what a walk over all pairs of routes would.
  EXPECT_LT(time_of(3'000, WithAdvice::yes), 5 * time_of(3'000, WithAdvice::no) + 0.5);
}

}  // namespace
}  // namespace headgate::config
