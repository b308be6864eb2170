// Each idea has one word. Names that the glossary of docs/architecture.md has replaced must not return.

#include "house/includes.hpp"

#include <gtest/gtest.h>

#include <cctype>
#include <map>
#include <string>
#include <string_view>

namespace headgate::test {
namespace {

const std::map<std::string, std::string, std::less<>> kReplaced = {
    {"Terms", "ResolvedLimit"},       {"ReadyLimit", "CompiledLimit"}, {"InForce", "ActiveConfig"},
    {"Verdict", "Decision"},          {"verdict", "decision"},         {"verdicts", "decisions"},
    {"Denial", "KnownRejection"},     {"Denials", "KnownRejections"},  {"subject_of", "key_of"},
    {"Entrance", "ListenerSettings"}, {"ip_subject", "ip_key"},        {"usual_burst", "default_burst"},
    {"usual_port", "default_port"},
};

/// Returns the word to use instead of `name`, or "" if `name` is fine.
std::string word_for(std::string_view name) {
  for (const auto& [old, now] : {std::pair("kMost", "kMax"), std::pair("kLeast", "kMin")}) {
    const bool whole = name.size() == std::string_view(old).size();
    if (name.starts_with(old) &&
        (whole || std::isupper(static_cast<unsigned char>(name[std::string_view(old).size()]))))
      return now;
  }
  const auto found = kReplaced.find(name);
  return found == kReplaced.end() ? std::string() : found->second;
}

bool in_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

TEST(Words, ThatTheGlossaryReplacedDoNotComeBack) {
  const auto files = source_files({"include", "src", "tests"});
  ASSERT_GT(files.size(), 50U) << "the test has lost sight of the sources";
  for (const auto& file : files) {
    if (file.filename() == "words_test.cpp") continue;
    const std::string text = content(file);
    for (std::size_t begin = 0; begin < text.size();) {
      std::size_t end = begin;
      while (end < text.size() && in_name(text[end])) ++end;
      const auto name = std::string_view(text).substr(begin, end - begin);
      if (const auto word = word_for(name); !word.empty())
        ADD_FAILURE() << file.string() << ": " << name << " is " << word;
      begin = end + 1;
    }
  }
}

TEST(Words, KnowsThemByTheirWholeName) {
  EXPECT_EQ(word_for("Verdict"), "Decision");
  EXPECT_EQ(word_for("kMost"), "kMax");
  EXPECT_EQ(word_for("kLeastBits"), "kMin");
  EXPECT_EQ(word_for("kMostly"), "");
  EXPECT_EQ(word_for("ScopedTask"), "");
}

}  // namespace
}  // namespace headgate::test
