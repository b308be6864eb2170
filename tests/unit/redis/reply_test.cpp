#include "headgate/redis/reply.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace headgate::redis {
namespace {

using Kind = Reply::Kind;
using Next = ReplyReader::Next;
using testing::ElementsAre;
using testing::HasSubstr;

class ReplyReaderTest : public testing::Test {
 protected:
  /// Feeds byte by byte, as the network may.
  Next feed(std::string_view bytes) {
    for (const char byte : bytes.substr(0, bytes.size() - 1)) {
      reader.feed({&byte, 1});
      if (const Next next = reader.next(reply); next != Next::more) return next;
    }
    reader.feed(bytes.substr(bytes.size() - 1));
    return reader.next(reply);
  }

  ReplyReader reader;
  Reply reply;
};

TEST_F(ReplyReaderTest, ReadsEachKindOfReply) {
  ASSERT_EQ(feed("+OK\r\n"), Next::reply);
  EXPECT_EQ(reply.kind, Kind::status);
  EXPECT_EQ(reply.text, "OK");
  ASSERT_EQ(feed("-OOM no room\r\n"), Next::reply);
  EXPECT_EQ(reply.kind, Kind::error);
  EXPECT_EQ(reply.text, "OOM no room");
  ASSERT_EQ(feed(":-9223372036854775807\r\n"), Next::reply);
  EXPECT_EQ(reply.kind, Kind::integer);
  EXPECT_EQ(reply.integer, -9223372036854775807);
  ASSERT_EQ(feed("$5\r\na\r\nb\n\r\n"), Next::reply);
  EXPECT_EQ(reply.kind, Kind::text);
  EXPECT_EQ(reply.text, "a\r\nb\n");
  ASSERT_EQ(feed("$-1\r\n"), Next::reply);
  EXPECT_EQ(reply.kind, Kind::nil);
}

TEST_F(ReplyReaderTest, ReadsADecisionAsItsIntegers) {
  ASSERT_EQ(feed("*3\r\n:1\r\n:25\r\n:-7\r\n"), Next::reply);
  EXPECT_EQ(reply.kind, Kind::array);
  EXPECT_TRUE(reply.all_integers);
  EXPECT_THAT(reply.integers, ElementsAre(1, 25, -7));
}

TEST_F(ReplyReaderTest, ReadsTheFirstWordOfAMixedArray) {
  ASSERT_EQ(feed("*3\r\n$6\r\nmaster\r\n:0\r\n*1\r\n*1\r\n$9\r\n127.0.0.1\r\n"), Next::reply);
  EXPECT_EQ(reply.kind, Kind::array);
  EXPECT_EQ(reply.text, "master");
  EXPECT_FALSE(reply.all_integers);
}

TEST_F(ReplyReaderTest, TakesANestedArrayOrANilForNoDecision) {
  ASSERT_EQ(feed("*2\r\n:1\r\n*1\r\n:2\r\n"), Next::reply);
  EXPECT_FALSE(reply.all_integers);
  ASSERT_EQ(feed("*2\r\n:1\r\n$-1\r\n"), Next::reply);
  EXPECT_FALSE(reply.all_integers);
  ASSERT_EQ(feed("*-1\r\n"), Next::reply);
  EXPECT_EQ(reply.kind, Kind::nil);
  EXPECT_FALSE(reply.all_integers);
}

TEST_F(ReplyReaderTest, ReadsManyRepliesOfOnePieceInOrder) {
  reader.feed("*1\r\n:1\r\n*1\r\n:2\r\n+OK\r\n:3");
  ASSERT_EQ(reader.next(reply), Next::reply);
  EXPECT_THAT(reply.integers, ElementsAre(1));
  ASSERT_EQ(reader.next(reply), Next::reply);
  EXPECT_THAT(reply.integers, ElementsAre(2));
  ASSERT_EQ(reader.next(reply), Next::reply);
  EXPECT_EQ(reply.kind, Kind::status);
  EXPECT_EQ(reader.next(reply), Next::more);
}

TEST_F(ReplyReaderTest, RefusesWhatIsNotRedis) {
  EXPECT_EQ(feed("HTTP/1.1 400 Bad Request\r\n"), Next::broken);
  EXPECT_THAT(reader.error(), HasSubstr("Protocol error"));
  EXPECT_EQ(reader.next(reply), Next::broken) << "and stays broken";
  reader.reset();
  EXPECT_EQ(feed("+OK\r\n"), Next::reply) << "until the next connection";
}

TEST_F(ReplyReaderTest, RefusesLengthsThatNobodyAskedFor) {
  for (const char* bytes : {"*4097\r\n", "*2147483647\r\n", "*4294967295\r\n", "*9999999999999999999999\r\n", "*-2\r\n",
                            "$-2\r\n", "$9999999999999999999999\r\n", ":99999999999999999999999\r\n", "*x\r\n"}) {
    reader.reset();
    EXPECT_EQ(feed(bytes), Next::broken) << bytes;
    EXPECT_FALSE(reader.error().empty()) << bytes;
  }
}

TEST_F(ReplyReaderTest, RefusesNestedArraysBeyondTheSameTotal) {
  std::string bytes = "*4096\r\n";
  for (int i = 0; i < 3; ++i) {
    bytes += "*4000\r\n";
    for (int j = 0; j < 4000; ++j) bytes += ":1\r\n";
  }
  reader.feed(bytes);
  EXPECT_EQ(reader.next(reply), Next::broken);
}

TEST_F(ReplyReaderTest, RefusesNestingWithoutEnd) {
  std::string bytes;
  for (int i = 0; i < 100; ++i) bytes += "*1\r\n";
  EXPECT_EQ(feed(bytes), Next::broken);
}

TEST_F(ReplyReaderTest, HoldsOnlySoMuchOfAReplyThatDoesNotEnd) {
  for (const char* start : {"$100000000\r\n", "+"}) {
    reader.reset();
    reader.feed(start);
    const std::string piece(16 * 1024, 'x');
    std::size_t fed = 0;
    while (reader.next(reply) == Next::more && fed < 10 * ReplyReader::kMaxBytes) {
      reader.feed(piece);
      fed += piece.size();
    }
    EXPECT_LE(fed, ReplyReader::kMaxBytes + 2 * piece.size()) << start;
    EXPECT_FALSE(reader.error().empty());
  }
}

}  // namespace
}  // namespace headgate::redis
