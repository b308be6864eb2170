#include "headgate/core/text_arena.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <vector>

namespace headgate {
namespace {

TEST(TextArena, JoinsPiecesInOrder) {
  TextArena arena;
  EXPECT_EQ(arena.join({"a", "", "bc", std::string_view{}}), "abc");
  EXPECT_EQ(arena.join({}), "");
  EXPECT_EQ(arena.join({std::string_view("\0x", 2)}), std::string_view("\0x", 2));
}

TEST(TextArena, WritesNumbersOfAnySizeAndSign) {
  TextArena arena;
  EXPECT_EQ(arena.number(0), "0");
  EXPECT_EQ(arena.number(std::numeric_limits<std::int64_t>::min()), "-9223372036854775808");
  EXPECT_EQ(arena.number(std::numeric_limits<std::uint64_t>::max()), "18446744073709551615");
}

TEST(TextArena, KeepsEveryTextWhereItIsUntilCleared) {
  TextArena arena;
  std::vector<std::pair<std::string_view, std::string>> made;
  // Far beyond the buffer, in sizes that leave gaps at its end, so that most texts are on the heap.
  for (std::size_t i = 0; i < 500; ++i) {
    std::string text(i % 61, static_cast<char>('a' + i % 26));
    made.emplace_back(arena.join({text}), text);
  }
  made.emplace_back(arena.join({std::string(100'000, 'z')}), std::string(100'000, 'z'));
  made.emplace_back(arena.join({"small"}), "small");
  for (const auto& [view, text] : made) ASSERT_EQ(view, text);
}

TEST(TextArena, JoinsItsOwnTexts) {
  TextArena arena;
  std::string_view list = arena.join({"0"});
  std::string expected = "0";
  for (int i = 1; i < 300; ++i) {
    list = arena.join({list, ",", arena.number(i)});
    expected += "," + std::to_string(i);
  }
  EXPECT_EQ(list, expected);
}

TEST(TextArena, ExtendsWhatItMadeLastWhereItLies) {
  TextArena arena;
  const auto first = arena.join({"first"});
  const auto list = arena.extend(first, {", ", "second"});
  EXPECT_EQ(list, "first, second");
  EXPECT_EQ(list.data(), first.data());
  const auto other = arena.join({"other"});
  EXPECT_EQ(arena.extend(list, {", third"}), "first, second, third") << "no longer the last";
  EXPECT_EQ(arena.extend("outside", {}), "outside");
  EXPECT_EQ(arena.extend({}, {"", "a"}), "a");
  EXPECT_EQ(other, "other");
}

TEST(TextArena, ExtendsAListOfAnyLength) {
  TextArena arena;
  const auto kept = arena.join({"kept"});
  std::string_view list;
  std::string expected;
  for (int i = 0; i < 3000; ++i) {
    list = arena.extend(list, {i == 0 ? "" : ",", std::to_string(i)});
    expected += (i == 0 ? "" : ",") + std::to_string(i);
  }
  const auto behind = arena.join({"behind"});
  EXPECT_EQ(arena.extend(list, {"!"}), expected + "!");
  EXPECT_EQ(kept, "kept");
  EXPECT_EQ(behind, "behind");
}

TEST(TextArena, KeepsTextsOfAnySizeAtTheEndOfItsBlocks) {
  for (std::size_t size = 0; size < 3'000; ++size) {
    TextArena arena;
    const auto first = arena.join({std::string(size, 'a')});
    const auto second = arena.extend(arena.join({std::string(size, 'b')}), {"c"});
    const auto third = arena.write(size, [size](TextCursor& out) { out.text(std::string(size / 2, 'd')); });
    ASSERT_EQ(first, std::string(size, 'a'));
    ASSERT_EQ(second, std::string(size, 'b') + "c");
    ASSERT_EQ(third, std::string(size / 2, 'd'));
  }
}

TEST(TextArena, UsesItsBufferAgainOnceCleared) {
  TextArena arena;
  const char* first = arena.join({"first"}).data();
  (void)arena.join({std::string(10'000, 'x')});
  arena.clear();
  const auto again = arena.join({"again"});
  EXPECT_EQ(again, "again");
  EXPECT_EQ(again.data(), first);
}

TEST(TextArena, KeepsOnlyWhatWasWritten) {
  TextArena text;
  const auto first = text.write(100, [](TextCursor& out) { out.word("first"); });
  const auto second = text.join({"second"});
  EXPECT_EQ(first, "first");
  EXPECT_EQ(second.data(), first.data() + first.size()) << "the rest of the room is free again";
  // More than there is room for, extended in place.
  const auto large = text.write(10'000, [](TextCursor& out) { out.word("large"); });
  EXPECT_EQ(large, "large");
  EXPECT_EQ(text.extend(large, {" and more"}), "large and more");
  EXPECT_EQ(first, "first");
  EXPECT_EQ(text.write(0, [](TextCursor&) {}), "");
}

}  // namespace
}  // namespace headgate
