// The results of a scan do not depend on how the body is cut.

#include "support/scanned.hpp"

#include "headgate/core/random.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace headgate::scan {
namespace {

using test::Scanned;

const std::vector<std::string> kLookedFor = {"",      "/a",    "/a/b",   "/a/0", "/*", "/*/a", "/b",    "+/a",
                                             "+/*/b", "+/a/*", "/a/1/b", "/ä",   "/k", "/",    "/a~1b", "/model"};

std::string repeated_text(std::string_view text, std::size_t times) {
  std::string out;
  for (std::size_t i = 0; i < times; ++i) out += text;
  return out;
}

std::vector<std::pair<Form, std::string>> bodies() {
  const std::vector<std::string> documents = {
      R"({"a":{"b":1},"b":"x"})",
      R"( { "a" : [ "\u20ac\ud83d\ude00" , { "b" : -1.5e3 } ] , "A" : null , "\u0061" : true } )",
      "{\"a\":\"\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80 \xd0\xbf\xd1\x80\xd0\xb8 text\",\"\xc3\xa4\":false}",
      R"({"\u212a":"kelvin","a/b":"\"\\\/\b\f\n\r\t","":0})",
      R"([{"a":"1","b":"two"},{"a":null,"b":"three"},[],{},1,true,false,null])",
      R"({"a":1e400,"b":-0.000})",
      R"({"a":"\ud800"})",
      R"({"a":"\ud83d\n"})",
      "{\"a\":\"\xed\xa0\x80\"}",
      "{\"a\":\"\xe2\x82\"}",
      "{\"a\":\"control \x01\"}",
      R"({"a":tru})",
      R"({"a":nulll})",
      "{\"a\":01}",
      "{\"a\":1.}",
      "[1,2,]",
      "{\"a\":1}{",
      "\xEF\xBB\xBF{}",
      "\"text\"",
      "-12.5",
      "  ",
      "{\"a\":\"" + repeated_text("a longer text, ", 30) + "\"}",
      "{\"a\":\"" + repeated_text("\xe4\xbd\xa0", 90) + "\",\"b\":\"" + repeated_text("\xe4\xbd\xa0", 90) + "\"}",
      "{\"b\":{\"c\":\"" + repeated_text("\xd0\xbf, \xe4\xbd\xa0\\n\xf0\x9f\x98\x80\\u4f60", 30) + "\"}}",
      "{\"c\":\"" + repeated_text("QUJD", 130) + "==\",\"d\":\"data:image/png;base64," + repeated_text("QUJ\\/", 130) +
          "\"}",
      "{\"c\":\"" + repeated_text("QUJD", 130) + " \",\"d\":\"data:text," + repeated_text("word ", 130) + "\"}",
  };
  std::vector<std::pair<Form, std::string>> out;
  std::string lines;
  std::string events = "\xEF\xBB\xBF: a comment\r\n\r\nevent: x\n";
  for (const auto& document : documents) {
    out.emplace_back(Form::json, document);
    if (document.size() > 100) continue;  // the time grows with the square of the length
    lines += document + (document.size() % 2 == 0 ? "\n" : "\r\n\n");
    events += "data: " + document + (document.size() % 2 == 0 ? "\n\n" : "\r\n\r\n");
  }
  out.emplace_back(Form::lines, lines);
  out.emplace_back(Form::events, events);
  out.emplace_back(Form::events,
                   "data:{\"a\":\rdata\rdata: 1,\r\ndata:\"b\":2}\n\ndata: [DONE]\n\ndata: [\ndata: 1]\n\n: x");
  out.emplace_back(Form::events,
                   "data:[DONE]\n\ndata : {\"a\":1}\n\ndatas: {\"b\":2}\n\nid: 1\ndata: 5\n\ndata: {\"a\":3}");
  out.emplace_back(Form::form,
                   "a=b+c%20d&b=%C3%A4&A=&=x&&k&a%2Fb=%E4%BD%A0&%61=2&model=" + repeated_text("x%20y+", 60));
  out.emplace_back(Form::form, "a=%zz&b=%C3&c=" + repeated_text("%E4%BD", 40) + ";d=1%");
  return out;
}

TEST(Cuts, OfTwoPiecesChangeNothing) {
  Scanned scanned(kLookedFor);
  for (const auto& [form, body] : bodies()) {
    scanned.whole(body, form);
    const auto expected = scanned.told();
    for (std::size_t at = 0; at <= body.size(); ++at) {
      scanned.cut(body, form, {at});
      ASSERT_EQ(scanned.told(), expected) << "cut at " << at << ": " << body;
    }
  }
}

TEST(Cuts, IntoSingleBytesChangeNothing) {
  Scanned scanned(kLookedFor);
  for (const auto& [form, body] : bodies()) {
    scanned.whole(body, form);
    const auto expected = scanned.told();
    std::vector<std::size_t> cuts;
    for (std::size_t at = 1; at < body.size(); ++at) cuts.push_back(at);
    scanned.cut(body, form, cuts);
    EXPECT_EQ(scanned.told(), expected) << body;
  }
}

TEST(Cuts, AtRandomChangeNothingAlsoInDamagedBodies) {
  Scanned scanned(kLookedFor);
  Random random(7);
  const auto all = bodies();
  for (std::size_t round = 0; round < 3000; ++round) {
    auto [form, body] = all[random() % all.size()];
    for (auto changes = random() % 3; changes > 0 && !body.empty(); --changes)
      body[random() % body.size()] = "\"\\{}[]:,\n\r 0u\xe4\xbd\x80"[random() % 16];
    scanned.whole(body, form);
    const auto expected = scanned.told();
    std::vector<std::size_t> cuts;
    for (std::size_t i = 0; i < 6; ++i) cuts.push_back(random() % (body.size() + 1));
    std::sort(cuts.begin(), cuts.end());
    scanned.cut(body, form, cuts);
    ASSERT_EQ(scanned.told(), expected) << body;
  }
}

}  // namespace
}  // namespace headgate::scan
