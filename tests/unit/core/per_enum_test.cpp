#include "headgate/core/per_enum.hpp"

#include <gtest/gtest.h>

#include <type_traits>

namespace headgate {
namespace {

enum class Size { small, large, count };
enum class Shade { light, dark };

using OneWord = const std::string_view (&)[1];
using TwoWords = const std::string_view (&)[2];
using ThreeWords = const std::string_view (&)[3];

TEST(PerEnum, HasARowForEachEnumeratorOrDoesNotCompile) {
  static_assert(kCountOf<Size> == 2);
  static_assert(std::is_constructible_v<WordsOf<Size>, TwoWords>);
  static_assert(!std::is_constructible_v<WordsOf<Size>, OneWord>);
  static_assert(!std::is_constructible_v<WordsOf<Size>, ThreeWords>);
  static_assert(std::is_constructible_v<WordsUpTo<Shade::dark>, TwoWords>);
  static_assert(!std::is_constructible_v<WordsUpTo<Shade::dark>, OneWord>);
}

TEST(PerEnum, KnowsWhetherAnotherEnumeratorFollows) {
  static_assert(is_enumerator<Shade::dark>());
  static_assert(!is_enumerator<static_cast<Shade>(2)>());
  static_assert(is_enumerator<Size::count>());
}

TEST(PerEnum, IsIndexedByItsEnumeration) {
  constexpr WordsOf<Size> kWords({"S", "L"});
  EXPECT_EQ(kWords[Size::large], "L");
  EXPECT_EQ(kWords[0], "S");
  EXPECT_EQ(kWords.size(), 2U);
}

}  // namespace
}  // namespace headgate
