#include "key_text.hpp"

#include <openssl/evp.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>

namespace headgate::cli {
namespace {

constexpr std::size_t kLongestKey = 256;

std::optional<std::string> typed() {
  std::array<char, 2 * kLongestKey> line{};
  // OpenSSL's prompt turns the terminal's echo on again, even after a signal.
  if (EVP_read_pw_string(line.data(), static_cast<int>(line.size() - 1), "Key: ", 0) != 0) return std::nullopt;
  return line.data();
}

std::string piped() {
  std::array<char, 2 * kLongestKey> block{};
  std::string text(block.data(), std::fread(block.data(), 1, block.size(), stdin));
  if (text.ends_with('\n')) text.pop_back();
  if (text.ends_with('\r')) text.pop_back();
  return text;
}

bool can_be_sent(const std::string& key) {
  return !key.empty() && key.size() <= kLongestKey && key.front() != ' ' && key.back() != ' ' &&
         std::all_of(key.begin(), key.end(), [](char c) { return c >= 0x20 && c < 0x7F; });
}

}  // namespace

std::optional<std::string> read_key() {
  auto key = ::isatty(STDIN_FILENO) == 1 ? typed() : piped();
  if (key && can_be_sent(*key)) return key;
  std::fputs(
      "headgate: there is no valid key on stdin\n"
      "  help: a key is one line of 1 to 256 printable ASCII characters, without spaces at its ends\n",
      stderr);
  return std::nullopt;
}

}  // namespace headgate::cli
