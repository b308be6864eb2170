// The command that writes the usage report of a day: to stdout, or to a file, also over several runs.

#include "blackbox/limits/billing.hpp"

#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <random>

namespace headgate::test {
namespace {

/// Reports to files, of a day that is over.
class UsageReport : public WithLedger {
 protected:
  void SetUp() override {
    WithLedger::SetUp();
    if (IsSkipped() || HasFatalFailure()) return;
    const Json limit = {
        {"rate", "10/day"}, {"per", "header:X-Caller"}, {"if_absent", "reject"}, {"store", "memory"}, {"bill", true}};
    const Json answer = {{"path", "/*"}, {"respond", {{"status", 204}}}};
    const Json config = {{"admin", {{"listen", "127.0.0.1:0"}}},
                         {"redis", block()},
                         {"limits", {{"caller", limit}, {"other", limit}}},
                         {"all_routes", {{"limits", {"caller", "other"}}}},
                         {"routes", Json::array({answer})},
                         {"upstreams", nullptr}};
    gateway.emplace(config);
    operators.emplace(gateway->gateway.process());
    auto client = gateway->client();
    for (std::size_t i = 0; i < kCallers; ++i)
      ASSERT_EQ(client.get("/", "X-Caller: caller-" + std::to_string(i) + "\r\n").status(), 204);
    const auto here = [&] { return report_of(*operators, today(), 10'000); };
    ASSERT_TRUE(comes_true([&] { return lines_of(here()).size() == 2 * kCallers; }));
    // The day before yesterday is complete, whatever the time is.
    day = operators->get("/api/v1/usage").at("days")[2].at("day");
    move_to(day);
    whole = report_of(*operators, day, 10'000);
    ASSERT_EQ(lines_of(whole).size(), 2 * kCallers);
  }
  void TearDown() override { std::filesystem::remove_all(folder); }

  Ran run(const Words& more) const {
    Words words{"usage-report", "--admin", operators->url(), "--day", day};
    words.insert(words.end(), more.begin(), more.end());
    return run_headgate(words);
  }
  std::string text(const std::string& path) const {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  void write(const std::string& path, const std::string& text) const { std::ofstream(path, std::ios::binary) << text; }

  static constexpr std::size_t kCallers = 2500;
  std::optional<Proxy> gateway;
  std::optional<Operator> operators;
  std::string day;
  std::string whole;  ///< the report
  const std::string folder = [] {
    auto name = (std::filesystem::temp_directory_path() / "headgate-report-XXXXXX").string();
    return std::string(::mkdtemp(name.data()));
  }();
  const std::string file = folder + "/usage.ndjson";
};

TEST_F(UsageReport, GoesToStdoutOrToAFileOnce) {
  auto ran = run({});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_EQ(ran.out, whole);
  EXPECT_EQ(ran.err, "");
  ran = run({"--output", file});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_EQ(ran.out + ran.err, "");
  EXPECT_EQ(text(file), whole);
  EXPECT_FALSE(std::filesystem::exists(file + ".part"));
  struct stat about {};
  ASSERT_EQ(::stat(file.c_str(), &about), 0);
  EXPECT_EQ(about.st_mode & 0777U, 0600U) << "it names customers";
  write(file, "not touched");
  ran = run({"--output", file});
  EXPECT_EQ(ran.code, 0);
  EXPECT_NE(ran.err.find("is there already: nothing is done"), std::string::npos) << ran.err;
  EXPECT_EQ(text(file), "not touched");
  EXPECT_EQ(run({"--output", file, "--again"}).code, 0);
  EXPECT_EQ(text(file), whole);
  EXPECT_EQ(lines_of(run({"--limit", "other"}).out).size(), kCallers);
}

TEST_F(UsageReport, GoesOnWhereItWasCut) {
  std::mt19937 random(1);
  std::vector<std::size_t> cuts{0, 1, whole.find('\n'), whole.find('\n') + 1, whole.size() - 1, whole.size()};
  for (int i = 0; i < 6; ++i) cuts.push_back(random() % whole.size());
  for (const auto cut : cuts) {
    std::filesystem::remove(file);
    write(file + ".part", whole.substr(0, cut));
    const auto ran = run({"--output", file});
    EXPECT_EQ(ran.code, 0) << ran.err;
    EXPECT_EQ(text(file) == whole, true) << "cut after " << cut << " bytes";
  }
}

TEST_F(UsageReport, OutlivesItsOwnDeath) {
  std::mt19937 random(2);
  int killed = 0;
  for (int runs = 0; runs < 60 && !std::filesystem::exists(file); ++runs) {
    Process process({"usage-report", "--admin", operators->url(), "--day", day, "--output", file});
    if (runs < 50) std::this_thread::sleep_for(Milliseconds(5 + random() % 60));
    if (runs < 50 && process.runs()) {
      process.kill9();
      ++killed;
    } else {
      process.wait();
    }
  }
  EXPECT_GT(killed, 0);
  EXPECT_EQ(text(file) == whole, true);
}

TEST_F(UsageReport, GoesOnAfterRedisWasAway) {
  redis.pause();
  auto ran = run({"--output", file});
  EXPECT_EQ(ran.code, 1);
  EXPECT_NE(ran.err.find("Redis does not answer"), std::string::npos) << ran.err;
  EXPECT_FALSE(std::filesystem::exists(file));
  redis.resume();
  EXPECT_TRUE(comes_true([&] { return run({"--output", file}).code == 0; }));
  EXPECT_EQ(text(file) == whole, true);
}

TEST_F(UsageReport, WritesNoFileOfADayThatIsNotOver) {
  Words words{"usage-report", "--admin", operators->url(), "--day", today()};
  const auto shown = run_headgate(words);
  EXPECT_EQ(shown.code, 0);
  EXPECT_NE(shown.err.find(today() + " is not complete before "), std::string::npos) << shown.err;
  words.insert(words.end(), {"--output", file});
  const auto ran = run_headgate(words);
  EXPECT_EQ(ran.code, 1);
  EXPECT_NE(ran.err.find(today() + " is not complete before "), std::string::npos) << ran.err;
  EXPECT_FALSE(std::filesystem::exists(file));
  EXPECT_FALSE(std::filesystem::exists(file + ".part"));
}

TEST_F(UsageReport, RefusesWhatItCannotContinue) {
  write(file + ".part", "{\"day\":\"2020-01-01\",\"cursor\":\"00\"}\n");
  auto ran = run({"--output", file});
  EXPECT_EQ(ran.code, 1);
  EXPECT_NE(ran.err.find("is a part of something else"), std::string::npos) << ran.err;
  // A part of all limits is no part of one of them.
  write(file + ".part", whole.substr(0, whole.find('\n') + 1));
  ran = run({"--output", file, "--limit", "caller"});
  EXPECT_EQ(ran.code, 1);
  EXPECT_NE(ran.err.find("not a cursor of this report"), std::string::npos) << ran.err;
  EXPECT_EQ(run({"--output", folder + "/no/such/folder"}).code, 1);
  EXPECT_EQ(run({"--again"}).code, 2) << "it needs a file";
  EXPECT_EQ(run_headgate({"usage-report", "--admin", operators->url(), "--day", "2020-01-01"}).code, 1);
}

}  // namespace
}  // namespace headgate::test
