// Scans of bodies: text that no pointer reads is skipped many bytes at once, and bodies made to be expensive cost some
// steps for each byte, however they are cut.

#include "headgate/scan/scan.hpp"

#include "cost/spent.hpp"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <utility>

namespace headgate::scan {
namespace {

using test::spent_by;

constexpr std::size_t kBytes = 300 * 1024;

std::string repeated(std::string_view piece) {
  std::string out;
  while (out.size() < kBytes) out += piece;
  return out;
}

/// As many pointers as there can be: half of them for members of the root, the others for parts of lists.
const Pointers& many_pointers() {
  static const auto all = [] {
    Pointers out;
    for (std::size_t i = 0; i < kMaxPointers / 2; ++i) {
      out.add({{"a" + std::to_string(i)}}, Take::value);
      out.add({{"list", std::to_string(i)}}, i % 2 == 0 ? Take::value : Take::text);
    }
    return out;
  }();
  return all;
}

test::Spent cost_of(const Pointers& pointers, Form form, std::string_view body, std::size_t piece) {
  Scan scan;
  scan.begin(pointers, form);
  return spent_by([&] {
    for (std::size_t at = 0; at < body.size(); at += piece) scan.feed(body.substr(at, piece));
    scan.end();
  });
}

TEST(CostOfScans, OfTextThatNoPointerReadsIsSmall) {
  Pointers pointers;
  pointers.add({{"model"}}, Take::value);
  const auto request = [](std::string_view text) {
    return R"({"model":"m","messages":[{"role":"user","content":")" + repeated(text) + "\"}]}";
  };
  const std::pair<std::string, double> bodies[] = {
      {request("The quick brown fox jumps over the lazy dog. "), 0.2},
      {request("QUJDabc+/09"), 0.2},
      {request("data:image/png;base64,QUJD"), 0.2},
      {request("\xe4\xbd\xa0\xe5\xa5\xbd\xef\xbc\x8c"), 1},
      {request("\\u4f60\\u597d"), 3},
      {request("line\\n"), 20},
  };
  for (const auto& [body, most] : bodies) {
    const auto cost = cost_of(pointers, Form::json, body, 16 * 1024);
    EXPECT_LT(static_cast<double>(cost.steps), most * static_cast<double>(body.size())) << body.substr(50, 40);
    EXPECT_EQ(cost.allocations, 0U);
    EXPECT_GT(cost.steps, body.size() / 40) << "the test has lost sight of the sources";
  }
}

TEST(CostOfScans, IsInProportionToTheBytes) {
  constexpr std::size_t kMaxSteps = 150;  // at most 72 as GCC 12 cuts the code into blocks
  const std::pair<Form, std::string> bodies[] = {
      {Form::json, repeated("[")},
      {Form::json, "[" + repeated("[],{},") + "1]"},
      {Form::json, "[" + repeated("1,") + "1]"},
      {Form::json, "[" + repeated("\"\",") + "1]"},
      {Form::json, "[" + repeated("-0.1e-1,") + "1]"},
      {Form::json, "{\"list\":[" + repeated("1,") + "1]}"},
      {Form::json, "{\"list\":[" + repeated("\"\",") + "1]}"},
      {Form::json, "{" + repeated("\"a1\":1,") + "\"a\":1}"},
      {Form::json, "{" + repeated("\"A1\":\"\",") + "\"a\":1}"},
      {Form::json, "{" + repeated("\"\\u0061\":1,") + "\"a\":1}"},
      {Form::json, "{" + repeated("\"\xc3\xa4\":1,") + "\"a\":1}"},
      {Form::json, "{\"" + repeated("a") + "\":1}"},
      {Form::json, "{\"a1\":\"" + repeated("\\ud83d\\ude00") + "\"}"},
      {Form::json, "{\"a1\":" + repeated("9") + "}"},
      {Form::json, "{\"a1\":0." + repeated("0") + "}"},
      {Form::json, "{\"x\":\"" + repeated("\xc3\xa4 ") + "\"}"},
      {Form::json, "{\"x\":\"" + repeated("\xe0\xa4\x85\xf0\x9f\x98\x80") + "\"}"},
      {Form::json, "{\"x\":\"data:" + repeated("a;") + "\"}"},
      {Form::json, repeated(" \n")},
      {Form::events, repeated("data\n")},
      {Form::events, repeated("\r\n")},
      {Form::events, repeated("data:{}\n\n")},
      {Form::events, repeated("data:[\ndata:]\n\n")},
      {Form::events, repeated("data:[DONE]\n\n")},
      {Form::lines, repeated("{}\n")},
      {Form::lines, repeated("1\n")},
      {Form::form, repeated("a1=1&")},
      {Form::form, repeated("&")},
      {Form::form, repeated("=&")},
      {Form::form, "a1=" + repeated("%41")},
      {Form::form, repeated("b=+%41&")},
  };
  for (const auto& [form, body] : bodies) {
    for (const std::size_t piece : {body.size(), std::size_t{1000}, std::size_t{17}, std::size_t{1}}) {
      const auto cost = cost_of(many_pointers(), form, body, piece);
      EXPECT_LT(cost.steps, kMaxSteps * body.size()) << body.substr(0, 30) << " in pieces of " << piece;
      EXPECT_EQ(cost.allocations, 0U) << body.substr(0, 30);
    }
  }
}

}  // namespace
}  // namespace headgate::scan
