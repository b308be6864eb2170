// A key that is piped in, as a request could carry it.

#include "../../../src/cli/keys/key_text.hpp"

#include <gtest/gtest.h>
#include <stdio_ext.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <string>
#include <string_view>

namespace headgate::cli {
namespace {

/// What is read where `text` is on stdin; "(none)" after a complaint.
std::string read_from(std::string_view text) {
  std::array<int, 2> ends{};
  EXPECT_EQ(::pipe(ends.data()), 0);
  EXPECT_EQ(::write(ends[1], text.data(), text.size()), static_cast<ssize_t>(text.size()));
  ::close(ends[1]);
  const int before = ::dup(STDIN_FILENO);
  ::dup2(ends[0], STDIN_FILENO);
  ::close(ends[0]);
  std::clearerr(stdin);
  ::__fpurge(stdin);  // what is left of a key before
  testing::internal::CaptureStderr();
  const auto key = read_key();
  const auto said = testing::internal::GetCapturedStderr();
  ::dup2(before, STDIN_FILENO);
  ::close(before);
  EXPECT_EQ(key.has_value(), said.empty()) << said;
  return key.value_or("(none)");
}

TEST(KeyInput, IsALineWithoutItsEnd) {
  EXPECT_EQ(read_from("key"), "key");
  EXPECT_EQ(read_from("key\n"), "key");
  EXPECT_EQ(read_from("key\r\n"), "key");
  EXPECT_EQ(read_from("a key!"), "a key!");
}

TEST(KeyInput, IsNoneThatNoRequestCouldCarry) {
  for (const auto* const text : {"", "\n", "two\nlines", " key", "key ", "k\xc3\xa9y", "k\ty", "key\n\n"})
    EXPECT_EQ(read_from(text), "(none)") << text;
}

TEST(KeyInput, HasABound) {
  EXPECT_EQ(read_from(std::string(256, 'x')), std::string(256, 'x'));
  EXPECT_EQ(read_from(std::string(257, 'x')), "(none)");
  EXPECT_EQ(read_from(std::string(5000, 'x')), "(none)");
}

}  // namespace
}  // namespace headgate::cli
