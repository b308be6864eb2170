// One word for one idea: names that the glossary of docs/architecture.md replaced do not come back.

#include "house/includes.hpp"

#include <gtest/gtest.h>

#include <cctype>
#include <map>
#include <string>
#include <string_view>

namespace headgate::test {
namespace {

const std::map<std::string, std::string, std::less<>> kReplaced = {
    {"tells_way", "is_forwarding_header"},
    {"told_by_hops", "forwarding_values"},
    {"Terms", "ResolvedLimit"},
    {"terms_of", "resolve_limit"},
    {"Site", "CompiledConfig"},
    {"ReadyLimit", "CompiledLimit"},
    {"ReadyTier", "CompiledTier"},
    {"PlannedLimit", "RouteLimit"},
    {"InForce", "ActiveConfig"},
    {"Succession", "ConfigReloader"},
    {"Grants", "KeyOverrides"},
    {"Proof", "AuthResult"},
    {"Verdict", "Decision"},
    {"verdict", "decision"},
    {"verdicts", "decisions"},
    {"Denial", "KnownRejection"},
    {"Denials", "KnownRejections"},
    {"turned_away", "not_sent"},
    {"subject_of", "key_of"},
    {"ip_subject", "ip_key"},
    {"hold_back", "delay"},
    {"Meters", "ExchangeCounters"},
    {"LimitCells", "LimitCounters"},
    {"RouteCells", "RouteCounters"},
    {"ReloadCells", "ReloadCounters"},
    {"Pace", "RefreshPolicy"},
    {"Child", "ScopedTask"},
    {"Heat", "RateEstimate"},
    {"Errand", "PendingRefill"},
    {"Standing", "LeaseState"},
    {"Decider", "NodeClient"},
    {"Roster", "NodeStatistics"},
    {"TokenMemory", "TokenCache"},
    {"recall", "get"},
    {"Opening", "Preamble"},
    {"Refusal", "ParseError"},
    {"is_sound", "is_valid"},
    {"sound_host", "valid_host"},
    {"usual_burst", "default_burst"},
    {"usual_port", "default_port"},
    {"ConnectTerms", "ConnectOptions"},
    {"carry_by", "use_transport"},
    {"say_end", "send_end"},
    {"tells_limits", "is_limit_field"},
    {"tells_identity", "is_identity_field"},
    {"told_callers", "caller_values"},
    {"refused_by", "problem_limit"},
    {"asked_on", "asked_at_wall"},
    {"asked_for", "refilled"},
    {"unasked", "not_checked"},
    {"questions", "checks"},
    {"question_of", "merged_index"},
    {"foretell", "settle_decisions"},
    {"grant_without_effect", "api_key_setting_ignored"},
};

/// The word to use for `name`, or "" where it was not replaced.
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
