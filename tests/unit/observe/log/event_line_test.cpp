#include "../../../../src/observe/log/event_line.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <initializer_list>
#include <string>
#include <vector>

namespace headgate::observe {
namespace {

constexpr Instant kEventAt{std::chrono::microseconds(1'700'000'000'000'042)};  // 2023-11-14T22:13:20.000042Z

struct Told {
  std::string name = "redis_lost";
  std::string sentence;
  std::vector<EventField> fields;
};

nlohmann::json json_of(const Told& told) {
  std::string line;
  append_json_event({LogLevel::warning, told.name, told.sentence, told.fields}, "gateway-1", kEventAt, line);
  EXPECT_EQ(line.find('\n'), std::string::npos);
  return nlohmann::json::parse(line, nullptr, false);
}

std::string text_of(const Told& told) {
  std::string line;
  append_text_event({LogLevel::info, told.name, told.sentence, told.fields}, kEventAt, line);
  return line;
}

TEST(JsonEvent, HasEachFieldAsItWasGiven) {
  const auto line = json_of({"redis_lost", "it is gone", {{"server", "r:6379"}, {"tries", 3}, {"after_s", 1.25}}});
  EXPECT_EQ(line.at("ts"), "2023-11-14T22:13:20.000042Z");
  EXPECT_EQ(line.at("level"), "warning");
  EXPECT_EQ(line.at("instance"), "gateway-1");
  EXPECT_EQ(line.at("event"), "redis_lost");
  EXPECT_EQ(line.at("message"), "it is gone");
  EXPECT_EQ(line.at("server"), "r:6379");
  EXPECT_EQ(line.at("tries"), 3);
  EXPECT_EQ(line.at("after_s"), 1.25);
}

TEST(JsonEvent, LeavesOutWhatIsNothing) {
  const auto line = json_of({"stopped", "", {EventField(), {"reason", "none"}}});
  EXPECT_EQ(line.size(), 5U) << line;
  EXPECT_EQ(line.at("reason"), "none");
}

TEST(JsonEvent, TakesAReasonForOneFieldWhateverStandsInIt) {
  for (const std::string reason : {"it closed the connection", "\"it closed\" event=forged level=debug", "a=b c=d",
                                   "\\", "line\nevent=forged", "\xff\x01"}) {
    const auto line = json_of({"redis_lost", "", {{"server", "r:6379"}, {"reason", reason}}});
    ASSERT_TRUE(line.is_object()) << reason;
    EXPECT_EQ(line.size(), 6U) << line;
    EXPECT_EQ(line.at("event"), "redis_lost");
    EXPECT_EQ(line.at("level"), "warning");
    if (reason.back() >= ' ') {
      EXPECT_EQ(line.at("reason"), reason);
    }
  }
}

TEST(TextEvent, IsTheNameTheSentenceAndTheFields) {
  EXPECT_EQ(text_of({"listening", "listening on :8080", {}}),
            "2023-11-14T22:13:20.000042Z info listening: listening on :8080");
  EXPECT_EQ(text_of({"redis_lost", "", {{"server", "r:6379"}, {"reason", "it is gone"}, {"after_s", 0.5}}}),
            "2023-11-14T22:13:20.000042Z info redis_lost server=r:6379 reason=\"it is gone\" after_s=0.500");
  EXPECT_TRUE(text_of({"stopped", "", {}}).ends_with(" info stopped"));
}

TEST(Events, HaveTextsInUtf8AsTheyAre) {
  const std::string name = "Zo\u00eb \U0001f600";
  const Told told{"admin_change", "by \"" + name + "\"", {{"target", name}}};
  EXPECT_EQ(json_of(told).at("message"), told.sentence);
  EXPECT_EQ(json_of(told).at("target"), name);
  EXPECT_TRUE(text_of(told).ends_with("admin_change: by \"" + name + "\" target=\"" + name + '"')) << text_of(told);
  const auto hostile = text_of({"x", "a\u2028b\u009b31m\u202e", {}});
  EXPECT_TRUE(hostile.ends_with(R"(x: a\u2028b\u009b31m\u202e)")) << hostile;
}

TEST(TextEvent, StaysOneLineAndOneFieldWhateverAPeerSays) {
  const auto line = text_of({"x", "a\n2026 forged\x1b[31m", {{"reason", "b\" event=forged\r\n"}}});
  EXPECT_TRUE(line.ends_with(R"(x: a\u000a2026 forged\u001b[31m reason="b\" event=forged\u000d\u000a")")) << line;
}

}  // namespace
}  // namespace headgate::observe
