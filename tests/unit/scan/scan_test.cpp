// A few words until more are here.

#include "headgate/scan/scan.hpp"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

namespace headgate::scan {
namespace {

using Kind = Found::Kind;

/// A scan for a few pointers, of values unless they begin with "+".
class Scanned {
 public:
  explicit Scanned(const std::vector<std::string>& pointers) {
    for (const auto& text : pointers) {
      const bool sum = text.starts_with('+');
      pointers_.add(*parse_pointer(std::string_view(text).substr(sum ? 1 : 0)), sum ? Take::text : Take::value);
    }
  }
  const Scan& whole(std::string_view body, Form form = Form::json) {
    scan_.begin(pointers_, form);
    scan_.feed(body);
    scan_.end();
    return scan_;
  }

 private:
  Pointers pointers_;
  Scan scan_;
};

TEST(Scan, FindsValuesAtPointers) {
  Scanned scanned({"/model", "/usage/total", "/list/1", "/no", "/flag", "/nothing", "+/messages/*/content", ""});
  const auto& scan = scanned.whole(R"({"model":"gpt\u002d4","usage":{"total":12.5},"list":[1,"two",3],"flag":true,)"
                                   R"("nothing":null,"messages":[{"content":"abc"},{"content":"\u20ac"}]})");
  EXPECT_FALSE(scan.malformed());
  EXPECT_EQ(scan.documents(), 1U);
  EXPECT_EQ(scan.found(0).kind, Kind::text);
  EXPECT_EQ(scan.found(0).text, "gpt-4");
  EXPECT_EQ(scan.found(1).number, 13);
  EXPECT_EQ(scan.found(2).text, "two");
  EXPECT_EQ(scan.found(3).kind, Kind::absent);
  EXPECT_TRUE(scan.found(4).truth);
  EXPECT_EQ(scan.found(5).kind, Kind::null);
  EXPECT_EQ(scan.found(6).number, 6);
  EXPECT_EQ(scan.found(7).kind, Kind::structure);
  EXPECT_EQ(scan.text_bytes(), 5U + 3U + 6U);
}

}  // namespace
}  // namespace headgate::scan
