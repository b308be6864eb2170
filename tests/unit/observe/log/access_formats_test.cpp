// The formats of the access log, and which of its fields a line has.

#include "observe/log/lane.hpp"
#include "observe/log/left_out.hpp"
#include "support/access_lines.hpp"
#include "support/observe_tables.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <array>
#include <fstream>
#include <limits>
#include <set>
#include <string>
#include <variant>
#include <vector>

namespace headgate::observe {
namespace {

using Object = nlohmann::ordered_json;
using namespace std::chrono_literals;

constexpr Instant kWhen{std::chrono::microseconds(1'700'000'000'000'042)};  // 2023-11-14T22:13:20.000042Z

/// Gives a member of which a row of the table is made something to tell, if it has nothing yet.
struct Fill {
  AccessRecord& record;

  void operator()(std::string_view AccessRecord::*member) const {
    if ((record.*member).empty()) record.*member = "something";
  }
  template <class Value>
  void operator()(Value AccessRecord::*member) const {
    if (record.*member == Value{}) record.*member = Value{7};
  }
  void operator()(boost::asio::ip::address AccessRecord::*) const {}
  template <class Other>
  void operator()(Other) const {}  // no member
};

/// With everything that a line can have.
AccessRecord full() {
  AccessRecord out;
  out.request_id = "id-1";
  out.trace_id = "4bf92f3577b34da6a3ce929d0e0e4736";
  out.address = boost::asio::ip::make_address("203.0.113.7");
  out.method = "POST";
  out.host = "a.example:80";
  out.path = "/a b";
  out.query = "q=1&token=***";
  out.status = 429;
  out.grpc_status = "RESOURCE_EXHAUSTED";
  out.ended_by = "limit";
  out.route = "things";
  out.server = "10.0.0.1:80";
  out.retried = "503";
  out.in_bytes = 1;
  out.out_bytes = 241;
  out.compressed = "br";
  out.compressed_from = 2000;
  out.elapsed = 12'034us;
  out.delayed = 3ms;
  out.limit = "per-ip";
  out.tier = "pro";
  out.key = "203.0.113.7";
  out.decision = "rejected";
  out.source = "memory";
  out.cost = 2;
  out.held = 5;
  out.clamped = 40;
  out.remaining = 3;
  out.retry_after = 12s;
  out.user_agent = "curl/8";
  out.referer = "https://b.example/page?secret=1";
  for (const auto& field : kAccessFields) std::visit(Fill{out}, field.value);
  return out;
}

LogOptions plain_options() {
  LogOptions out;
  out.instance = "gateway-1";
  out.key = Hash{1, 2};
  return out;
}

std::string line_of(LogFormat format, const AccessRecord& one, const LogOptions& how = plain_options(),
                    std::uint64_t dropped = 0) {
  const auto out = test::access_line(one, how, format, kWhen, dropped);
  EXPECT_EQ(out.find('\n'), std::string::npos);
  return out;
}

std::string json_line(const AccessRecord& one, const LogOptions& how, std::uint64_t dropped = 0) {
  return line_of(LogFormat::json, one, how, dropped);
}
std::string combined(const AccessRecord& one) { return line_of(LogFormat::combined, one); }
std::string ecs_line(const AccessRecord& one, const LogOptions& how = plain_options(), std::uint64_t dropped = 0) {
  return line_of(LogFormat::ecs, one, how, dropped);
}

std::vector<std::string> keys_of(const std::string& line) {
  std::vector<std::string> out;
  const auto object = Object::parse(line, nullptr, false);
  EXPECT_TRUE(object.is_object()) << line;
  for (const auto& [key, value] : object.items()) out.push_back(key);
  return out;
}

TEST(AccessFields, AreAllInALineThatHasEverythingInTheirOrder) {
  std::vector<std::string> names;
  for (const auto& field : kAccessFields) names.emplace_back(field.name);
  EXPECT_EQ(keys_of(json_line(full(), plain_options(), 9)), names);
}

TEST(AccessFields, StandInALineOfNothingWhereTheyStandAlways) {
  std::vector<std::string> names;
  for (const auto& field : kAccessFields)
    if (field.stands_always()) names.emplace_back(field.name);
  EXPECT_EQ(keys_of(json_line({}, plain_options())), names);
}

TEST(AccessFields, AreTheTableOfTheDocuments) {
  std::ifstream file(HEADGATE_SOURCE_DIR "/docs/logs.md");
  const std::string page{std::istreambuf_iterator<char>(file), {}};
  EXPECT_NE(page.find("<!-- generated: begin -->\n" + test::access_fields_in_words() + "<!-- generated: end -->"),
            std::string::npos)
      << "./dev docs reference writes it";
}

TEST(AccessFields, AreOnlyThoseThatAreChosen) {
  auto how = plain_options();
  how.fields = 0;
  for (const auto name : {"status", "ms", "limit", "dropped"}) how.fields |= AccessFieldSet{1} << *access_field(name);
  EXPECT_EQ(json_line(full(), how), R"({"status":429,"ms":12.034,"limit":"per-ip"})");
  EXPECT_EQ(json_line(full(), how, 3), R"({"status":429,"ms":12.034,"limit":"per-ip","dropped":3})");
  how.fields = AccessFieldSet{1} << *access_field("tls");
  auto one = full();
  one.tls = {};
  EXPECT_EQ(json_line(one, how), "{}") << "none of them applies";
  how.callers = {"owner"};
  const std::array<std::string_view, 1> callers{"acme"};
  one.callers = callers;
  EXPECT_EQ(json_line(one, how), R"({"owner":"acme"})") << "they are always there";
}

TEST(AccessFields, SayWhatWasHeldOnlyIfItIsNotTheCost) {
  auto one = full();
  one.held = one.cost;
  EXPECT_EQ(json_line(one, plain_options()).find("held"), std::string::npos);
}

TEST(Combined, IsWhatNginxWrites) {
  EXPECT_EQ(
      combined(full()),
      R"(203.0.113.7 - - [14/Nov/2023:22:13:20 +0000] "POST /a b?q=1&token=*** HTTP/1.1" 429 241 "https://b.example/page" "curl/8")");
  auto one = full();
  one.query = {};
  EXPECT_NE(combined(one).find("\"POST /a b HTTP/1.1\""), std::string::npos) << "none is logged";
}

TEST(Combined, EscapesAsNginx) {
  auto one = full();
  one.path = "/\"\\\n\x01\xc3\xa9~";
  one.user_agent = "a\"b";
  one.referer = one.query = {};
  EXPECT_EQ(
      combined(one),
      R"(203.0.113.7 - - [14/Nov/2023:22:13:20 +0000] "POST /\x22\x5C\x0A\x01\xC3\xA9~ HTTP/1.1" 429 241 "-" "a\x22b")");
}

TEST(Combined, HasTheStatusesOfNginxWhereNoAnswerWasSent) {
  AccessRecord one;
  one.address = boost::asio::ip::make_address("2001:db8::1");
  one.ended_by = "client_closed";
  EXPECT_EQ(combined(one), R"(2001:db8::1 - - [14/Nov/2023:22:13:20 +0000] "-" 499 0 "-" "-")");
  one.ended_by = "timeout_client";
  EXPECT_NE(combined(one).find(" 408 "), std::string::npos);
  one.ended_by = "drain";
  EXPECT_NE(combined(one).find(" 000 "), std::string::npos);
}

TEST(Ecs, HasTheNamesOfTheTable) {
  const std::set<std::string> fixed{"message",    "ecs.version",   "service.name",
                                    "event.kind", "event.dataset", "event.outcome"};
  std::set<std::string> known(fixed);
  for (const auto& field : kAccessFields) known.emplace(field.ecs);
  const auto keys = keys_of(ecs_line(full(), plain_options(), 1));
  EXPECT_EQ(std::set<std::string>(keys.begin(), keys.end()), known);
  const auto line = Object::parse(ecs_line(full()));
  EXPECT_EQ(line.at("@timestamp"), "2023-11-14T22:13:20.000042Z");
  EXPECT_EQ(line.at("message"), "POST /a b 429");
  EXPECT_EQ(line.at("event.duration"), 12'034'000) << "nanoseconds";
  EXPECT_EQ(line.at("url.domain"), "a.example");
  EXPECT_EQ(line.at("http.version"), "1.1");
  EXPECT_EQ(line.at("event.outcome"), "failure");
}

TEST(Ecs, LeavesOutWhatItsTypesHaveNoWordFor) {
  AccessRecord nothing;
  const auto line = Object::parse(ecs_line(nothing));
  for (const auto* name : {"http.response.status_code", "http.request.method", "url.path", "url.domain", "trace.id"})
    EXPECT_FALSE(line.contains(name)) << name;
  EXPECT_EQ(line.at("event.outcome"), "unknown");
  auto one = full();
  one.host = "[2001:db8::1]";
  EXPECT_EQ(Object::parse(ecs_line(one)).at("url.domain"), "[2001:db8::1]");
}

TEST(Ecs, HasCallersAsLabels) {
  auto how = plain_options();
  how.callers = {"jwt.sub"};
  const std::array<std::string_view, 1> callers{"al\"ice"};
  auto one = full();
  one.callers = callers;
  EXPECT_EQ(Object::parse(ecs_line(one, how)).at("labels.jwt_sub"), "al\"ice");
}

TEST(NamedFields, AreInEachFormatThatHasAPlaceForThem) {
  const std::array<std::pair<std::string_view, std::string_view>, 2> fields{
      std::pair("header.x-tenant", "a \"b\""), std::pair("response_header.x-cache", "hit")};
  auto one = full();
  one.fields = fields;
  auto how = plain_options();
  how.fields = AccessFieldSet{1} << *access_field("query");
  EXPECT_EQ(json_line(one, how),
            R"({"query":"q=1&token=***","header.x-tenant":"a \"b\"","response_header.x-cache":"hit"})");
  const auto ecs = Object::parse(ecs_line(one));
  EXPECT_EQ(ecs.at("headgate.header.x-tenant"), "a \"b\"");
  EXPECT_EQ(ecs.at("url.query"), "q=1&token=***");
  const auto text = line_of(LogFormat::text, one);
  EXPECT_NE(text.find(" POST a.example:80/a b?q=1&token=*** "), std::string::npos) << text;
  EXPECT_NE(text.find(R"( header.x-tenant="a \"b\"" response_header.x-cache=hit)"), std::string::npos) << text;
}

TEST(NamedFields, AreCutEachAndTogether) {
  const std::string most(60UL * 1024, 'x');
  std::vector<std::pair<std::string_view, std::string_view>> fields(16, {"header.x", most});
  auto one = full();
  one.fields = fields;
  auto how = plain_options();
  how.fields = 0;
  const auto line = json_line(one, how);
  EXPECT_EQ(line.find("\"header.x\":\"" + std::string(256, 'x') + "...\""), 1U);
  EXPECT_EQ(std::count(line.begin(), line.end(), 'x'), 2048 + 16) << "and one in each name";
}

TEST(EveryFormat, IsNoLongerThanALaneTakesWhateverACallerSends) {
  const std::string most(60UL * 1024, '\xff');
  auto one = full();
  one.method = one.host = one.path = one.query = one.user_agent = one.referer = most;
  const std::vector<std::pair<std::string_view, std::string_view>> fields(16,
                                                                          {"response_header.x-of-some-length", most});
  one.fields = fields;
  EXPECT_LT(json_line(one, plain_options()).size(), Lane::kLongest);
  EXPECT_LT(combined(one).size(), Lane::kLongest);
  EXPECT_LT(ecs_line(one).size(), Lane::kLongest);
  EXPECT_TRUE(Object::parse(ecs_line(one), nullptr, false).is_object());
}

/// Makes each text of a record that a row of the table tells as long as it may be, and a number of as many digits.
struct Lengthen {
  AccessRecord& record;
  const AccessField& row;
  std::string_view text;

  void operator()(std::string_view AccessRecord::*member) const {
    if (!row.ours) record.*member = text.substr(0, row.most + 1);
  }
  template <class Value>
  void operator()(Value AccessRecord::*member) const {
    record.*member = std::numeric_limits<Value>::max();
  }
  void operator()(Duration AccessRecord::*member) const { record.*member = Duration::max() / 1000; }
  void operator()(boost::asio::ip::address AccessRecord::*member) const {
    record.*member = boost::asio::ip::make_address("fe80:1111:2222:3333:4444:5555:6666:7777%lo");
  }
  template <class Other>
  void operator()(Other) const {}  // no member
};

TEST(EveryFormat, WritesEachTextAtItsLongestIntoTheRoomThatTheTableSays) {
  const std::string escaped(5000, '\x01');  // six bytes each
  const std::string needs_no_escape(5000, 'x');
  for (const std::string_view text : {std::string_view(escaped), std::string_view(needs_no_escape)}) {
    auto one = full();
    for (const auto& field : kAccessFields) std::visit(Lengthen{one, field, text}, field.value);
    one.referer = text;
    one.cost = 2;
    const std::vector<std::string_view> callers(LogOptions::kMaxCallers, text);
    one.callers = callers;
    const std::vector<std::pair<std::string_view, std::string_view>> fields(16, {"response_header.x\"y", text});
    one.fields = fields;
    auto how = plain_options();
    how.instance = text;
    how.callers.assign(callers.size(), "jwt." + std::string(text.substr(0, 200)));
    constexpr auto kMax = std::numeric_limits<std::uint64_t>::max();
    for (const auto format : {LogFormat::json, LogFormat::text, LogFormat::combined, LogFormat::ecs}) {
      const auto line = test::access_line(one, how, format, kWhen, kMax, Coloured::yes);
      EXPECT_GT(line.size(), 5000U);
      EXPECT_LE(line.size(), most_of(how) + most_of(one.fields));
      const bool object = format == LogFormat::json || format == LogFormat::ecs;
      EXPECT_EQ(Object::parse(line, nullptr, false).is_object(), object) << line;
    }
  }
}

TEST(TextLine, HasAColourByStatusOnATerminal) {
  auto one = full();
  const auto coloured = [&](unsigned status) {
    one.status = status;
    const auto out = test::access_line(one, plain_options(), LogFormat::text, kWhen, 0, Coloured::yes);
    return out.substr(40, out.find(" POST") - 40);
  };
  EXPECT_EQ(coloured(200), "\x1b[32m200\x1b[0m");
  EXPECT_EQ(coloured(302), "\x1b[36m302\x1b[0m");
  EXPECT_EQ(coloured(429), "\x1b[33m429\x1b[0m");
  EXPECT_EQ(coloured(503), "\x1b[31m503\x1b[0m");
  EXPECT_EQ(coloured(0), "\x1b[35m0\x1b[0m");
}

TEST(LeftOut, LogsARefusalOfAKeyOnceInItsTimeAndSaysHowManyItLeftOut) {
  auto out = std::make_unique<LeftOut>();
  constexpr std::uint64_t kKey = 0x123456789abcdef0;
  EXPECT_EQ(out->refusal(kKey, kWhen, 1s), 0U);
  for (int i = 1; i < 1000; ++i) EXPECT_FALSE(out->refusal(kKey, kWhen + i * 1ms, 1s));
  EXPECT_EQ(out->refusal(kKey + (1UL << 60), kWhen + 5ms, 1s), 0U) << "another key of the same place";
  EXPECT_EQ(out->refusals(), 999U);
  EXPECT_EQ(out->refusal(kKey, kWhen + 10ms, 1s), 0U) << "its place was taken: one line more, not one less";
  EXPECT_FALSE(out->refusal(kKey, kWhen + 11ms, 1s));
  EXPECT_EQ(out->refusal(kKey, kWhen + 1010ms, 1s), 1U);
}

}  // namespace
}  // namespace headgate::observe
