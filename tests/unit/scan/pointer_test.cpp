// Pointers as text, and sets of them.

#include "headgate/scan/pointer.hpp"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

namespace headgate::scan {
namespace {

using Steps = std::vector<std::string>;

TEST(Pointer, IsParsedAndWrittenAsRfc6901Says) {
  const std::pair<std::string_view, Steps> cases[] = {
      {"", {}},
      {"/", {""}},
      {"/foo/0", {"foo", "0"}},
      {"/a~1b", {"a/b"}},
      {"/m~0n", {"m~n"}},
      {"/~01", {"~1"}},
      {"//", {"", ""}},
      {"/c%d/e^f/ /\"", {"c%d", "e^f", " ", "\""}},
      {"/\xc3\xa4/*", {"\xc3\xa4", "*"}},
  };
  for (const auto& [text, steps] : cases) {
    const auto pointer = parse_pointer(text);
    ASSERT_TRUE(pointer.has_value()) << text;
    EXPECT_EQ(pointer->steps, steps) << text;
    EXPECT_EQ(to_text(*pointer), text);
  }
}

TEST(Pointer, IsRefusedWithTheReason) {
  const auto error = [](std::string_view text) { return parse_pointer(text).error().message; };
  EXPECT_EQ(error("model"), "\"model\" is not a JSON pointer: it does not begin with a slash");
  EXPECT_EQ(error("/a/b~2"), "\"/a/b~2\" is not a JSON pointer: a tilde is followed by neither 0 nor 1");
  EXPECT_EQ(error("/a~"), "\"/a~\" is not a JSON pointer: a tilde is followed by neither 0 nor 1");
  EXPECT_NE(error("#/a"), "");
  EXPECT_NE(error("/a\xff"), "");
  EXPECT_NE(error("/" + std::string(kMaxStepBytes + 1, 'x')), "");
  std::string deep;
  for (std::size_t i = 0; i <= kMaxSteps; ++i) deep += "/a";
  EXPECT_NE(error(deep), "");
  EXPECT_TRUE(parse_pointer(deep.substr(2)).has_value());
}

TEST(Pointer, CanMatchMany) {
  EXPECT_TRUE(matches_many(*parse_pointer("/a/*/b")));
  EXPECT_FALSE(matches_many(*parse_pointer("/a/**/b*")));
}

TEST(Pointers, HaveOneIndexEach) {
  Pointers pointers;
  const auto a = *parse_pointer("/a");
  EXPECT_EQ(pointers.add(a, Take::value), 0U);
  EXPECT_EQ(pointers.add(a, Take::text), 1U);
  EXPECT_EQ(pointers.add(a, Take::value), 0U);
  EXPECT_EQ(pointers.size(), 2U);
  for (std::size_t i = 2; i < kMaxPointers; ++i) EXPECT_EQ(pointers.add({{std::to_string(i)}}, Take::value), i);
  EXPECT_EQ(pointers.add({{"one", "too", "many"}}, Take::value), Pointers::kNone);
  EXPECT_EQ(pointers.add({{"7"}}, Take::value), 7U);
  EXPECT_EQ(pointers.size(), kMaxPointers);
}

TEST(Pointers, AreNotAddedIfTheyAreTooLong) {
  Pointers pointers;
  EXPECT_EQ(pointers.add({Steps(kMaxSteps + 1, "a")}, Take::value), Pointers::kNone);
  EXPECT_EQ(pointers.add({{std::string(kMaxStepBytes + 1, 'a')}}, Take::value), Pointers::kNone);
  EXPECT_EQ(pointers.add({Steps(kMaxSteps, "a")}, Take::value), 0U);
}

}  // namespace
}  // namespace headgate::scan
