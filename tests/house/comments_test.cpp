// Comments are sentences that a newcomer reads once: they begin with a noun or a verb, and a comment inside a function
// has a verb. The rules are mechanical, so a comment that passes them can still be unclear.

#include "house/includes.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace headgate::test {
namespace {

struct Comment {
  std::size_t line = 0;
  bool in_function = false;  ///< a comment of its own lines, indented, with two slashes
  std::string text;
};

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.front()))) text.remove_prefix(1);
  return text;
}

/// The comments of a file. Lines that follow each other are one comment; a comment behind code is one of its own.
std::vector<Comment> comments_of(const std::string& source, std::string_view mark) {
  std::vector<Comment> out;
  std::istringstream lines(source);
  std::string line;
  bool goes_on = false;
  for (std::size_t number = 1; std::getline(lines, line); ++number) {
    const auto text = trimmed(line);
    const bool whole = text.starts_with(mark);
    const auto behind = whole ? 0 : text.find("  " + std::string(mark));
    if (!whole && behind == std::string_view::npos) {
      goes_on = false;
      continue;
    }
    auto words = text.substr(whole ? mark.size() : behind + 2 + mark.size());
    const bool of_declaration = words.starts_with('/');
    if (words.find("NOLINT") != std::string_view::npos) continue;
    while (!words.empty() && (words.front() == '/' || words.front() == '<')) words.remove_prefix(1);
    words = trimmed(words);
    if (whole && goes_on) {
      out.back().text.append(" ").append(words);
    } else {
      out.push_back({number, whole && !of_declaration && text.size() < line.size(), std::string(words)});
    }
    goes_on = whole;
  }
  return out;
}

/// The pronoun that a comment begins with and that nobody can resolve there; empty if it begins with none.
std::string_view unclear_begin(std::string_view text) {
  constexpr std::array<std::string_view, 17> kBegins = {
      "What",       "Whatever",   "Who",        "Whoever",     "Whom",         "Whose",
      "Of",         "Whether it", "That which", "It is",       "All of it",    "None of it",
      "Those that", "Those of",   "One that",   "One of them", "Which of them"};
  const auto* const found = std::find_if(kBegins.begin(), kBegins.end(), [&](std::string_view begin) {
    return text.starts_with(begin) &&
           (text.size() == begin.size() || !std::isalpha(static_cast<unsigned char>(text[begin.size()])));
  });
  return found == kBegins.end() ? std::string_view() : *found;
}

bool is_any_of(std::string_view word, std::string_view words) {
  return (" " + std::string(words) + " ").find(" " + std::string(word) + " ") != std::string::npos;
}

/// Whether a word can be a verb. Words with "s" or "ed" at the end count, except for the usual nouns, and so do short
/// forms. Nouns in the plural pass too: the test finds what is surely no sentence.
bool can_be_verb(std::string word) {
  std::transform(word.begin(), word.end(), word.begin(), [](unsigned char c) { return std::tolower(c); });
  if (is_any_of(word,
                "this its as us redis address tls process class status always less besides unless bytes requests "
                "keys fields limits others ones servers numbers values lines seconds connections addresses rules"))
    return false;
  return word.ends_with("s") || word.ends_with("ed") || word.ends_with("n't") ||
         is_any_of(
             word,
             "am are were be been have had do did can may must shall will would could should might cannot let begin "
             "take tell say read cost come go give keep need count ask wait know stand make send see hold find want "
             "end pass stay sent made said told known gone left given taken kept begun written seen held found lost "
             "spent met put cut set drawn shown done listen mean name use");
}

/// Whether the first sentence of a text has a verb, or fewer than three words.
bool has_verb(std::string_view text) {
  std::size_t words = 0;
  std::string word;
  for (const char c : std::string(text) + ". ") {
    if (std::isalpha(static_cast<unsigned char>(c)) || c == '\'' || c == '_') {
      word += c;
      continue;
    }
    if (!word.empty() && can_be_verb(word)) return true;
    words += word.empty() ? 0 : 1;
    const bool ends = c == '.' && word.size() > 1;
    word.clear();
    if (ends) break;
  }
  return words < 3;
}

std::vector<std::filesystem::path> commented_files() {
  std::vector<std::filesystem::path> out;
  for (const auto* const folder : {"include", "src", "lua", "dashboard", "tests/support"})
    for (const auto& entry : std::filesystem::recursive_directory_iterator(project_root() / folder))
      if (const auto end = entry.path().extension(); end == ".hpp" || end == ".cpp" || end == ".lua" || end == ".js")
        out.push_back(entry.path());
  std::sort(out.begin(), out.end());
  return out;
}

TEST(Comments, BeginWithANounOrAVerbAndAreSentencesInsideFunctions) {
  std::size_t seen = 0;
  for (const auto& file : commented_files()) {
    for (const auto& comment : comments_of(content(file), file.extension() == ".lua" ? "--" : "//")) {
      ++seen;
      if (const auto begin = unclear_begin(comment.text); !begin.empty())
        ADD_FAILURE() << file.string() << ":" << comment.line << ": begins with \"" << begin
                      << "\": begin with the noun that is meant, or with a verb: " << comment.text.substr(0, 80);
      if (comment.in_function && file.extension() == ".cpp" && !has_verb(comment.text))
        ADD_FAILURE() << file.string() << ":" << comment.line
                      << ": the first sentence has no verb: " << comment.text.substr(0, 80);
    }
  }
  EXPECT_GT(seen, 5000U) << "the test has lost sight of the comments";
}

TEST(Comments, AreFoundBesideCodeAndOverSeveralLines) {
  const auto found =
      comments_of("  // What is left\n  // of it.\n  int a;  ///< of this\n/// Returns a.\nint b;\n", "//");
  ASSERT_EQ(found.size(), 3U);
  EXPECT_EQ(found[0].text, "What is left of it.");
  EXPECT_TRUE(found[0].in_function);
  EXPECT_EQ(found[1].text, "of this");
  EXPECT_FALSE(found[2].in_function);
}

TEST(Comments, AreKnownByTheirFirstWords) {
  EXPECT_EQ(unclear_begin("What is left."), "What");
  EXPECT_EQ(unclear_begin("Whether it waits."), "Whether it");
  EXPECT_EQ(unclear_begin("Whether the request waits."), "");
  EXPECT_EQ(unclear_begin("Offers a permit."), "");
  EXPECT_TRUE(has_verb("The lock is held. More."));
  EXPECT_FALSE(has_verb("Once more without the lock. It is held."));
}

}  // namespace
}  // namespace headgate::test
