// Members that some reader takes for another one: readers of JSON disagree about names that occur twice.

#include "support/scanned.hpp"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace headgate::scan {
namespace {

using test::Scanned;

bool repeated(std::string_view pointer, std::string_view body, Form form = Form::json) {
  Scanned scanned({std::string(pointer)});
  const auto& scan = scanned.whole(body, form);
  EXPECT_FALSE(scan.malformed()) << body;
  return scan.found(0).repeated;
}

TEST(Repeated, IsAMemberThatOccursTwice) {
  EXPECT_TRUE(repeated("/a", R"({"a":1,"a":2})"));
  EXPECT_TRUE(repeated("/a", R"({"a":1,"b":{},"\u0061":2})"));
  EXPECT_TRUE(repeated("/a", R"({"a":null,"a":null})"));
  EXPECT_TRUE(repeated("/a/b", R"({"a":{"b":1},"a":{}})"));
  EXPECT_TRUE(repeated("/a/b", R"({"a":{"b":1},"a":3})"));
  EXPECT_TRUE(repeated("/a/b", R"({"a":{"b":1,"b":2}})"));
  EXPECT_TRUE(repeated("/a/0/b", R"({"a":[{"b":1,"b":2}]})"));
  EXPECT_TRUE(repeated("/*/b", R"([{"b":1,"b":2}])"));
  EXPECT_TRUE(repeated("/\xc3\xa4", "{\"\xc3\xa4\":1,\"\\u00e4\":2}"));
}

TEST(Repeated, IsAMemberInAnotherCase) {
  EXPECT_TRUE(repeated("/model", R"({"Model":"x"})"));
  EXPECT_TRUE(repeated("/model", R"({"model":"x","MODEL":"y"})"));
  EXPECT_TRUE(repeated("/model", R"({"\u004dodel":"x"})"));
  EXPECT_TRUE(repeated("/a/Key", R"({"a":{"key":1}})"));
  EXPECT_TRUE(repeated("/key/s",
                       "{\"\xe2\x84\xaa"
                       "ey\":{\"\xc5\xbf\":1}}"))
      << "Go takes U+212A for K, and U+017F for S";
  EXPECT_TRUE(repeated("/\xc3\xa4", "{\"\xc3\x84\":1}"));
  EXPECT_TRUE(repeated("/max_tokens", R"({"max_to\u212Aen\u017f":1})"));
}

TEST(Repeated, IsAMemberThatSomeReadersEndBeforeNul) {
  EXPECT_TRUE(repeated("/model", R"({"model\u0000x":"x"})"));
  EXPECT_FALSE(repeated("/model", R"({"mode\u0000l":"x"})"));
}

TEST(Repeated, IsNoMemberOfAnotherObject) {
  EXPECT_FALSE(repeated("/a", R"({"a":1,"b":{"a":2}})"));
  EXPECT_FALSE(repeated("/a", R"({"b":{"a":1,"a":2,"A":3},"a":2})"));
  EXPECT_FALSE(repeated("/a/b", R"({"c":1,"c":2,"a":{"b":1},"b":3})"));
  EXPECT_FALSE(repeated("/*/b", R"([{"b":1},{"b":2}])"));
  EXPECT_FALSE(repeated("/model", R"({"models":1,"mode":2,"nodel":3,"m\u00f6del":4})"));
  EXPECT_FALSE(repeated("/a", R"(["a","a"])"));
}

TEST(Repeated, IsForgottenNeitherByALaterDocumentNorBetweenThem) {
  EXPECT_TRUE(repeated("/a", "{\"a\":1,\"a\":2}\n{\"a\":3}\n", Form::lines));
  EXPECT_FALSE(repeated("/a", "{\"a\":1}\n{\"a\":3}\n", Form::lines)) << "each document has one";
}

TEST(Repeated, IsALongNameOnlyIfItIsTheSame) {
  const std::string step(kMaxStepBytes, 'k');
  EXPECT_FALSE(repeated("/" + step, "{\"" + std::string(300, 'k') + "\":1}"));
  std::string kelvins;
  for (std::size_t i = 0; i < kMaxStepBytes; ++i) kelvins += "\\u212a";
  EXPECT_TRUE(repeated("/" + step, "{\"" + kelvins + "\":1}"));
  EXPECT_FALSE(repeated("/" + step, "{\"" + kelvins + "k\":1}"));
  EXPECT_TRUE(repeated("/k", "{\"k\\u0000" + std::string(300, 'x') + "\":1}"));
}

}  // namespace
}  // namespace headgate::scan
