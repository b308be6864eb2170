// What routes change, as it is read: variables beside the environment, files, and what `check` says of it.

#include "files.hpp"
#include "loaded.hpp"

#include "headgate/gateway/edit_options.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <optional>

namespace headgate::config {
namespace {

using gateway::FieldEdit;
using gateway::TextPart;
using gateway::TextTemplate;

/// A file with one route, whose members are `route`.
std::string with_route(const std::string& route) {
  return R"({ "listen": ":8080", "upstreams": { "app": "http://127.0.0.1:3000" }, "routes": [{ "path": "/u/{id}/*", )" +
         route + " }] }";
}
gateway::RouteOptions route_of(const std::string& route) {
  const auto config = loaded(with_route(route));
  return config.gateway.routes.empty() ? gateway::RouteOptions{} : config.gateway.routes.front();
}
TextTemplate value(const std::string& written) {
  const auto route = route_of(R"("to": "app", "request_headers": { "set": { "X-A": ")" + written + R"(" } })");
  return route.edits ? route.edits->request_fields.front().value : TextTemplate{};
}

TEST(Edits, AnswersAreRewrittenAsTheRouteSaysIfItSays) {
  EXPECT_EQ(route_of(R"("to": "app", "rewrite_answers": true)").edits->answers, true);
  EXPECT_EQ(route_of(R"("to": "app", "rewrite_answers": false)").edits->answers, false);
  EXPECT_EQ(route_of(R"("to": "app", "rewrite": { "strip_prefix": "/u" })").edits->answers, std::nullopt);
}

TEST(Edits, VariablesOfRequestsAreReadOnceAndTheEnvironmentToo) {
  setenv("HEADGATE_TEST_NAME", "from outside", 1);
  setenv("client_ip", "from outside", 1);
  setenv("HEADGATE_TEST_TRICK", "${host}", 1);
  EXPECT_EQ(value("a ${client_ip} b"),
            (TextTemplate{
                {TextPart::Kind::literal, "a "}, {TextPart::Kind::client_ip, ""}, {TextPart::Kind::literal, " b"}}));
  EXPECT_EQ(value("${path.id}${HEADGATE_TEST_NAME}"),
            (TextTemplate{{TextPart::Kind::path, "id"}, {TextPart::Kind::literal, "from outside"}}));
  EXPECT_EQ(value("$${host}"), (TextTemplate{{TextPart::Kind::literal, "${host}"}}));
  EXPECT_EQ(value("${HEADGATE_TEST_TRICK}"), (TextTemplate{{TextPart::Kind::literal, "${host}"}}))
      << "what comes from outside is text";
  EXPECT_EQ(value("${HEADGATE_TEST_UNSET:-x}"), (TextTemplate{{TextPart::Kind::literal, "x"}}));
  unsetenv("client_ip");
}

TEST(Edits, AValueFromOutsideCannotNameAVariable) {
  setenv("HEADGATE_TEST_TRICK", "\x01jwt.sub\x02", 1);
  const auto source = with_route(R"("to": "app", "request_headers": { "set": { "X-A": "${HEADGATE_TEST_TRICK}" } })");
  const auto read = load(source);
  EXPECT_FALSE(read.config);
  EXPECT_EQ(read.diagnostics.front().message,
            "the value of \"${HEADGATE_TEST_TRICK}\" cannot be sent in a header field");
}

TEST(Edits, ElsewhereThereIsOnlyTheEnvironment) {
  setenv("host", "from.outside", 1);
  EXPECT_EQ(route_of(R"("to": "app", "name": "${host}")").name, "from.outside");
  unsetenv("host");
}

TEST(Edits, StandInTheOrderRemoveSetAdd) {
  const auto route = route_of(
      R"("to": "app", "response_headers": { "add": { "A": "1" }, "set": { "B": "2" }, "remove": ["C"], "always": true })");
  ASSERT_TRUE(route.edits);
  const auto& edits = route.edits->response_fields;
  ASSERT_EQ(edits.size(), 3U);
  EXPECT_EQ(edits[0].name, "C");
  EXPECT_EQ(edits[0].how, FieldEdit::How::remove);
  EXPECT_EQ(edits[1].name, "B");
  EXPECT_EQ(edits[2].how, FieldEdit::How::add);
  EXPECT_TRUE(route.edits->always);
}

TEST(Edits, APlainRouteHasNone) { EXPECT_FALSE(route_of(R"("to": "app")").edits); }

TEST(Edits, TheBodyOfAFixedAnswerComesFromAFileBesideTheConfiguration) {
  const auto source = with_route(R"("respond": { "status": 503, "body_file": "down.json" })");
  const auto read = load(source, source_path("tests/unit/config/beside"));
  ASSERT_TRUE(read.config) << render_text(read.diagnostics, "f", source);
  const auto& respond = *read.config->gateway.routes.front().respond;
  EXPECT_EQ(respond.body, "{ \"down\": true }\n");
  EXPECT_EQ(respond.content_type, "application/json");
}

TEST(Edits, ARedirectIsAnAnswerWithoutABody) {
  const auto route = route_of(R"("redirect": { "to": "https://a.example/{id}/*" })");
  ASSERT_TRUE(route.respond && route.edits);
  EXPECT_EQ(route.respond->status, 308U);
  EXPECT_EQ(route.respond->content_type, "");
  EXPECT_EQ(route.edits->redirect->to, "https://a.example/{id}/*");
}

TEST(Edits, CheckSaysWhereRoutesLead) {
  const std::string limit = R"("limits": { "l": { "rate": "1/minute", "per": "client_ip" } }, )";
  const auto source = R"({ "listen": ":8080", "upstreams": { "app": "http://127.0.0.1:3000" }, )" + limit +
                      R"("routes": [
    { "path": "/a/*", "to": "app", "rewrite": { "strip_prefix": "/a", "add_prefix": "/b" }, "limits": ["l"] },
    { "path": "/c", "headers": { "X-Secret": "hidden" }, "query": { "v": true }, "redirect": { "to": "/d" } }] })";
  const auto text = meaning(loaded(source), "f");
  EXPECT_NE(text.find("app without /a, below /b"), std::string::npos) << text;
  EXPECT_NE(text.find("/c with x-secret, ?v"), std::string::npos) << text;
  EXPECT_NE(text.find("redirects (308) to /d"), std::string::npos) << text;
  EXPECT_EQ(text.find("hidden"), std::string::npos) << "a value may be secret";
}

}  // namespace
}  // namespace headgate::config
