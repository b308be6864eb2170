#include "../../../../src/observe/log/event_sentence.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace headgate::observe {
namespace {

std::string sentence(std::string_view name, std::string_view message, std::vector<EventField> fields) {
  return sentence_of({LogLevel::info, name, message, fields});
}

TEST(EventSentence, NamesTheServerAndTheReason) {
  EXPECT_EQ(sentence("redis_lost", {}, {{"server", "10.0.0.7:6379"}, {"reason", "it closed the connection"}}),
            "Redis at 10.0.0.7:6379 does not answer: it closed the connection.");
}

TEST(EventSentence, BeginsWithACapitalLetterAndHasOneFullStop) {
  EXPECT_EQ(sentence("reason_began", "ignored", {{"what", "no server of upstream \"app\" answers"}, {"why", "x."}}),
            "No server of upstream \"app\" answers: x.");
}

TEST(EventSentence, LeavesOutOptionalPartsWithoutTheirFields) {
  EXPECT_EQ(sentence("config_error", "unknown key \"rutes\"", {{"file", "a.json"}, {"line", 3}, {"column", 5}}),
            "Configuration error in a.json at line 3, column 5: unknown key \"rutes\".");
  EXPECT_EQ(sentence("config_error", "unknown key", {}), "Configuration error: unknown key.");
  EXPECT_EQ(sentence("key_issued", {}, {{"id", "k1"}, {"owner", ""}}), "An operator issued the API key k1.");
}

TEST(EventSentence, TakesTheFirstPatternWhoseFieldsExist) {
  EXPECT_EQ(sentence("redis_found", {}, {{"server", "r:1"}, {"after_s", 1.5}}),
            "Redis at r:1 answers again after 1.5 s.");
  EXPECT_EQ(sentence("redis_found", {}, {{"server", "r:1"}}), "Redis at r:1 answers.");
}

TEST(EventSentence, NamesTheServerInItsMessage) {
  EXPECT_EQ(sentence("server_healthy", "health checks passed, so the server gets requests again",
                     {{"upstream", "app"}, {"server", "a:1"}}),
            "Health checks passed, so server a:1 of upstream \"app\" gets requests again.");
  EXPECT_EQ(sentence("server_healthy", "all is well", {{"upstream", "app"}, {"server", "a:1"}}),
            "Server a:1 of upstream \"app\" gets requests again.");
}

TEST(EventSentence, DoesNotReadPatternsInValues) {
  EXPECT_EQ(sentence("log_reopened", {}, {{"log", "[{log}]"}}), "The log [{log}] was reopened.");
}

TEST(EventSentence, UsesTheMessageOrTheNameOfAnUnknownEvent) {
  EXPECT_EQ(sentence("something_new", "this is new", {}), "This is new.");
  EXPECT_EQ(sentence("something_new", {}, {}), "Something new.");
}

}  // namespace
}  // namespace headgate::observe
