#include "headgate/http/origin.hpp"

#include <gtest/gtest.h>

namespace headgate::http {
namespace {

std::string spelled(std::string_view text) {
  std::string out;
  return normalise_origin(text, out) ? out : "-";
}

TEST(Origin, IsSchemeHostAndPort) {
  EXPECT_EQ(spelled("https://app.example.com"), "https://app.example.com");
  EXPECT_EQ(spelled("http://localhost:3000"), "http://localhost:3000");
  EXPECT_EQ(spelled("http://[::1]:3000"), "http://[::1]:3000");
  EXPECT_EQ(spelled("chrome-extension://abcdefgh"), "chrome-extension://abcdefgh");
}

TEST(Origin, HasOneSpelling) {
  EXPECT_EQ(spelled("HTTPS://App.Example.COM"), "https://app.example.com");
  EXPECT_EQ(spelled("https://app.example.com:443"), "https://app.example.com");
  EXPECT_EQ(spelled("http://app.example.com:80"), "http://app.example.com");
  EXPECT_EQ(spelled("https://app.example.com:80"), "https://app.example.com:80");
  EXPECT_EQ(spelled("http://app.example.com:443"), "http://app.example.com:443");
  EXPECT_EQ(spelled("http://[0:0::1]"), "http://[::1]");
}

TEST(Origin, IsNothingElse) {
  for (const char* text : {"",
                           "null",
                           "*",
                           "app.example.com",
                           "https:app.example.com",
                           "https:/app.example.com",
                           "https://",
                           "https://app.example.com/",
                           "https://app.example.com/x",
                           "https://user@app.example.com",
                           "https://app.example.com.",
                           "https://app.example.com:",
                           "https://app.example.com:0443",
                           "https://app.example.com:0",
                           "https://app.example.com:65536",
                           "https://app.example.com:443x",
                           "https://app..example.com",
                           "https://.example.com",
                           "https://*.example.com",
                           "https://app.example.com?x",
                           "https://app.example.com#x",
                           " https://app.example.com",
                           "https://app.example.com https://b.example.com",
                           "https://app.example.com,https://b.example.com",
                           "://app.example.com",
                           "1https://app.example.com",
                           "ht tp://app.example.com",
                           "https://app.example.com\\x"})
    EXPECT_EQ(spelled(text), "-") << text;
}

TEST(Origin, IsReadNoFurtherThanItsLongest) {
  EXPECT_EQ(spelled("https://" + std::string(kMaxOrigin - 8, 'a')).size(), kMaxOrigin);
  EXPECT_EQ(spelled("https://" + std::string(kMaxOrigin - 7, 'a')), "-");
}

}  // namespace
}  // namespace headgate::http
