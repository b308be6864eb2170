#include "headgate/redis/command.hpp"

#include <charconv>

namespace headgate::redis {
namespace {

void append_length(std::string& out, char type, std::size_t length) {
  char digits[24];
  digits[0] = type;
  char* end = std::to_chars(digits + 1, digits + sizeof digits - 2, length).ptr;
  *end++ = '\r';
  *end++ = '\n';
  out.append(digits, end);
}

}  // namespace

void append_command(std::string& out, std::span<const std::string_view> words) {
  append_length(out, '*', words.size());
  for (const auto word : words) {
    append_length(out, '$', word.size());
    out += word;
    out += "\r\n";
  }
}

}  // namespace headgate::redis
