// The reader that tokens, key files and access logs share. Their own tests compare what they read with a full parser.

#include "headgate/core/json_reader.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace headgate {
namespace {

/// The fault of a reader that passes over one value and expects the end after it.
JsonFault fault_of(std::string_view json, unsigned deepest = 4) {
  JsonReader reader(json, deepest);
  const bool passed = reader.pass();
  EXPECT_EQ(passed, reader.fault() == JsonFault::none) << json;
  return reader.fault() == JsonFault::none && !reader.at_end() ? JsonFault::separator : reader.fault();
}

TEST(JsonReader, PassesOverWhatIsJson) {
  for (const std::string_view json :
       {"{}", "[]", " [ ] ", R"({"a":{"b":[1,-0.5e+3,true,false,null,"x\n\u00e4"]}})", "\t\r\n 1 ",
        "\"\xf0\x9f\x98\x80\"", "\"a text of more than eight bytes \\u0000 and more\"", "18446744073709551616",
        "1e308"})
    EXPECT_EQ(fault_of(json), JsonFault::none) << json;
}

TEST(JsonReader, SaysWhyItStopped) {
  const std::pair<std::string_view, JsonFault> cases[] = {
      {"", JsonFault::value},
      {"nul", JsonFault::value},
      {"tru", JsonFault::value},
      {"01", JsonFault::value},
      {"1.", JsonFault::value},
      {"1e999", JsonFault::value},
      {"{1:2}", JsonFault::value},
      {R"({"a" 1})", JsonFault::colon},
      {"[1 2]", JsonFault::separator},
      {"[1", JsonFault::separator},
      {"[1}", JsonFault::separator},
      {"1 2", JsonFault::separator},
      {"[1 , ]", JsonFault::comma},
      {R"({"a":1,})", JsonFault::comma},
      {"\"a", JsonFault::unended},
      {"\"a\\", JsonFault::unended},
      {"\"12345678\n\"", JsonFault::control},
      {"\"\\q\"", JsonFault::unreadable},
      {"\"\\ud800\"", JsonFault::unreadable},
      {"\"12345678\xc0\xaf\"", JsonFault::unreadable},
  };
  for (const auto& [json, fault] : cases) EXPECT_EQ(fault_of(json), fault) << json;
}

TEST(JsonReader, RefusesWhatIsDeeperThanItMayBe) {
  EXPECT_EQ(fault_of("[[[[]]]]"), JsonFault::none);
  EXPECT_EQ(fault_of("[[[[[]]]]]"), JsonFault::depth);
  EXPECT_EQ(fault_of(R"({"a":{"a":{"a":{"a":{}}}}})"), JsonFault::depth);
  EXPECT_EQ(fault_of(std::string(100'000, '[')), JsonFault::depth);
  EXPECT_EQ(fault_of("[[[[]]],[[[]]]]"), JsonFault::none) << "what is left is not counted";
}

TEST(JsonReader, TakesATextAsItIsWritten) {
  JsonReader reader(R"(["a\"\\", "\q)"
                    "\xff"
                    R"(", "open\"])");
  std::vector<std::string> all;
  std::string_view text;
  EXPECT_FALSE(reader.list([&] {
    if (!reader.raw_text(text)) return false;
    all.emplace_back(text);
    return true;
  }));
  EXPECT_EQ(reader.fault(), JsonFault::unended);
  EXPECT_EQ(all, (std::vector<std::string>{R"(a\"\\)", "\\q\xff"}));
}

TEST(JsonReader, IsStoppedByItsCallerWithoutAFault) {
  JsonReader reader(R"({"a":1,"b":2})");
  std::string name;
  EXPECT_FALSE(reader.object([&] { return reader.text(name); }, [&] { return name != "b" && reader.pass(); }));
  EXPECT_EQ(reader.fault(), JsonFault::none);
  EXPECT_EQ(name, "b");
}

}  // namespace
}  // namespace headgate
