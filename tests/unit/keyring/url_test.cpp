// Which URLs can be fetched, and the messages for the others.
#include "headgate/keyring/url.hpp"

#include <gmock/gmock.h>

namespace headgate::keyring {
namespace {

using testing::HasSubstr;
using testing::Not;

Url read(std::string_view text) {
  const auto url = parse_url(text);
  EXPECT_TRUE(url.has_value()) << text << ": " << (url.has_error() ? url.error() : "");
  return url.has_value() ? *url : Url{};
}

std::string refused(std::string_view text) {
  const auto url = parse_url(text);
  EXPECT_TRUE(url.has_error()) << text;
  return url.has_error() ? url.error() : "";
}

TEST(KeyringUrl, IsTakenApart) {
  EXPECT_EQ(read("https://login.example.com/keys?v=2"), (Url{Scheme::https, "login.example.com", 443, "/keys?v=2"}));
  EXPECT_EQ(read("http://127.0.0.1:8080/a/b"), (Url{Scheme::http, "127.0.0.1", 8080, "/a/b"}));
  EXPECT_EQ(read("http://jwks_server"), (Url{Scheme::http, "jwks_server", 80, "/"}));
  EXPECT_EQ(read("https://example.com?x=%2F"), (Url{Scheme::https, "example.com", 443, "/?x=%2F"}));
}

TEST(KeyringUrl, NamesItsServerInOneSpelling) {
  EXPECT_EQ(read("HTTPS://Login.Example.COM:443/Keys"), read("https://login.example.com/Keys"));
  EXPECT_EQ(read("https://[2001:DB8:0::1]:8443/"), (Url{Scheme::https, "2001:db8::1", 8443, "/"}));
}

TEST(KeyringUrl, IsWrittenBackInItsShortestForm) {
  EXPECT_EQ(to_text(read("HTTPS://Example.com:443")), "https://example.com/");
  EXPECT_EQ(to_text(read("http://[::1]:8080/k?v=2")), "http://[::1]:8080/k?v=2");
  EXPECT_EQ(net::authority(read("http://example.com:443/")), "example.com:443");
  EXPECT_EQ(net::authority(read("http://[::1]:80/")), "[::1]");
}

TEST(KeyringUrl, QuotesNoPassword) {
  for (const char* text : {"https://joe:secret@example.com/", "https://joe:sec/ret@example.com/",
                           "gopher://joe:secret@example.com/", "joe:secret@example.com"}) {
    EXPECT_THAT(refused(text), Not(HasSubstr("sec"))) << text;
  }
  EXPECT_THAT(refused("https://joe:secret@example.com/"), HasSubstr("remove the part up to"));
  EXPECT_EQ(read("https://example.com/a@b").target, "/a@b") << "a path may have one";
}

TEST(KeyringUrl, SaysWhatToWriteInstead) {
  EXPECT_EQ(refused("ftp://example.com/"),
            R"("ftp://example.com/" is not a URL; write one such as "https://login.example.com/keys")");
  EXPECT_THAT(refused("example.com/keys"), HasSubstr("is not a URL"));
  EXPECT_THAT(refused("https://example.com:0/"), HasSubstr("has an invalid port"));
  EXPECT_THAT(refused("https://example.com/keys#1"), HasSubstr("has a fragment"));
  EXPECT_THAT(refused("https://example.com/a b"), HasSubstr("must be written as \"%\""));
  EXPECT_THAT(refused("https://example.com/100%"), HasSubstr("write \"%25\""));
  EXPECT_THAT(refused("https://" + std::string(3000, 'a')), HasSubstr("more than 2048 bytes"));
}

TEST(KeyringUrl, NamesAHostThatEverybodyReadsAlike) {
  for (const char* host : {"", ".", "a..b", "a.", "-a", "a-", "a%62", "a b", "\xc3\xa4.example", "1.2.3", "1.2.3.4.5",
                           "1.2.3.256", "01.2.3.4", "0x7f.1", "[::1", "[1.2.3.4]", "[fe80::1%eth0]", "::1", "[]"}) {
    EXPECT_THAT(refused("http://" + std::string(host) + "/"), Not(HasSubstr("path"))) << host;
  }
}

TEST(KeyringUrl, HasAPortInDigitsOrNone) {
  for (const char* port : {":", ":0", ":080", ":65536", ":+80", ":8o", ": 80", "80", ":80:80"})
    EXPECT_THAT(refused("http://[::1]" + std::string(port) + "/"), HasSubstr("port")) << port;
}

TEST(KeyringUrl, HasNothingInItThatWouldEndARequestsFirstLine) {
  for (const char* target : {"/\r\nX: y", "/\t", "/\x7f", "/\xff", "/<>", "/\"", "/\\", "/%zz", "/%2"})
    EXPECT_TRUE(parse_url("http://a" + std::string(target)).has_error()) << target;
  EXPECT_THAT(refused("http://a/\n"), Not(HasSubstr("\n"))) << "nor the log's line";
}

}  // namespace
}  // namespace headgate::keyring
