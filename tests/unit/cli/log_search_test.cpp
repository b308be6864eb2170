// Finding a request in access logs, and telling its story.

#include "../../../src/cli/explain/log_search.hpp"

#include "../../../src/cli/explain/past_request.hpp"
#include "support/counted_memory.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace headgate::cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

std::string line_of(const std::string& id, int status = 200) {
  return R"({"ts":"2026-11-22T05:30:12.345678Z","event":"request","request_id":")" + id + R"(","status":)" +
         std::to_string(status) + "}\n";
}

TEST(LogSearch, FindsALineHoweverTheBytesArrive) {
  const std::string log = line_of("A") + line_of("B", 429) + line_of("C") + line_of("B", 200);
  for (std::size_t piece = 1; piece <= log.size(); ++piece) {
    LogSearch search("B");
    for (std::size_t at = 0; at < log.size(); at += piece) search.take(std::string_view(log).substr(at, piece));
    search.end_file();
    ASSERT_EQ(search.found().size(), 2U) << piece;
    EXPECT_EQ(search.found()[0].at("status"), 429);
    EXPECT_EQ(search.found()[1].at("status"), 200);
    EXPECT_EQ(search.counts().lines, 4U);
    EXPECT_EQ(search.counts().unreadable, 0U);
  }
}

TEST(LogSearch, KnowsALineThatHasNoEndAndBeginsTheNextFileAnew) {
  LogSearch search("B");
  auto cut = line_of("B");
  cut.pop_back();
  search.take(cut);
  search.end_file();
  search.take(line_of("B", 500));
  search.end_file();
  EXPECT_EQ(search.found().size(), 2U);
  EXPECT_EQ(search.counts().lines, 2U);
}

TEST(LogSearch, TellsALineThatCameTwiceOnce) {
  LogSearch search("B");
  for (int i = 0; i < 3; ++i) search.take(line_of("B"));
  EXPECT_EQ(search.found().size(), 1U);
}

TEST(LogSearch, TakesNoOtherFieldAndNoEventForTheRequest) {
  LogSearch search("B");
  search.take(R"({"event":"request","request_id":"A","user_agent":"B"})"
              "\n"
              R"({"event":"redis_lost","request_id":"B"})"
              "\n"
              R"({"event":"request","request_id":"BB"})"
              "\n");
  EXPECT_TRUE(search.found().empty());
  EXPECT_EQ(search.counts().unreadable, 0U);
}

TEST(LogSearch, SkipsAndCountsWhatIsNotJson) {
  LogSearch search("B");
  search.take("hello\n\n{\"request_id\":\"B\", broken}\n" + line_of("B") +
              R"({"half": "B)"
              "\n");
  search.end_file();
  EXPECT_EQ(search.found().size(), 1U);
  EXPECT_EQ(search.counts().lines, 4U);
  EXPECT_EQ(search.counts().unreadable, 3U);
}

TEST(LogSearch, KnowsTheRequestInTheFormatTextAndLinesWithoutIds) {
  LogSearch search("B");
  search.take("2026-11-22T05:30:12Z 203.0.113.7 429 POST a.example/ 0.412ms route=x by=limit id=B\n");
  EXPECT_EQ(search.counts().in_text, 1U);
  search.take("{\"status\":200,\"route\":\"x\"}\n");
  EXPECT_EQ(search.counts().nameless, 1U);
  EXPECT_EQ(search.counts().named, 0U);
}

TEST(LogSearch, KeepsBoundedMemoryWhateverTheFileIs) {
  LogSearch search("B");
  const std::string block(std::size_t{1} << 20, 'x');
  const auto other = line_of("A");
  search.take(block);  // whatever is made once is made now
  search.take("\n");
  const auto before = headgate::test::taken_from_heap.bytes;
  for (int i = 0; i < 64; ++i) search.take(block);  // a line of 64 MiB
  search.take("\n");
  for (int i = 0; i < 100'000; ++i) search.take(other);
  EXPECT_LT(headgate::test::taken_from_heap.bytes - before, LogSearch::kLongest * 4);
  EXPECT_EQ(search.counts().unreadable, 2U);
  for (int i = 0; i < 1000; ++i) search.take(line_of("B", i));
  EXPECT_EQ(search.found().size(), LogSearch::kMax);
  EXPECT_EQ(search.counts().beyond, 1000 - LogSearch::kMax);
}

TEST(LogSearch, ReadsEcsAsTheSameRecord) {
  LogSearch search("B");
  search.take(R"({"@timestamp":"2026-11-22T05:30:12.345678Z","ecs.version":"8.11.0","event.action":"request",)"
              R"("http.request.id":"B","event.duration":1234000,"http.version":"1.1","labels.jwt_sub":"carol"})"
              "\n");
  ASSERT_EQ(search.found().size(), 1U);
  const auto& record = search.found()[0];
  EXPECT_EQ(record.at("ms"), 1.234);
  EXPECT_EQ(record.at("proto"), "HTTP/1.1");
  EXPECT_EQ(record.at("status"), 0) << "left out there where it is 0";
  EXPECT_EQ(past_request(record).at("caller").at("jwt_sub"), "carol");
}

TEST(PastRequest, NamesTheFieldsThatTheRecordLacks) {
  const auto told = past_request({{"request_id", "B"}, {"status", 429}, {"ended_by", "limit"}});
  EXPECT_THAT(told.at("missing"), testing::Contains("limit"));
  EXPECT_THAT(told.at("missing"), testing::Contains("route"));
  const auto text = past_text(told, false);
  EXPECT_THAT(text, HasSubstr("outcome   was refused with 429 (limit)\n"));
  EXPECT_THAT(text, HasSubstr("Not in the record, because log.fields leaves it out: ts "));
}

TEST(PastRequest, ToldFromAnyValuesShowsNothingThatATerminalObeys) {
  const auto record = nlohmann::ordered_json::parse(
      R"({"request_id":"B","method":7,"path":"/\u001b[31m","route":["x"],"status":{"a":1},"auth":"","limit":null,)"
      R"("client_ip":null,"owner":[1],"ms":"x","ended_by":[],"decision":{},"retry_after_s":"never","attempts":{}})");
  EXPECT_THAT(past_text(past_request(record), true), Not(HasSubstr("\x1b[31m/")));
  EXPECT_THAT(past_text(past_request(record), false), Not(HasSubstr("\x1b")));
}

}  // namespace
}  // namespace headgate::cli
