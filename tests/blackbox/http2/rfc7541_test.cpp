// RFC 7541: how fields are compressed, right and wrong, bit by bit.

#include "blackbox/http2/rules.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace headgate::test {
namespace {

class Hpack : public H2Rules {
 protected:
  /// GET / of http://a.example, and `more` behind it.
  static std::string head(std::uint32_t stream, const std::string& more, const std::string& before = "") {
    return h2_frame(h2_headers, kEndStream | kEndHeaders, stream, before + h2_block(h2_get()) + more);
  }
  static std::string literal(const std::string& name, const std::string& value, char kind = '\0') {
    return kind + (static_cast<char>(name.size()) + name) + static_cast<char>(value.size()) + value;
  }
  /// The fields that the server gets, with a status.
  static std::string seen(H2Client& client, std::uint32_t stream, const std::string& more, const std::string& name) {
    client.send(head(stream, more));
    EXPECT_EQ(client.answer(stream).status, 200);
    return proxy->upstream.last().message.all(name);
  }
};
INSTANTIATE_TEST_SUITE_P(On, Hpack, testing::Values("Plain", "Tls"), listener_name);

TEST_P(Hpack, RemembersFieldsInTheirOrder) {  // sections 2.3, 3.2, 6.1, 6.2
  const auto one = client();
  EXPECT_EQ(seen(*one, 1, literal("x-a", "first", '\x40') + literal("x-a", "second", '\x40'), "x-a"), "first, second");
  EXPECT_EQ(seen(*one, 3, "\xbe\xbf", "x-a"), "second, first") << "the newest has the lowest index";
  EXPECT_EQ(seen(*one, 5, std::string("\x7e\x05third"), "x-a"), "third") << "a name of the table, remembered";
  EXPECT_EQ(seen(*one, 7, std::string("\xbe\x0f\x2f\x05other\x1f\x2f\x05never"), "x-a"), "third, other, never")
      << "not remembered, and never to be";
  EXPECT_EQ(seen(*one, 9, "\xbe", "x-a"), "third") << "those two changed nothing";
}

TEST_P(Hpack, HasNoIndexBeyondItsTables) {  // sections 2.3.3, 6.1
  for (const auto& [what, bytes] : std::vector<std::pair<std::string, std::string>>{
           {"index 0", "\x80"},
           {"an index behind the static table, where nothing was remembered", "\xbe"},
           {"a large index", "\xff\xff\xff\x03"},
           {"a literal with such a name", "\x7e\x01x"},
           {"a literal that is not remembered with such a name", std::string("\x0f\x2f\x01x")},
           {"a literal that is never remembered with such a name", std::string("\x1f\x2f\x01x")}})
    expect_end(head(1, bytes), compression, what);
  const auto one = client();
  seen(*one, 1, literal("x-a", "b", '\x40'), "x-a");
  expect_end(*one, head(3, "\xbf"), compression, "an index behind the table");
}

TEST_P(Hpack, ForgetsWhatHasNoRoom) {  // sections 4.3, 4.4
  const auto one = client();
  seen(*one, 1, literal("x-a", "b", '\x40'), "x-a");
  const std::string large(4'200, 'x');
  // 4,200 as an integer with a prefix of 7 bits.
  const std::string more = std::string("\x40\x03x-l\x7f\xe9\x1f") + large;
  EXPECT_EQ(seen(*one, 3, more, "x-l"), large) << "a field that is larger than the table is no error";
  expect_end(*one, head(5, "\xbe"), compression, "but leaves the table empty");
}

TEST_P(Hpack, ChangesTheSizeOfTheTableOnlyInFrontOfABlock) {  // sections 4.2, 6.3
  {
    const auto one = client();
    one->send(head(1, "", std::string("\x20\x3f\xe1\x1f")));  // 0, then 4,096
    EXPECT_EQ(one->answer(1).status, 200);
    seen(*one, 3, literal("x-a", "b", '\x40'), "x-a");
    one->send(head(5, "", std::string("\x20")));
    EXPECT_EQ(one->answer(5).status, 200);
    expect_end(*one, head(7, "\xbe"), compression, "a table of size 0 is empty");
  }
  expect_end(head(1, std::string("\x20")), compression, "behind a field");
  expect_end(head(1, "", std::string("\x3f\xe2\x1f")), compression, "4,097 bytes");
  expect_end(head(1, "", std::string("\x3f\xff\xff\xff\xff\x07")), compression, "2^31 bytes and more");
}

TEST_P(Hpack, HasNoIntegersWithoutEnd) {  // section 5.1
  const std::string many(20, '\xff');
  for (const auto& [what, bytes] : std::vector<std::pair<std::string, std::string>>{
           {"an index beyond 64 bits", "\xff" + many + "\x01"},
           {"an index that adds nothing for long", "\xff" + std::string(20, '\x80') + std::string("\0", 1)},
           {"a length beyond 64 bits", std::string("\0\x01x\x7f", 4) + many},
           {"an index that breaks off", "\xff\x80"}})
    expect_end(head(1, bytes), compression, what);
}

TEST_P(Hpack, HasNoStringsThatBreakOff) {  // section 5.2
  expect_end(head(1, std::string("\0\x09x-a", 5)), compression, "a name");
  expect_end(head(1, std::string("\0\x03x-a\x09zz", 8)), compression, "a value");
  expect_end(head(1, std::string("\0", 1)), compression, "a field without a name's length");
}

TEST_P(Hpack, ReadsHuffmanAndItsPaddingStrictly) {  // section 5.2, appendix B
  const auto field = [](const std::string& coded) {
    return std::string("\0\x03x-a", 5) + static_cast<char>(0x80 | coded.size()) + coded;
  };
  const auto one = client();
  EXPECT_EQ(seen(*one, 1, field("\x1f"), "x-a"), "a") << "five bits, and three of padding";
  EXPECT_EQ(seen(*one, 3, field(std::string("\0\xee\x7f", 3)), "x-a"), "0a:") << "seven bits of padding";
  for (const auto& [what, coded] :
       std::vector<std::pair<std::string, std::string>>{{"padding of zeros", std::string("\x18")},
                                                        {"padding of eight bits", std::string("\x1f\xff")},
                                                        {"EOS", std::string("\xff\xff\xff\xff")},
                                                        {"EOS behind a character", std::string("\x1f\xff\xff\xff\xff")},
                                                        {"a code that breaks off", std::string("\xff\xff")}})
    expect_end(head(1, field(coded)), compression, what);
}

}  // namespace
}  // namespace headgate::test
