// Each event that is reported without a message has a sentence for people.

#include "house/includes.hpp"

#include <gtest/gtest.h>

#include <regex>
#include <string>

namespace headgate::test {
namespace {

TEST(Events, WithoutAMessageHaveASentence) {
  std::string sentences;
  for (const auto& file : source_files({"src"}))
    if (file.filename() == "event_sentence.cpp") sentences = content(file);
  ASSERT_NE(sentences.find("{\"redis_lost\", "), std::string::npos) << "the test has lost sight of the sentences";
  const std::regex call(R"re(event\(\s*(?:observe::)?LogLevel::\w+,\s*"(\w+)",\s*\{\})re");
  std::size_t found = 0;
  for (const auto& file : source_files({"src"})) {
    const auto text = content(file);
    for (std::sregex_iterator each(text.begin(), text.end(), call), end; each != end; ++each, ++found)
      EXPECT_NE(sentences.find("{\"" + (*each)[1].str() + "\","), std::string::npos)
          << file.string() << ": " << (*each)[1] << " needs a row in event_sentence.cpp";
  }
  EXPECT_GT(found, 8U) << "the test has lost sight of the events";
}

}  // namespace
}  // namespace headgate::test
