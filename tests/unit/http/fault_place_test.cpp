#include "headgate/http/h1/refused.hpp"

#include <gtest/gtest.h>

#include <ostream>
#include <string>

namespace headgate::http::h1 {
namespace {

/// A head in two parts: the second one begins with the byte that is wrong.
struct Faulty {
  std::string name;
  std::string before;
  std::string rest;
};

void PrintTo(const Faulty& faulty, std::ostream* out) { *out << faulty.name; }

const std::string kLine = "GET /a HTTP/1.1\r\nHost: a.example\r\n";
const std::string kEnd = "\r\n\r\n";

class FaultPlace : public testing::TestWithParam<Faulty> {};

TEST_P(FaultPlace, IsThatOfTheFirstWrongByte) {
  const auto bytes = GetParam().before + GetParam().rest;
  const Limits limits{4, 64, Paths::normalised};
  RequestHead head;
  const auto parsed = parse_request(bytes, limits, head);
  ASSERT_TRUE(parsed.has_error()) << bytes;
  EXPECT_EQ(fault_place(bytes, limits, parsed.error()), GetParam().before.size()) << parsed.error().why;
}

INSTANTIATE_TEST_SUITE_P(
    All, FaultPlace,
    testing::Values(Faulty{"ABareLF", "GET /a HTTP/1.1\r\nHost: a.example", "\nX: y" + kEnd},
                    Faulty{"ABareCR", "GET /a HTTP/1.1\r\nHost: a", "\rb" + kEnd},
                    Faulty{"AControlCharacter", "GET /a HTTP/1.1\r\nHost: a\r\nX: ", "\x01" + kEnd},
                    Faulty{"AFoldedLine", kLine + "X: a\r\n", " b" + kEnd},
                    Faulty{"AMethodThatIsNone", "GE", "\"T /a HTTP/1.1" + kEnd},
                    Faulty{"ALowerCaseMethod", "", "get /a HTTP/1.1\r\nHost: a" + kEnd},
                    Faulty{"NoTarget", "GET ", " HTTP/1.1\r\nHost: a" + kEnd},
                    Faulty{"AVersionThatIsNone", "GET /a HTTP/1.", "x\r\nHost: a" + kEnd},
                    Faulty{"AnotherVersion", "GET /a HTTP/", "3.0\r\nHost: a" + kEnd},
                    Faulty{"ASpaceInATarget", "GET /a ", "b HTTP/1.1\r\nHost: a" + kEnd},
                    Faulty{"ANameThatIsNone", kLine + "Bad", " Name: x" + kEnd},
                    Faulty{"ALineWithoutAColon", kLine + "Lonely", "\r\n\r\n"},
                    Faulty{"AnEscapeThatIsBroken", "GET /a", "%zz HTTP/1.1\r\nHost: a" + kEnd},
                    Faulty{"ACharacterOfNoPath", "GET /a", "<b HTTP/1.1\r\nHost: a" + kEnd},
                    Faulty{"ACharacterOfNoQuery", "GET /a?b=", "<c HTTP/1.1\r\nHost: a" + kEnd},
                    Faulty{"ATargetThatIsNoPath", "GET ", "a HTTP/1.1\r\nHost: a" + kEnd},
                    Faulty{"TwoHosts", kLine + "Host: ", "b" + kEnd},
                    Faulty{"AHostThatIsNone", "GET /a HTTP/1.1\r\nHost: ", "a b" + kEnd},
                    Faulty{"TwoLengths", kLine + "Content-Length: 1\r\nContent-Length:  ", "2" + kEnd},
                    Faulty{"ALengthThatIsNone", kLine + "Content-Length: ", "+1" + kEnd},
                    Faulty{"AnotherTransferCoding", kLine + "Transfer-Encoding: ", "gzip" + kEnd},
                    Faulty{"AnotherExpectation", kLine + "Expect: ", "more" + kEnd},
                    Faulty{"ALongTarget", "GET /" + std::string(63, 'a'),
                           std::string(9, 'a') + " HTTP/1.1\r\nHost: a" + kEnd},
                    Faulty{"TooManyFields", kLine + "A: 1\r\nB: 2\r\nC: 3\r\n", "D: 4" + kEnd}),
    [](const auto& each) { return each.param.name; });

TEST(FaultPlaces, AreEmptyIfSomethingIsMissing) {
  const std::string bytes = "GET /a HTTP/1.1\r\n\r\n";
  RequestHead head;
  const auto parsed = parse_request(bytes, {}, head);
  ASSERT_TRUE(parsed.has_error());
  EXPECT_EQ(fault_place(bytes, {}, parsed.error()), std::nullopt) << parsed.error().why;
}

TEST(FaultPlaces, AreTheEndOfWhatCameTooSlowly) {
  EXPECT_EQ(fault_place("GET /a HT", {}, {408, "late"}), 9U);
  EXPECT_EQ(fault_place("", {}, {408, "late"}), 0U);
}

TEST(FaultPlaces, AreWithinAnyBytes) {
  std::string bytes = "GET /a?b=%zz HTTP/1.1\r\nHost: a\r\nX\r\n y\n\x01\x80\r\n\r\nbody";
  for (const unsigned status : {400U, 408U, 413U, 414U, 417U, 431U, 501U, 505U}) {
    for (const char* why : {"", "Host is missing", "the path is", "the query is", "the target is", "the version",
                            "The request's head is too large.", "Connection names", "methods are"}) {
      for (std::size_t size = 0; size <= bytes.size(); ++size) {
        const auto at = fault_place(std::string_view(bytes).substr(0, size), {}, {status, why});
        EXPECT_LE(at.value_or(0), size) << status << why << size;
      }
    }
  }
}

}  // namespace
}  // namespace headgate::http::h1
