// In which order requests come, from one log and from several.

#include "temporary_log.hpp"

#include "headgate/access_logs/moment.hpp"

#include <zlib.h>

#include <algorithm>
#include <chrono>

namespace headgate::test {
namespace {

using std::chrono::seconds;

/// A line of a format with the time in milliseconds at which it was written, and how long the request took.
std::string line_at(std::int64_t ms, std::int64_t took_ms, std::string_view path) {
  const auto part = [](std::int64_t value) {
    auto digits = std::to_string(value % 1000);
    return std::to_string(value / 1000) + '.' + std::string(3 - digits.size(), '0') + digits;
  };
  return "203.0.113.7 " + part(1'795'516'000'000 + ms) + " \"GET " + std::string(path) + " HTTP/1.1\" 200 " +
         part(took_ms) + '\n';
}

access_logs::ReadOptions timed() { return {.format = "$remote_addr $msec \"$request\" $status $request_time"}; }

std::string paths(const ReadLog& log) {
  std::string out = log.error;
  for (const auto& one : log.arrivals) out += one.path;
  return out;
}

std::string gzip(std::string_view text) {
  z_stream stream{};
  deflateInit2(&stream, 6, Z_DEFLATED, 31, 8, Z_DEFAULT_STRATEGY);
  std::string out(compressBound(text.size()) + 64, '\0');
  std::string in(text);
  stream.next_in = reinterpret_cast<Bytef*>(in.data());
  stream.avail_in = static_cast<uInt>(in.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  deflate(&stream, Z_FINISH);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

TEST(LogOrder, IsThatInWhichRequestsBegan) {
  const auto log = read_text(line_at(100, 0, "/b") + line_at(150, 0, "/c") + line_at(200, 150, "/a"), timed());
  EXPECT_EQ(paths(log), "/a/b/c");
  EXPECT_EQ(log.counts.late, 0U);
  EXPECT_EQ(log.arrivals[0].after, std::chrono::milliseconds(150));
}

TEST(LogOrder, OfEqualTimesIsThatOfTheLog) {
  std::string text, expected;
  for (int i = 0; i < 1000; ++i) {
    const auto path = "/" + std::to_string(i);
    text += "203.0.113.7 - - [24/Nov/2026:10:42:25 +0000] \"GET " + path + " HTTP/1.1\" 200 1\n";
    expected += path;
  }
  EXPECT_EQ(paths(read_text(text)), expected);
}

TEST(LogOrder, HoldsNoLineLongerThanTheWindow) {
  auto options = timed();
  options.window = seconds(10);
  // It began before all others, but is written when the first of them has been given.
  const auto text =
      line_at(20'000, 0, "/a") + line_at(25'000, 0, "/b") + line_at(31'000, 0, "/c") + line_at(32'000, 31'000, "/late");
  const auto log = read_text(text, options);
  EXPECT_EQ(paths(log), "/a/late/b/c");
  EXPECT_EQ(log.counts.late, 1U);
  EXPECT_LT(log.arrivals[1].at, log.arrivals[0].at) << "it keeps its own time";

  options.window = seconds(60);
  EXPECT_EQ(paths(read_text(text, options)), "/late/a/b/c");
  options.window_lines = 1;
  EXPECT_EQ(paths(read_text(text, options)), "/a/b/late/c");
}

TEST(LogOrder, SurvivesAClockThatWasWrong) {
  // One line of the year 2100, and one of 1980.
  const auto text = line_at(0, 0, "/a") + line_at(2'350'000'000'000, 0, "/future") + line_at(2, 0, "/c") +
                    line_at(1, 0, "/b") + line_at(-1'480'000'000'000, 0, "/past") + line_at(3, 0, "/d");
  const auto log = read_text(text, timed());
  EXPECT_EQ(log.counts.requests, 6U);
  EXPECT_EQ(log.arrivals.back().path, "/future");
}

TEST(LogOrder, IsRightForAnyDisorderWithinTheWindow) {
  std::vector<int> at(5000);
  for (std::size_t i = 0; i < at.size(); ++i) at[i] = static_cast<int>(i);
  std::uint64_t state = 1;
  for (std::size_t i = 0; i < at.size(); ++i) {
    state = state * 6364136223846793005U + 1442695040888963407U;
    std::swap(at[i], at[std::min(at.size() - 1, i + (state >> 33) % 300)]);
  }
  std::string text;
  for (const int ms : at) text += line_at(ms, 0, "/x");
  const auto log = read_text(text, timed());
  ASSERT_EQ(log.arrivals.size(), at.size());
  EXPECT_TRUE(std::is_sorted(log.arrivals.begin(), log.arrivals.end(),
                             [](const Arrived& a, const Arrived& b) { return a.at < b.at; }));
  EXPECT_EQ(log.counts.late, 0U);
}

TEST(LogOrder, OfRotatedLogsIsThatOfTheirTimes) {
  const TemporaryLog newest(line_at(5000, 0, "/5") + line_at(6000, 0, "/6"));
  const TemporaryLog middle(line_at(3000, 0, "/3") + line_at(4000, 0, "/4"));
  // Members that are joined, as logrotate's and gzip's are.
  const TemporaryLog oldest(gzip(line_at(1000, 0, "/1")) + gzip(line_at(2000, 0, "/2")));
  auto options = timed();
  options.files = {newest.path(), middle.path(), oldest.path()};
  const auto log = read_log(options);
  EXPECT_EQ(paths(log), "/1/2/3/4/5/6");
  EXPECT_EQ(log.logs[0].file, oldest.path());
  EXPECT_EQ(log.counts.late, 0U);
}

TEST(LogOrder, OfSeveralGatewaysIsOne) {
  std::string a, b, expected;
  for (int i = 0; i < 2000; ++i) {
    const auto path = "/" + std::to_string(i);
    ((i * 7 / 3) % 2 == 0 ? a : b) += line_at(i * 10, 5, path);
    expected += path;
  }
  const TemporaryLog first(a), second(b), empty("");
  auto options = timed();
  options.files = {second.path(), empty.path(), first.path()};
  const auto log = read_log(options);
  EXPECT_EQ(paths(log), expected);
  EXPECT_EQ(log.logs.size(), 3U);
}

TEST(LogOrder, LeavesOutWhatIsBeforeOrAfter) {
  auto options = timed();
  options.from = access_logs::parse_moment("1795516001");
  options.until = access_logs::parse_moment("1795516003");
  const auto log = read_text(line_at(999, 0, "/a") + line_at(1000, 0, "/b") + line_at(2999, 0, "/c") +
                                 line_at(3500, 1000, "/d") + line_at(3000, 0, "/e"),
                             options);
  EXPECT_EQ(paths(log), "/b/d/c");
  EXPECT_EQ(log.counts.outside, 2U);
  EXPECT_EQ(log.counts.requests, 3U);
}

TEST(LogOrder, GivesRequestsOfAnyNumberOfBlocks) {
  // Lines of all lengths, so that they end at any place of a block.
  std::string text;
  std::size_t count = 0;
  for (std::size_t i = 0; text.size() < 3'000'000; ++i, ++count)
    text += line_at(static_cast<std::int64_t>(i), 0, "/" + std::string(i * 37 % 3000, 'x'));
  const auto log = read_text(text, timed());
  ASSERT_EQ(log.counts.requests, count);
  for (std::size_t i = 0; i < count; ++i) ASSERT_EQ(log.arrivals[i].path.size(), 1 + i * 37 % 3000);
}

TEST(LogMoments, AreReadInEverySpelling) {
  const auto expected = Instant(seconds(1'795'516'945));
  for (const auto* const text :
       {"2026-11-24T10:42:25Z", "2026-11-24T10:42:25", "2026-11-24 10:42:25", "2026-11-24t11:42:25+01:00",
        "2026-11-24T07:12:25-0330", "24/Nov/2026:10:42:25 +0000", "24/Nov/2026:11:42:25 +0100", "24/Nov/2026:10:42:25",
        "1795516945", "1795516945.000", "1795516945000", "1795516945000000", "1795516945000000000"})
    EXPECT_EQ(access_logs::parse_moment(text), expected) << text;
  EXPECT_EQ(access_logs::parse_moment("2026-11-24T10:42:25,123456789Z"), expected + Duration(123'456));
  EXPECT_EQ(access_logs::parse_moment("24/Nov/2026:10:42:25.5 +0000"), expected + Duration(500'000));
  EXPECT_EQ(access_logs::parse_moment("1795516945.25"), expected + Duration(250'000));
  EXPECT_EQ(access_logs::parse_moment("2026-11-24"), Instant(seconds(1'795'478'400)));
  for (const auto* const text :
       {"", "-", "now", "2026-11-31T10:42:25Z", "2026-13-24", "2026-11-24T25:42:25Z", "2026-11-24T10:42:25X",
        "2026-11-24T10:42:25.Z", "24/Foo/2026:10:42:25 +0000", "1969-12-31", "2200-01-01", "99999999999", "-5", "1e99",
        "2026-11-24T", "2026/11/24", "99999999999999999999"})
    EXPECT_FALSE(access_logs::parse_moment(text)) << text;
}

}  // namespace
}  // namespace headgate::test
