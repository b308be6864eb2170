#include "security/spellings.hpp"

#include <cctype>

namespace headgate::test {

std::string Spellings::next() {
  static const Choices kDetours = {
      "./",      "x/../",   "/",     "%2e/",    "x/%2E%2e/", "x/.%2e/",       ";a/",          "x;b/../",   "x/..;/",
      "x/..%2F", "x/..%5c", "..%2f", "x\\..\\", "x%2F../",   "x/%252e%252e/", "x/%2e%2e%3b/", "x/..%252f", "../"};
  static const Choices kSeparators = {"//",      "%2F", "%2f", "%5C", "%5c",   "\\",     "%252F", "%25%32%66",
                                      "%25252f", "/./", "/;/", ";/",  "/%2e/", "%c0%af", "%255C", "%3b/"};
  static const Choices kEndings = {"/",    "/.",  ";x",  ";x=1;y", "%3Bx", "?q=/../", "?",   "%00",     "%20",
                                   "/%2e", "%2F", "%5C", "/x/..",  "%3F",  "%23",     "/;x", "%2Fx/..", "%09"};
  const std::string_view path = paths_[std::uniform_int_distribution<std::size_t>(0, paths_.size() - 1)(random_)];
  // Most spellings have one or two changes. With more, nearly all would be refused for one of them, and the others
  // would not be tested.
  const unsigned escapes = once_in(2) ? 0 : once_in(2) ? 1 : 6;
  std::string out = once_in(12) ? "http://test.example" : "";
  std::size_t at = 0;
  while (at < path.size()) {
    const auto end = std::min(path.find('/', at + 1), path.size());
    out += at > 0 && once_in(8) ? one_of(kSeparators) : "/";
    if (once_in(8)) out += one_of(kDetours);
    out += segment(path.substr(at + 1, end - at - 1), escapes);
    at = end;
  }
  if (once_in(4)) out += one_of(kEndings);
  return out;
}

/// Each letter once in `escapes` times percent-encoded; 0: none.
std::string Spellings::segment(std::string_view plain, unsigned escapes) {
  std::string out;
  for (const char c : plain) {
    if (escapes > 0 && once_in(escapes))
      out += escaped(c);
    else if (once_in(40))
      out += static_cast<char>(std::isupper(c) ? std::tolower(c) : std::toupper(c));
    else
      out += c;
  }
  return out;
}

std::string Spellings::escaped(char c) {
  const std::string_view digits = once_in(2) ? "0123456789abcdef" : "0123456789ABCDEF";
  const auto byte = static_cast<unsigned char>(c);
  return std::string(once_in(30) ? "%25" : "%") + digits[byte >> 4] + digits[byte & 15];
}

}  // namespace headgate::test
