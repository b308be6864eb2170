// Event streams, lines of JSON, and the forms of bodies.

#include "support/scanned.hpp"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <utility>

namespace headgate::scan {
namespace {

using test::Scanned;

using Kind = Found::Kind;

TEST(Events, AreDocumentsAndSumTheirTexts) {
  Scanned scanned({"/usage/total_tokens", "+/choices/*/delta/content", "/id"});
  const auto& scan = scanned.whole(
      "data: "
      "{\"id\":\"a\",\"choices\":[{\"delta\":{\"content\":\"Hel\"}},{\"delta\":{\"content\":\"X\"}}],\"usage\":null}"
      "\n\n"
      "data: {\"id\":\"b\",\"choices\":[{\"delta\":{\"content\":\"lo\"}}],\"usage\":null}\n\n"
      "data: {\"choices\":[],\"usage\":{\"total_tokens\":12}}\n\n"
      "data: {\"choices\":[],\"usage\":{\"total_tokens\":null}}\n\n"
      "data: [DONE]\n\n",
      Form::events);
  EXPECT_FALSE(scan.malformed());
  EXPECT_EQ(scan.documents(), 4U);
  EXPECT_EQ(scan.found(0).number, 12);
  EXPECT_EQ(scan.found(1).number, 6);
  EXPECT_EQ(scan.found(2).text, "b");
  EXPECT_FALSE(scan.found(2).repeated);
}

TEST(Events, HaveLinesAsTheStandardSays) {
  Scanned scanned({"/a", "/b"});
  const auto found = [&](std::string_view body) {
    const auto& scan = scanned.whole(body, Form::events);
    EXPECT_FALSE(scan.malformed()) << body;
    return std::pair(scan.found(0).number, scan.found(1).number);
  };
  using Pair = std::pair<std::int64_t, std::int64_t>;
  EXPECT_EQ(found("data:{\"a\":1}\n\n"), Pair(1, 0));
  EXPECT_EQ(found("data: {\"a\":1}\r\rdata: {\"b\":2}\r\n\r\n"), Pair(1, 2));
  EXPECT_EQ(found("\xEF\xBB\xBF"
                  "data: {\"a\":1}\n\n"),
            Pair(1, 0));
  EXPECT_EQ(found("\xEF\xBB\xBF\xEF\xBB\xBF"
                  "data: {\"a\":1}\n\n"),
            Pair(0, 0))
      << "only one mark is skipped";
  EXPECT_EQ(found("data: {\"a\":1,\ndata: \"b\":2}\n\n"), Pair(1, 2));
  EXPECT_EQ(found("event: x\nid: 5\ndata: {\"a\":1}\nretry: 3\n: comment\n\n"), Pair(1, 0));
  EXPECT_EQ(found(": data: {\"a\":1}\n\n"), Pair(0, 0));
  EXPECT_EQ(found(" data: {\"a\":1}\n\n"), Pair(0, 0));
  EXPECT_EQ(found("Data: {\"a\":1}\n\ndata2: {\"a\":1}\n\ndat: {\"a\":1}\n\n"), Pair(0, 0));
  EXPECT_EQ(found("data: {\"a\":1}"), Pair(1, 0)) << "the last blank line may be missing";
  EXPECT_EQ(found("data: [\ndata: {\"a\":3}]\n\n"), Pair(0, 0));
  EXPECT_EQ(scanned.scan().elements(), 1U);
  EXPECT_EQ(found("data\ndata: {\"a\":1}\ndata\n\n"), Pair(1, 0));
}

TEST(Events, ThatAreNotJsonAreIgnored) {
  Scanned scanned({"/a"});
  const auto& scan = scanned.whole(
      "data: hello\n\ndata: [DONE]\n\ndata:  [DONE] {\n\ndata: 5\n\ndata: \"x\"\n\ndata:\n\ndata: {\"a\":1}\n\n",
      Form::events);
  EXPECT_FALSE(scan.malformed());
  EXPECT_EQ(scan.documents(), 1U);
  EXPECT_EQ(scan.text_bytes(), 0U);
}

TEST(Lines, AreDocuments) {
  Scanned scanned({"/a", "+/t"});
  const auto& scan = scanned.whole("{\"a\":1,\"t\":\"xy\"}\n\n{\"t\":\"z\"}\r\n{\"a\":null}\n3", Form::lines);
  EXPECT_FALSE(scan.malformed());
  EXPECT_EQ(scan.documents(), 4U);
  EXPECT_EQ(scan.found(0).number, 1);
  EXPECT_EQ(scan.found(1).number, 3);
}

TEST(Forms, HaveDecodedFields) {
  Scanned scanned({"/a", "/b", "/c", "/", "/m\xc3\xb6\x64\x65l", "/x/y", "+/a", ""});
  const auto& scan = scanned.whole("a=b+c%20%26%3d=&b=&c&=empty&m%C3%B6del=%E2%82%AC&x=1&d=ignored%20text", Form::form);
  EXPECT_FALSE(scan.malformed());
  EXPECT_EQ(scan.documents(), 1U);
  EXPECT_EQ(scan.found(0).text, "b c &==");
  EXPECT_EQ(scan.found(1).kind, Kind::text);
  EXPECT_EQ(scan.found(1).text, "");
  EXPECT_EQ(scan.found(2).kind, Kind::text);
  EXPECT_EQ(scan.found(3).text, "empty");
  EXPECT_EQ(scan.found(4).text, "\xe2\x82\xac");
  EXPECT_EQ(scan.found(5).kind, Kind::absent);
  EXPECT_EQ(scan.found(6).number, 7);
  EXPECT_EQ(scan.found(7).kind, Kind::absent);
  EXPECT_EQ(scan.text_bytes(), 7U + 0U + 0U + 5U + 3U + 1U + 12U);
  for (std::size_t i = 0; i < 8; ++i) EXPECT_FALSE(scan.found(i).repeated) << i;
}

TEST(Forms, SayWhichFieldsAreRepeated) {
  Scanned scanned({"/max_n"});
  const auto repeated = [&](std::string_view body) { return scanned.whole(body, Form::form).found(0).repeated; };
  EXPECT_FALSE(repeated("max_n=1&max=2&n=3"));
  EXPECT_TRUE(repeated("max_n=1&max_n=2"));
  EXPECT_TRUE(repeated("max_n=1&m%61x_n=2"));
  EXPECT_TRUE(repeated("Max_N=1"));
  EXPECT_TRUE(repeated("max_n=1&max_n%00x=2"));
  EXPECT_TRUE(repeated("max_n[]=1")) << "PHP and others make a list of it";
  EXPECT_TRUE(repeated("max_n%5B0%5D=1"));
  EXPECT_TRUE(repeated("+max.n=1")) << "PHP skips blanks and replaces dots";
  EXPECT_TRUE(repeated("max+n=1"));
}

TEST(Forms, AreMalformedIfReadersDisagree) {
  Scanned scanned({"/a"});
  const auto malformed = [&](std::string_view body) { return scanned.whole(body, Form::form).malformed(); };
  EXPECT_FALSE(malformed(""));
  EXPECT_FALSE(malformed("&&a=1&"));
  EXPECT_FALSE(malformed("a=x=y"));
  EXPECT_TRUE(malformed("b=1;a=2"));
  EXPECT_TRUE(malformed("a=%zz"));
  EXPECT_TRUE(malformed("a=%4"));
  EXPECT_TRUE(malformed("%a=1"));
  EXPECT_TRUE(malformed("a=%C3"));
  EXPECT_TRUE(malformed("a%FF=1"));
  EXPECT_FALSE(malformed("b=%zz&c=%FF")) << "these are not read";
  EXPECT_TRUE(malformed(std::string(300, ' ') + "a=1"));
}

TEST(FormOf, IsReadFromTheContentType) {
  EXPECT_EQ(form_of("application/json"), Form::json);
  EXPECT_EQ(form_of("Application/JSON; charset=utf-8"), Form::json);
  EXPECT_EQ(form_of("application/vnd.api+json ;v=1"), Form::json);
  EXPECT_EQ(form_of("text/event-stream;charset=utf-8"), Form::events);
  EXPECT_EQ(form_of("application/x-ndjson"), Form::lines);
  EXPECT_EQ(form_of("application/jsonl"), Form::lines);
  EXPECT_EQ(form_of("application/x-www-form-urlencoded"), Form::form);
  for (const auto* other : {"", "text/plain", "application/jsonp", "multipart/form-data; boundary=x", "+json", "json"})
    EXPECT_EQ(form_of(other), std::nullopt) << other;
}

TEST(FormOf, IsEmptyForCharsetsInWhichPlainTextCanMeanAQuote) {
  for (const auto* charset : {"utf-8", "UTF-8", "\"utf-8\"", "us-ascii", "ISO-8859-1"})
    EXPECT_EQ(form_of("application/json; Charset = " + std::string(charset)), Form::json) << charset;
  for (const auto* charset : {"utf-7", "utf-16", "UTF-32LE", "shift_jis", "gbk", "", "\"utf-7\""})
    EXPECT_EQ(form_of("application/json;charset=" + std::string(charset)), std::nullopt) << charset;
  EXPECT_EQ(form_of("application/json;charset=utf-8;charset=utf-7"), std::nullopt);
  EXPECT_EQ(form_of("application/x-www-form-urlencoded;x=\";\";charset=utf-7"), std::nullopt);
  EXPECT_EQ(form_of("application/json;x-charset=utf-7;charset"), Form::json);
  EXPECT_EQ(form_of("text/event-stream;charset=utf-7"), Form::events) << "it is always UTF-8";
}

TEST(Scan, DoesNothingBeforeItIsBegun) {
  Scan scan;
  scan.feed("{}");
  scan.end();
  EXPECT_EQ(scan.documents(), 0U);
  EXPECT_FALSE(scan.malformed());
  EXPECT_EQ(scan.found(0).kind, Kind::absent);
}

}  // namespace
}  // namespace headgate::scan
