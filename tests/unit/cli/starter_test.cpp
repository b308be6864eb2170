// What `headgate init` asks, and what it makes of the answers.

#include "cli/init/starter.hpp"

#include "support/folder.hpp"

#include "headgate/config/layout.hpp"
#include "headgate/config/load.hpp"

#include <gtest/gtest.h>

#include <sstream>

namespace headgate::cli {
namespace {

const StarterNames kNames{.config = "headgate.json", .certificate = "cert.pem", .key = "key.pem"};

std::optional<StarterAnswers> answers_to(const std::string& lines, std::string* said = nullptr) {
  std::istringstream in(lines);
  std::ostringstream out;
  auto answers = ask_starter(in, out, {});
  if (said != nullptr) *said = out.str();
  return answers;
}

TEST(Starter, TakesWhatIsUsualForAnEmptyAnswer) {
  const auto answers = answers_to("\n\n\n\n\n");
  ASSERT_TRUE(answers);
  EXPECT_EQ(answers->rate, "100/minute");
  EXPECT_EQ(answers->gateways, 1U);
  EXPECT_FALSE(answers->tls);
}

TEST(Starter, TakesFiveAnswers) {
  const auto answers = answers_to("http://a:1, https://b\ntokens\n 5/second \n3\nYes\r\n");
  ASSERT_TRUE(answers);
  EXPECT_EQ(answers->servers, (std::vector<std::string>{"http://a:1", "https://b"}));
  EXPECT_EQ(answers->callers, StarterCallers::tokens);
  EXPECT_EQ(answers->rate, "5/second");
  EXPECT_EQ(answers->gateways, 3U);
  EXPECT_TRUE(answers->tls);
}

TEST(Starter, SaysWhyAnAnswerCannotBeUsedAndAsksAgain) {
  std::string said;
  const auto answers = answers_to(
      "ftp://a\nhttp://a:1\"\n${HOME}\n \n"
      "me\nkeys\n100r/m\n5/month\n9000000/day\n7/minute\n0\n-1\n1001\n2\nperhaps\nn\n",
      &said);
  ASSERT_TRUE(answers) << said;
  EXPECT_EQ(answers->callers, StarterCallers::keys);
  EXPECT_EQ(answers->rate, "7/minute");
  EXPECT_EQ(answers->gateways, 2U);
  for (const char* each : {"write one of: anyone, keys, tokens", "\"100r/m\" is not a rate; write \"100/minute\"",
                           "at most 100000", "a number from 1 to 1000", "write yes or no", "write the URL itself"})
    EXPECT_NE(said.find(each), std::string::npos) << each << " in " << said;
}

TEST(Starter, HasNoAnswersIfTheInputEnds) {
  EXPECT_FALSE(answers_to(""));
  EXPECT_FALSE(answers_to("\nkeys\n\n\n"));
}

class Starters : public headgate::test::Folder {};

TEST_F(Starters, WriteFilesThatAreValidNeedNoAdviceAndAreLaidOut) {
  for (const auto& kind : starter_kinds()) {
    for (const bool several : {false, true}) {
      auto answers = kind.answers();
      if (several) {
        answers.servers = {"http://a:1", "http://b:2"};
        answers.gateways = 4;
        answers.rate = "20/second";
      }
      const auto text = starter_config(answers, kNames);
      const auto loaded = config::load(text, folder_.string(), "headgate.json", config::WithAdvice::yes);
      EXPECT_EQ(config::render_text(loaded.diagnostics, "headgate.json", text), "") << text;
      EXPECT_EQ(config::lay_out(text).text, text);
      EXPECT_NE(text.find("//"), std::string::npos);
      const auto test = starter_test(answers, kNames);
      EXPECT_EQ(config::lay_out(test).text, test);
      EXPECT_NE(test.find("\"config\": \"headgate.json\""), std::string::npos) << test;
    }
  }
}

}  // namespace
}  // namespace headgate::cli
