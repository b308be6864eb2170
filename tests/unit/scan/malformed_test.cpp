// Documents that are not JSON as RFC 8259 has it, and those that are.

#include "support/scanned.hpp"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace headgate::scan {
namespace {

using test::Scanned;

bool malformed(std::string_view body, Form form = Form::json) {
  Scanned scanned({"/a"});
  return scanned.whole(body, form).malformed();
}

TEST(Malformed, IsWhatIsNotJson) {
  using namespace std::string_view_literals;
  for (const auto body : {
           ""sv,
           " \t\r\n"sv,
           "\xEF\xBB\xBF{}"sv,
           "{}{}"sv,
           "{} 1"sv,
           "1 2"sv,
           "{},"sv,
           "]"sv,
           "}"sv,
           "[}"sv,
           "{]"sv,
           "["sv,
           "{"sv,
           "{\"a\""sv,
           "{\"a\":"sv,
           "{\"a\":1"sv,
           "{\"a\":1,"sv,
           "[1"sv,
           "[1,"sv,
           "\"a"sv,
           "\"a\\"sv,
           "\"\\u12"sv,
           "[1,]"sv,
           "[,1]"sv,
           "[1,,2]"sv,
           "{\"a\":1,}"sv,
           "{,}"sv,
           "{\"a\",1}"sv,
           "{\"a\" 1}"sv,
           "{a:1}"sv,
           "{'a':1}"sv,
           "{1:2}"sv,
           "{\"a\":}"sv,
           "[:]"sv,
           "nul"sv,
           "nulL"sv,
           "True"sv,
           "NaN"sv,
           "Infinity"sv,
           "-Infinity"sv,
           "undefined"sv,
           "truefalse"sv,
           "tru e"sv,
           "// x\n1"sv,
           "/* x */ 1"sv,
           "1 // x"sv,
           "# x\n1"sv,
           "01"sv,
           "-01"sv,
           "00"sv,
           "1."sv,
           ".5"sv,
           "-.5"sv,
           "+1"sv,
           "-"sv,
           "--1"sv,
           "1e"sv,
           "1e+"sv,
           "1.e3"sv,
           "0x10"sv,
           "1_000"sv,
           "1e1.5"sv,
           "[1.]"sv,
           "[-]"sv,
           "[01]"sv,
           "[1e]"sv,
           "[-01,1]"sv,
           "\"\n\""sv,
           "\"\t\""sv,
           "\"\x01\""sv,
           "\"\0\""sv,
           "\"\\q\""sv,
           "\"\\'\""sv,
           "\"\\x41\""sv,
           "\"\\u12g4\""sv,
           "\"\\U0041\""sv,
           "\"\\ud800\""sv,
           "\"\\udc00\""sv,
           "\"\\ud800\\ud800\""sv,
           "\"\\ud800x\""sv,
           "\"\\ud800\\n\""sv,
           "\"\\ud800\\u0041\""sv,
           "\"\\udbff\\ue000\""sv,
           "\"\x80\""sv,
           "\"\xc3\""sv,
           "\"\xc3(\""sv,
           "\"\xc0\xaf\""sv,
           "\"\xc1\x81\""sv,
           "\"\xe0\x80\xaf\""sv,
           "\"\xe0\x9f\xbf\""sv,
           "\"\xed\xa0\x80\""sv,
           "\"\xed\xbf\xbf\""sv,
           "\"\xf0\x8f\xbf\xbf\""sv,
           "\"\xf4\x90\x80\x80\""sv,
           "\"\xf5\x80\x80\x80\""sv,
           "\"\xff\""sv,
           "\"\xe2\x82\""sv,
           "\"\xf0\x9f\x98\""sv,
           "{\"\xff\":1}"sv,
           "{\"b\xc0\x80\":1}"sv,
           "\xff"sv,
           "{\"a\":1\v}"sv,
           "\f1"sv,
           "\xc2\xa0 1"sv,
           "\0"sv,
           "1\0"sv,
           "{\"a\":1}\0"sv,
       })
    EXPECT_TRUE(malformed(body)) << body;
}

TEST(Malformed, IsNoJson) {
  using namespace std::string_view_literals;
  for (const auto body : {
           "{}"sv,
           "[]"sv,
           " \t\r\n[ ]\n"sv,
           "{\"\":{}}"sv,
           "[[[]]]"sv,
           "null"sv,
           "true"sv,
           "false"sv,
           "0"sv,
           "-0"sv,
           "0.0"sv,
           "1e5"sv,
           "1E-5"sv,
           "10.01e+07"sv,
           "[0,0]"sv,
           "[0e0]"sv,
           "\"\""sv,
           "\"\\u0000\""sv,
           "\"\\ud83d\\ude00\""sv,
           "\"\\uDBFF\\uDFFF\""sv,
           "\"\x7f\""sv,
           "\"\xc2\x80\""sv,
           "\"\xdf\xbf\""sv,
           "\"\xe0\xa0\x80\""sv,
           "\"\xed\x9f\xbf\""sv,
           "\"\xee\x80\x80\""sv,
           "\"\xef\xbf\xbf\""sv,
           "\"\xf0\x90\x80\x80\""sv,
           "\"\xf4\x8f\xbf\xbf\""sv,
           "\"\xef\xbb\xbf\""sv,
           "\"\\\"\\\\\\/\""sv,
           "{\"a\":1,\"a\":2}"sv,
           "\"it's // no comment\""sv,
           "[1 , 2\n,\t3 ]"sv,
       })
    EXPECT_FALSE(malformed(body)) << body;
}

TEST(Malformed, IsWhatIsTooDeep) {
  const auto nested = [](std::size_t depth) { return std::string(depth, '[') + std::string(depth, ']'); };
  EXPECT_FALSE(malformed(nested(kMaxDepth)));
  EXPECT_TRUE(malformed(nested(kMaxDepth + 1)));
  std::string objects;
  for (std::size_t i = 0; i < kMaxDepth; ++i) objects += "{\"a\":";
  EXPECT_FALSE(malformed(objects + "1" + std::string(kMaxDepth, '}')));
  EXPECT_TRUE(malformed(objects + "[]" + std::string(kMaxDepth, '}')));
  EXPECT_TRUE(malformed(objects + "1]" + std::string(kMaxDepth, '}')));
  EXPECT_TRUE(malformed(std::string(1'000'000, '[')));
}

TEST(Malformed, IsAnyLineOrEvent) {
  EXPECT_TRUE(malformed("{}\n{\n{}\n", Form::lines));
  EXPECT_TRUE(malformed("{}\n{} {}\n", Form::lines));
  EXPECT_TRUE(malformed("{\n}\n", Form::lines));
  EXPECT_FALSE(malformed("{}\r\n\n  \n[1]", Form::lines));
  EXPECT_FALSE(malformed("", Form::lines));
  EXPECT_TRUE(malformed("data: {\n\ndata: {}\n\n", Form::events));
  EXPECT_TRUE(malformed("data: {}{}\n\n", Form::events));
  EXPECT_TRUE(malformed("data: {\"a\":", Form::events)) << "it ends within a document";
  EXPECT_FALSE(malformed("data: {}\n\ndata: [DONE]\n\n", Form::events));
  EXPECT_FALSE(malformed("", Form::events));
}

TEST(Malformed, LeavesWhatWasFoundBefore) {
  Scanned scanned({"/a"});
  const auto& scan = scanned.whole(R"({"a":5,"b":nul,"a":6})");
  EXPECT_TRUE(scan.malformed());
  EXPECT_EQ(scan.documents(), 0U);
  EXPECT_EQ(scan.found(0).number, 5);
}

}  // namespace
}  // namespace headgate::scan
