#include "headgate/http/fields.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>

namespace headgate::http {
namespace {

Known of_beast(const std::string& name) { return boost::beast::http::string_to_field(name); }

constexpr std::string_view kToken = "!#$%&'*+-.^_`|~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/// Each name of Beast, in small letters, in capitals, and with one byte more, less or another one.
TEST(KnownField, IsWhatBeastSaysOfEverySpelling) {
  std::mt19937 random(7);
  const auto check = [](const std::string& name) { ASSERT_EQ(known_field(name), of_beast(name)) << name; };
  for (unsigned id = 1; id <= static_cast<unsigned>(Known::xref); ++id) {
    const std::string name(boost::beast::http::to_string(static_cast<Known>(id)));
    ASSERT_EQ(known_field(name), static_cast<Known>(id)) << name;
    auto changed = name;
    std::transform(name.begin(), name.end(), changed.begin(),
                   [](char c) { return static_cast<char>(std::tolower(c)); });
    check(changed);
    std::transform(name.begin(), name.end(), changed.begin(),
                   [](char c) { return static_cast<char>(std::toupper(c)); });
    check(changed);
    check(name + "s");
    check(name.substr(1));
    check(name.substr(0, name.size() - 1));
    for (int i = 0; i < 50; ++i) {
      changed = name;
      changed[random() % name.size()] = kToken[random() % kToken.size()];
      check(changed);
    }
  }
  EXPECT_EQ(known_field(""), Known::unknown);
  EXPECT_EQ(known_field("X"), Known::unknown);
}

}  // namespace
}  // namespace headgate::http
