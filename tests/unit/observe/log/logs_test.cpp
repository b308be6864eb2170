#include "headgate/observe/logs.hpp"

#include "headgate/observe/event.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <sstream>
#include <thread>

namespace headgate::observe {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

class LogsTest : public testing::Test {
 protected:
  LogsTest() {
    std::string made = (fs::temp_directory_path() / "headgate-logs-XXXXXX").string();
    if (mkdtemp(made.data()) == nullptr) std::abort();
    folder = made;
    options.access = path("access.log");
    options.error = path("error.log");
  }
  ~LogsTest() override { fs::remove_all(folder); }

  std::string path(const std::string& name) const { return (folder / name).string(); }
  static std::string content(const std::string& file) {
    std::ostringstream out;
    out << std::ifstream(file).rdbuf();
    return out.str();
  }
  static bool comes(const std::function<bool()>& holds) {
    const auto end = std::chrono::steady_clock::now() + 10s;
    while (!holds()) {
      if (std::chrono::steady_clock::now() > end) return false;
      std::this_thread::sleep_for(5ms);
    }
    return true;
  }
  bool comes_to_hold(const std::string& name, const std::string& text) const {
    return comes([&] { return content(path(name)).find(text) != std::string::npos; });
  }
  static AccessRecord record(std::string_view id) {
    AccessRecord out;
    out.request_id = id;
    return out;
  }

  fs::path folder;
  LogOptions options;
};

TEST_F(LogsTest, ALineIsInItsFileAMomentLater) {
  Logs logs(options);
  auto access = logs.access_log();
  access.write(record("first"));
  EXPECT_TRUE(comes_to_hold("access.log", "id=first\n"));
  event(LogLevel::warning, "something", "it happened", {{"how", "so"}});
  EXPECT_TRUE(comes_to_hold("error.log", " warning something: it happened how=so\n"));
}

TEST_F(LogsTest, AllThatWasWrittenIsThereWhenTheyEnd) {
  {
    Logs logs(options);
    auto one = logs.access_log();
    auto other = logs.access_log();
    for (int i = 0; i < 3'000; ++i) (i % 2 == 0 ? one : other).write(record(std::to_string(i)));
    event(LogLevel::info, "last_words", {});
  }
  const auto text = content(path("access.log"));
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 3'000);
  EXPECT_TRUE(text.ends_with('\n'));
  EXPECT_NE(content(path("error.log")).find("last_words\n"), std::string::npos);
}

TEST_F(LogsTest, ToldToReopenTheyLeaveAFileThatWasMovedAway) {
  Logs logs(options);
  auto access = logs.access_log();
  access.write(record("before"));
  fs::rename(path("access.log"), path("access.log.1"));
  logs.reopen();
  ASSERT_TRUE(comes([&] { return fs::exists(path("access.log")); }));
  access.write(record("after"));
  EXPECT_TRUE(comes_to_hold("access.log", "id=after\n"));
  EXPECT_NE(content(path("access.log.1")).find("id=before\n"), std::string::npos);
  EXPECT_EQ(content(path("access.log")).find("id=before"), std::string::npos);
  EXPECT_TRUE(comes_to_hold("error.log", "log_reopened"));
}

TEST_F(LogsTest, TheLevelOffIsOneOfEventsAlone) {
  options.level = LogLevel::off;
  Logs logs(options);
  event(LogLevel::error, "not_told", {});
  logs.access_log().write(record("told"));
  EXPECT_TRUE(comes_to_hold("access.log", "id=told\n"));
  EXPECT_EQ(content(path("error.log")), "");
  EXPECT_FALSE(logs.use_level(LogLevel::debug)) << "there is no place for them";
}

TEST_F(LogsTest, AFileThatCannotBeOpenedAgainIsWrittenOn) {
  Logs logs(options);
  auto access = logs.access_log();
  fs::rename(path("access.log"), path("access.log.1"));
  fs::create_directory(path("access.log"));
  logs.reopen();
  ASSERT_TRUE(comes_to_hold("error.log", "log_not_reopened"));
  access.write(record("after"));
  EXPECT_TRUE(comes_to_hold("access.log.1", "id=after\n"));
}

TEST_F(LogsTest, ALineThatWasCutOffIsNoPartOfTheNext) {
  std::ofstream(path("access.log")) << "a line that was cut o";
  {
    Logs logs(options);
    logs.access_log().write(record("next"));
  }
  const auto text = content(path("access.log"));
  EXPECT_TRUE(text.starts_with("a line that was cut o\n")) << text;
}

TEST_F(LogsTest, BothMayGoToOneFile) {
  options.error = options.access;
  {
    Logs logs(options);
    logs.access_log().write(record("a-request"));
    event(LogLevel::info, "an_event", {});
  }
  const auto text = content(path("access.log"));
  EXPECT_NE(text.find("id=a-request\n"), std::string::npos);
  EXPECT_NE(text.find("an_event\n"), std::string::npos);
}

TEST_F(LogsTest, AFullDiskHoldsNobodyUpAndIsToldAndCounted) {
  if (!fs::exists("/dev/full")) GTEST_SKIP() << "no /dev/full on this machine";
  options.access = "/dev/full";
  Logs logs(options);
  auto access = logs.access_log();
  for (int i = 0; i < 20'000; ++i) access.write(record("lost"));  // more than fits into its lane
  EXPECT_GT(logs.dropped().access, 0U);
  EXPECT_EQ(logs.dropped().error, 0U);
  EXPECT_TRUE(comes_to_hold("error.log", "log_failed"));
  EXPECT_TRUE(comes_to_hold("error.log", "reason=\"No space left on device\""));
}

TEST_F(LogsTest, APipeThatNobodyReadsHoldsNobodyUp) {
  const std::string pipe = path("pipe");
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  const int reader = ::open(pipe.c_str(), O_RDONLY | O_NONBLOCK);
  options.access = pipe;
  std::string read;
  {
    Logs logs(options);
    auto access = logs.access_log();
    for (int i = 0; i < 20'000; ++i) access.write(record("x"));
    EXPECT_GT(logs.dropped().access, 0U);
    // Once it is read again, what was kept comes, line for line.
    char block[4096];
    EXPECT_TRUE(comes([&] {
      const auto got = ::read(reader, block, sizeof block);
      if (got > 0) read.append(block, static_cast<std::size_t>(got));
      return read.size() > 500'000;
    }));
  }
  ::close(reader);
  std::istringstream lines(read.substr(0, read.rfind('\n')));
  for (std::string line; std::getline(lines, line);) ASSERT_TRUE(line.ends_with("id=x")) << line;
}

TEST_F(LogsTest, OffIsOff) {
  options.access = "off";
  options.level = LogLevel::error;
  {
    Logs logs(options);
    EXPECT_FALSE(logs.access_log().on());
    event(LogLevel::warning, "not_told", {});
  }
  EXPECT_EQ(content(path("error.log")), "");
}

TEST_F(LogsTest, AFileThatCannotBeOpenedIsAnErrorAtTheStart) {
  fs::create_directory(path("taken"));
  options.access = path("taken");
  EXPECT_THROW(Logs{options}, std::runtime_error);
}

}  // namespace
}  // namespace headgate::observe
