// Fixed answers from files: conditions and ranges.

#include "unit/gateway/path/path.hpp"

#include "headgate/http/date.hpp"

namespace headgate::gateway::test {
namespace {

class PathFilePart : public Path {
 protected:
  PathFilePart() {
    auto& file = route.respond.emplace();
    file.body = "0123456789";
    file.etag = "\"abc\"";
    file.modified = Instant(std::chrono::seconds(784'111'777));
    file.last_modified = http::http_date(file.modified);
  }
  /// Status and body, as in "206 34".
  std::string asked(const std::string& fields, const std::string& method = "GET") {
    gateway ? ask_again(method + " /a", fields) : check(method + " /a", fields);
    EXPECT_TRUE(done);
    return std::to_string(client.status) + " " + client.body;
  }
};

TEST_F(PathFilePart, SaysWhichFileItIs) {
  EXPECT_EQ(asked(""), "200 0123456789");
  EXPECT_EQ(client.fields["ETag"], "\"abc\"");
  EXPECT_EQ(client.fields["Last-Modified"], "Sun, 06 Nov 1994 08:49:37 GMT");
  EXPECT_EQ(client.fields["Accept-Ranges"], "bytes");
}

TEST_F(PathFilePart, IsNotSentAgainToAClientThatHasIt) {
  EXPECT_EQ(asked("If-None-Match: \"abc\"\r\n"), "304 ");
  EXPECT_EQ(client.fields["ETag"], "\"abc\"");
  EXPECT_EQ(client.fields.count("Content-Type"), 0U);
  EXPECT_EQ(asked("If-None-Match: \"x\", W/\"abc\"\r\n"), "304 ");
  EXPECT_EQ(asked("If-None-Match: *\r\n"), "304 ");
  EXPECT_EQ(asked("If-None-Match: \"x\"\r\nIf-Modified-Since: Sun, 06 Nov 1994 08:49:37 GMT\r\n"), "200 0123456789")
      << "the tag decides alone";
  EXPECT_EQ(asked("If-Modified-Since: Sun, 06 Nov 1994 08:49:37 GMT\r\n"), "304 ");
  EXPECT_EQ(asked("If-Modified-Since: Sunday, 06-Nov-94 08:49:37 GMT\r\n"), "304 ");
  EXPECT_EQ(asked("If-Modified-Since: Sun, 06 Nov 1994 08:49:36 GMT\r\n"), "200 0123456789");
  EXPECT_EQ(asked("If-Modified-Since: yesterday\r\n"), "200 0123456789");
}

TEST_F(PathFilePart, IsRefusedToAClientThatWantsAnotherVersion) {
  EXPECT_EQ(asked("If-Match: \"x\"\r\n"), "412 ");
  EXPECT_EQ(asked("If-Match: W/\"abc\"\r\n"), "412 ");
  EXPECT_EQ(asked("If-Match: \"x\", \"abc\"\r\n"), "200 0123456789");
  EXPECT_EQ(asked("If-Unmodified-Since: Sun, 06 Nov 1994 08:49:36 GMT\r\n"), "412 ");
}

TEST_F(PathFilePart, IsSentInParts) {
  EXPECT_EQ(asked("Range: bytes=3-4\r\n"), "206 34");
  EXPECT_EQ(client.fields["Content-Range"], "bytes 3-4/10");
  EXPECT_EQ(asked("Range: bytes=7-\r\n"), "206 789");
  EXPECT_EQ(asked("Range: bytes=-3\r\n"), "206 789");
  EXPECT_EQ(asked("Range: bytes=-100\r\n"), "206 0123456789");
  EXPECT_EQ(asked("Range: Bytes=8-18446744073709551615\r\n"), "206 89");
  EXPECT_EQ(asked("Range: bytes=8-99999999999999999999999\r\n"), "206 89");
  EXPECT_EQ(asked("Range: bytes=10-\r\n"), "416 ");
  EXPECT_EQ(client.fields["Content-Range"], "bytes */10");
  EXPECT_EQ(asked("Range: bytes=-0\r\n"), "416 ");
}

TEST_F(PathFilePart, IsWholeIfARangeIsNotUnderstood) {
  for (const auto* const range :
       {"bytes=4-3", "bytes=a-b", "bytes=1-2,4-5", "lines=1-2", "bytes=-", "bytes=1-x", "bytes"})
    EXPECT_EQ(asked("Range: " + std::string(range) + "\r\n"), "200 0123456789") << range;
  EXPECT_EQ(client.fields.count("Content-Range"), 0U);
}

TEST_F(PathFilePart, IsSentInPartsOnlyOfTheFileThatIsMeant) {
  EXPECT_EQ(asked("Range: bytes=3-4\r\nIf-Range: \"abc\"\r\n"), "206 34");
  EXPECT_EQ(asked("Range: bytes=3-4\r\nIf-Range: Sun, 06 Nov 1994 08:49:37 GMT\r\n"), "206 34");
  EXPECT_EQ(asked("Range: bytes=3-4\r\nIf-Range: \"old\"\r\n"), "200 0123456789");
  EXPECT_EQ(asked("Range: bytes=3-4\r\nIf-Range: W/\"abc\"\r\n"), "200 0123456789");
}

TEST_F(PathFilePart, OfAHeadRequestIsTheHeadOfTheWhole) {
  EXPECT_EQ(asked("Range: bytes=3-4\r\n", "HEAD"), "200 ");
  EXPECT_EQ(asked("If-None-Match: \"abc\"\r\n", "HEAD"), "304 ");
}

TEST_F(PathFilePart, OfAnotherMethodIsTheWhole) {
  EXPECT_EQ(asked("If-None-Match: \"abc\"\r\n", "POST"), "200 0123456789");
  EXPECT_EQ(client.fields.count("ETag"), 0U);
}

}  // namespace
}  // namespace headgate::gateway::test
