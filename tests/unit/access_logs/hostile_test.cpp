// Logs that are broken, or that somebody wrote to break us.

#include "temporary_log.hpp"

#include <unistd.h>
#include <zlib.h>

#include <thread>

namespace headgate::test {
namespace {

constexpr std::string_view kGood = R"x(203.0.113.7 - - [24/Nov/2026:10:42:25 +0000] "GET /a HTTP/1.1" 200 6 "-" "x")x";

std::string good_lines(int count) {
  std::string out;
  for (int i = 0; i < count; ++i) out += std::string(kGood) + '\n';
  return out;
}

TEST(BrokenLogs, HaveLinesThatAreCountedAndTold) {
  const auto file = std::string(kGood) + "\r\n\r\nnonsense\n" + std::string(kGood) + "\n" +
                    std::string(kGood.substr(0, 60));  // without its end
  const auto log = read_text(file, {.unread_kept = 1});
  EXPECT_EQ(log.counts.lines, 4U);
  EXPECT_EQ(log.counts.requests, 2U);
  EXPECT_EQ(log.counts.unread, 2U);
  ASSERT_EQ(log.counts.first_unread.size(), 1U);
  EXPECT_THAT(log.counts.first_unread[0].text(), testing::EndsWith(":3: it ends before the format does"));
  EXPECT_EQ(log.arrivals[0].field("User-Agent"), "x") << "without the carriage return";
}

TEST(BrokenLogs, AreReadHoweverManyBlankLinesTheyBeginWith) {
  for (const auto& blank : {std::string(200'000, '\n'), std::string(200'000, ' ') + '\n',
                            "\xef\xbb\xbf" + std::string(70'000, '\r') + '\n'}) {
    EXPECT_EQ(read_text(blank + good_lines(3)).counts.requests, 3U) << blank.size();
  }
}

TEST(BrokenLogs, SayWhyALineCannotBeRead) {
  const auto why = [](std::string_view line) {
    const auto log = read_text(good_lines(1) + std::string(line));
    return log.counts.first_unread.size() == 1 ? log.counts.first_unread[0].why : "it was read";
  };
  EXPECT_EQ(why(R"x(host.example.com - - [24/Nov/2026:10:42:25 +0000] "GET /a HTTP/1.1" 200 6 "-" "x")x"),
            "its client is no IP address");
  EXPECT_EQ(why(R"x(203.0.113.777 - - [24/Nov/2026:10:42:25 +0000] "GET /a HTTP/1.1" 200 6 "-" "x")x"),
            "its client is no IP address");
  EXPECT_EQ(why(R"x(203.0.113.7 - - [31/Feb/2026:10:42:25 +0000] "GET /a HTTP/1.1" 200 6 "-" "x")x"),
            "its time is none");
  EXPECT_EQ(why(R"x(203.0.113.7 - - [24/Nov/2026:10:42:25 +0000] "GET /a HTTP/1.1" 999 6 "-" "x")x"),
            "its status is none");
  EXPECT_EQ(why(R"x(203.0.113.7 - - [24/Nov/2026:10:42:25 +0000] "GET /a HTTP/1.1" 200 99999999999999 "-" "x")x"),
            "its size is none, or above 1 TiB");
  EXPECT_EQ(why(R"x(203.0.113.7 - - [24/Nov/2026:10:42:25 +0000] "GET /a HTTP/1.1" 200 6 "-" "x" 0.001 extra)x"),
            "it was read");
}

TEST(BrokenLogs, MayHaveLinesOfAnyLength) {
  auto text = good_lines(1);
  text += std::string(70'000, 'x') + '\n' + good_lines(1);
  text += std::string(3'000'000, '\0') + '\n' + good_lines(1);
  text += std::string(1'000'000, '"');
  const auto log = read_text(text);
  EXPECT_EQ(log.counts.requests, 3U);
  EXPECT_EQ(log.counts.unread, 3U);
  EXPECT_EQ(log.counts.first_unread.at(2).line, 6U);
  EXPECT_EQ(log.counts.first_unread[0].why, "the line is longer than 64 KiB");
}

TEST(BrokenLogs, MayBeginWithAByteOrderMark) {
  EXPECT_EQ(read_text("\xef\xbb\xbf" + good_lines(2)).counts.requests, 2U);
  const auto log = read_text(
      "\xef\xbb\xbf"
      "time;path\r\n2026-11-24T10:42:25Z;/a\r\ntime;path\r\n2026-11-24T10:42:26Z;/b\r\n");
  EXPECT_EQ(log.error, "");
  EXPECT_EQ(log.counts.requests, 2U) << "the header may come again";
  EXPECT_EQ(log.counts.unread, 0U);
  EXPECT_TRUE(log.counts.missing.address);
  EXPECT_THAT(read_text(std::string_view("\xff\xfe{\0", 4)).error, testing::HasSubstr("UTF-16"));
}

TEST(BrokenLogs, ThatAreNoneSayWhatHelps) {
  const auto error_of = [](std::string file) { return read_log({.files = {std::move(file)}}).error; };
  EXPECT_EQ(error_of("/nowhere/access.log"), "/nowhere/access.log cannot be read: No such file or directory");
  EXPECT_EQ(error_of("/tmp"), "/tmp is a directory: name the log files in it");
  EXPECT_THAT(read_text("hello\nworld\n").error, testing::HasSubstr("none of the known formats"));
  EXPECT_THAT(read_text("{\"a\":1}\n{}\n").error, testing::HasSubstr("none of the known formats"));
  EXPECT_THAT(read_text(std::string_view("\x28\xb5\x2f\xfd\0\0\0\0", 8)).error, testing::HasSubstr("zstdcat"));
  const TemporaryLog file(good_lines(1));
  EXPECT_THAT(read_log({.files = {file.path(), "/tmp/../" + file.path()}}).error,
              testing::HasSubstr("is there twice, also as"));
}

TEST(BrokenLogs, MayBeEmpty) {
  const auto log = read_text("");
  EXPECT_EQ(log.error, "");
  EXPECT_EQ(log.counts.requests, 0U);
  EXPECT_EQ(log.logs.at(0).format, "");
  EXPECT_EQ(read_text("\n\r\n \n").error, "");
}

TEST(BrokenLogs, OfJsonAreRefusedByTheLine) {
  const std::string good =
      R"x({"ts":"2026-11-22T05:30:12Z","event":"request","client_ip":"203.0.113.7","method":"GET","host":"a","path":"/","status":200,"ended_by":"upstream","ms":1})x";
  for (const std::string& line :
       {std::string("{"), std::string("{}}"), good.substr(0, good.size() - 1), good + "x", std::string("[1]"),
        std::string(R"({"ts":)"), std::string(R"({"ts" "x"})"), std::string(R"({"ts":"x)"), std::string(R"({"a":[})"),
        std::string("{\"a\":") + std::string(60'000, '[') + '}', "{\"a\":" + std::string(20'000, '{'),
        std::string(R"({"a":"\)"), std::string(R"({"ts":1e999,"path":"/"})")}) {
    const auto log = read_text(good + '\n' + line + '\n' + good);
    EXPECT_EQ(log.error, "");
    EXPECT_EQ(log.counts.requests, 2U) << line.substr(0, 80);
    EXPECT_EQ(log.counts.unread, 1U) << line.substr(0, 80);
  }
  // What is not looked for may be anything.
  std::string deep = R"({"x":{"y":[[{"ts":[1,{}]}],"}"]},)" + good.substr(1);
  EXPECT_EQ(read_text(deep).counts.requests, 1U);
  deep = R"({"\u0000\ud83d\ude00":"\ud83d\ude00\ud83d\q\u12","path":"/no",)" + good.substr(1);
  EXPECT_EQ(read_text(deep).arrivals.at(0).path, "/");
}

TEST(BrokenLogs, MayHaveDotsInNamesOfJson) {
  // The third members of both lines have one way, but not one name.
  const std::string rest =
      R"("ts":1795516954,"msg":"handled request","request.method":"GET","request.uri":"/","status":200})";
  const auto log =
      read_text(R"({"a":1,"b":2,"request.headers.X":"one",)" + rest + '\n' + R"({"request":{"headers":{"X":"two"}},)" +
                    rest + '\n' + R"({"a":1,"b":2,"request.headers.X":"three",)" + rest,
                {.format = "caddy"});
  ASSERT_EQ(log.counts.requests, 3U);
  EXPECT_EQ(log.arrivals[0].field("X"), "one");
  EXPECT_EQ(log.arrivals[1].field("X"), "two");
  EXPECT_EQ(log.arrivals[2].field("X"), "three");
}

TEST(BrokenLogs, MayEndWithAnEmptyPart) {
  const auto log = read_text("203.0.113.7 1795516954 \"GET / HTTP/1.0\" \n\n   \n",
                             {.format = R"($remote_addr $msec "$request" $host)"});
  EXPECT_EQ(log.counts.requests, 1U);
  EXPECT_EQ(log.counts.unread, 0U);
  EXPECT_TRUE(log.counts.missing.host);
}

TEST(BrokenLogs, ThatAreCompressedAreReadAsFarAsTheyGo) {
  const auto text = good_lines(5000);
  std::string packed(compressBound(text.size()) + 64, '\0');
  z_stream stream{};
  deflateInit2(&stream, 6, Z_DEFLATED, 31, 8, Z_DEFAULT_STRATEGY);
  auto copy = text;
  stream.next_in = reinterpret_cast<Bytef*>(copy.data());
  stream.avail_in = static_cast<uInt>(copy.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  deflate(&stream, Z_FINISH);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  EXPECT_EQ(read_text(packed).counts.requests, 5000U);
  EXPECT_EQ(read_text(packed + std::string(512, '\0')).counts.requests, 5000U) << "tapes are filled up with zeros";

  const auto cut = read_text(packed.substr(0, packed.size() / 2));
  EXPECT_GT(cut.counts.requests, 1000U);
  EXPECT_EQ(cut.counts.first_unread.back().why, "its compressed data is cut off");
  auto damaged = packed;
  for (std::size_t i = damaged.size() / 2; i < damaged.size() / 2 + 64; ++i) damaged[i] = '\x55';
  EXPECT_GT(read_text(damaged).counts.unread, 0U);
}

TEST(BrokenLogs, MayBePipesThatGiveByteByByte) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  std::thread writer([&] {
    const auto text = good_lines(3);
    for (const char c : text) ASSERT_EQ(::write(ends[1], &c, 1), 1);
    ::close(ends[1]);
  });
  const auto log = read_log({.files = {"/dev/fd/" + std::to_string(ends[0])}});
  writer.join();
  ::close(ends[0]);
  EXPECT_EQ(log.error, "");
  EXPECT_EQ(log.counts.requests, 3U);
}

TEST(BrokenLogs, TellHowFarTheyAreRead) {
  const TemporaryLog file(good_lines(1000));
  auto opened = access_logs::LogArrivals::open({.files = {file.path()}});
  ASSERT_TRUE(opened.has_value());
  const auto all = (*opened)->progress().all;
  EXPECT_EQ(all, 1000 * (kGood.size() + 1));
  while ((*opened)->next() != nullptr) EXPECT_LE((*opened)->progress().read, all);
  EXPECT_EQ((*opened)->progress().read, all);
}

}  // namespace
}  // namespace headgate::test
