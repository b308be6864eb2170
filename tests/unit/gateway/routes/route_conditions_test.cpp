// Routes that are told apart by fields and parameters; above all that no spelling of a request leads it to another one.

#include "headgate/gateway/compiled_config.hpp"
#include "headgate/gateway/router.hpp"
#include "headgate/identity/network.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <random>
#include <string>
#include <vector>

namespace headgate::gateway {
namespace {

struct Demand {
  std::string pattern;
  std::vector<std::string> methods;
  RouteConditions conditions;
};

/// Named by their place in the list.
class Demanding {
 public:
  explicit Demanding(std::vector<Demand> rows) : rows_(std::move(rows)), routes_(rows_.size()) {
    for (std::size_t i = 0; i < rows_.size(); ++i) add(i);
  }
  Demanding(std::vector<Demand> rows, const std::vector<std::size_t>& order)
      : rows_(std::move(rows)), routes_(rows_.size()) {
    for (const auto i : order) add(i);
  }
  std::string find(const http::Fields& fields, std::string_view query = {}, std::string_view method = "GET",
                   std::string_view path = "/a") const {
    const auto found =
        router_.find({.authority = "h", .path = path, .method = method, .fields = &fields, .query = query});
    if (found.unclear) return "unclear";
    if (!found.route) return found.allowed.empty() ? "none" : "not allowed: " + found.allowed;
    return found.route->name;
  }

 private:
  void add(std::size_t i) {
    routes_[i].name = std::to_string(i);
    router_.add("", rows_[i].pattern, rows_[i].methods, &routes_[i], Case::matters, &rows_[i].conditions);
  }

  std::vector<Demand> rows_;
  std::deque<Route> routes_;
  Router router_;
};

http::Field field(std::string_view name, std::string_view value) { return {http::Known::unknown, name, value}; }

RouteConditions by_field(std::string name, std::vector<std::string> values) {
  return {.headers = {{std::move(name), std::move(values)}}, .query = {}};
}
RouteConditions by_parameter(std::string name, std::vector<std::string> values) {
  return {.headers = {}, .query = {{std::move(name), std::move(values)}}};
}

TEST(RouteConditions, TakeARequestWithTheValueOneOfTheValuesOrAnyValue) {
  const Demanding exact({{"/a", {}, by_field("x-version", {"2"})}});
  EXPECT_EQ(exact.find({field("X-Version", "2")}), "0");
  EXPECT_EQ(exact.find({field("x-VERSION", "2")}), "0");
  EXPECT_EQ(exact.find({field("X-Version", "20")}), "none");
  EXPECT_EQ(exact.find({field("X-Version", "")}), "none");
  EXPECT_EQ(exact.find({}), "none");
  const Demanding one_of({{"/a", {}, by_field("x-plan", {"pro", "team"})}});
  EXPECT_EQ(one_of.find({field("X-Plan", "team")}), "0");
  EXPECT_EQ(one_of.find({field("X-Plan", "Team")}), "none") << "values are compared with case";
  EXPECT_EQ(one_of.find({field("X-Plan", "pro, team")}), "none");
  const Demanding any({{"/a", {}, by_field("x-debug", {})}});
  EXPECT_EQ(any.find({field("X-Debug", "")}), "0") << "it is there";
  EXPECT_EQ(any.find({field("X-Debugger", "1")}), "none");
}

TEST(RouteConditions, ReadParametersPercentDecoded) {
  const Demanding routes({{"/a", {}, by_parameter("kind", {"a b"})}, {"/a", {}, {}}});
  for (const std::string_view same :
       {"?kind=a%20b", "?kind=a+b", "?k%69nd=a+b", "?x=1&kind=a%20%62", "?kind=a+b&&y", "?&kind=a+b"})
    EXPECT_EQ(routes.find({}, same), "0") << same;
  for (const std::string_view other : {"", "?", "?kind=", "?kind", "?kind=a", "?kinds=a+b", "?Kind=a+b", "?x=kind=a+b"})
    EXPECT_EQ(routes.find({}, other), "1") << other;
  const Demanding there({{"/a", {}, by_parameter("debug", {})}});
  for (const std::string_view same : {"?debug", "?debug=", "?debug=0", "?x&debug"})
    EXPECT_EQ(there.find({}, same), "0") << same;
}

// A server behind the less specific route could read the value that the more specific one is for.
TEST(RouteConditions, RefuseWhatTwoReadersCanReadDifferently) {
  const Demanding fields({{"/a", {}, by_field("x-version", {"2"})}, {"/*", {}, {}}});
  EXPECT_EQ(fields.find({field("X-Version", "2"), field("X-Version", "2")}), "unclear");
  EXPECT_EQ(fields.find({field("X-Version", "1"), field("x-version", "2")}), "unclear");
  EXPECT_EQ(fields.find({field("X_Version", "2")}), "unclear") << "a server in CGI style reads it as X-Version";
  EXPECT_EQ(fields.find({field("X-Version", "1"), field("X_VERSION", "2")}), "unclear");
  EXPECT_EQ(fields.find({field("X-Version", "1")}), "1");
  EXPECT_EQ(fields.find({field("X_Version", "2")}, "", "GET", "/b"), "1") << "no route of this path asks";
  const Demanding query({{"/a", {}, by_parameter("v", {"2"})}, {"/*", {}, {}}});
  for (const std::string_view dodge :
       {"?v=1&v=2", "?v=2&v=2", "?v=1&%76=2", "?x=1;v=2", "?v=2;x", "?v=1;v=2", "?v=%", "?v=2%2", "?+v=2", "?v%20=2"})
    EXPECT_EQ(query.find({}, dodge), "unclear") << dodge;
}

// PHP reads "api.version" as api_version; PHP, Rails and Express read "api_version[]" as a value of api_version.
TEST(RouteConditions, RefuseNamesOfParametersThatSomeServersTakeForTheOneAskedFor) {
  const Demanding query({{"/a", {}, by_parameter("api_version", {"2"})}, {"/*", {}, {}}});
  for (const std::string_view dodge :
       {"?api.version=2", "?api+version=2", "?api%20version=2", "?api[version=2", "?api%5Bversion=2",
        "?api_version%00=2", "?api_version%00x=2", "?api_version[]=2", "?api_version[0]=2", "?api_version%5B%5D=2",
        "?api_version=1&api_version[]=2", "?api.version=1&api_version=2", "?api.version[]=2"})
    EXPECT_EQ(query.find({}, dodge), "unclear") << dodge;
  for (const std::string_view other : {"?api-version=2", "?api_versions=2", "?api_version_=2", "?x[api_version]=2"})
    EXPECT_EQ(query.find({}, other), "1") << other;
  const Demanding nested({{"/a", {}, by_parameter("filter[status]", {"open"})}, {"/*", {}, {}}});
  EXPECT_EQ(nested.find({}, "?filter[status]=open"), "0");
  EXPECT_EQ(nested.find({}, "?filter[owner]=open"), "1");
}

TEST(RouteConditions, OfOnePathTheRouteWithMoreConditionsComesFirst) {
  RouteConditions both = by_field("x-a", {"1"});
  both.query = {{"b", {}}};
  const Demanding routes({{"/a", {}, {}},
                          {"/a", {}, by_field("x-a", {})},
                          {"/a", {}, by_field("x-a", {"1"})},
                          {"/a", {}, both},
                          {"/{x}", {}, both},
                          {"/a", {"GET"}, {}}});
  EXPECT_EQ(routes.find({field("X-A", "1")}, "?b"), "3");
  EXPECT_EQ(routes.find({field("X-A", "1")}), "2") << "a value is more specific than being there";
  EXPECT_EQ(routes.find({field("X-A", "2")}), "1");
  EXPECT_EQ(routes.find({}), "5") << "conditions come before methods";
  EXPECT_EQ(routes.find({}, "", "PUT"), "0");
  EXPECT_EQ(routes.find({field("X-A", "1")}, "?b", "GET", "/c"), "4");
}

TEST(RouteConditions, AllowNamesOnlyMethodsOfRoutesWhoseConditionsHold) {
  const Demanding routes(
      {{"/a", {"PUT"}, by_field("x-a", {})}, {"/a", {"DELETE"}, {}}, {"/b", {"PUT"}, by_field("x-a", {})}});
  EXPECT_EQ(routes.find({}), "not allowed: DELETE");
  EXPECT_EQ(routes.find({field("X-A", "1")}), "not allowed: PUT, DELETE");
  EXPECT_EQ(routes.find({}, "", "GET", "/b"), "none") << "404, not 405: without the field there is nothing here";
  EXPECT_EQ(routes.find({}, "", "PUT", "/b"), "none");
}

/// One of the spellings of a parameter's text.
std::string spelled_anew(const std::string& text, std::mt19937& random) {
  constexpr std::string_view kDigits = "0123456789abcdef0123456789ABCDEF";
  std::string out;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    const unsigned upper = (random() & 1U) * 16;
    if (random() % 3 != 0) {
      out += c;
      continue;
    }
    out += '%';
    out += kDigits[upper + (byte >> 4U)];
    out += kDigits[upper + (byte & 15U)];
  }
  return out;
}

std::string case_anew(std::string text, std::mt19937& random) {
  for (char& c : text)
    if (c >= 'a' && c <= 'z' && random() % 2 == 0) c = static_cast<char>(c - 32);
  return text;
}

RouteConditions from(const std::vector<std::string>& blocks) {
  RouteConditions out{.headers = {}, .query = {}, .client_ip = {}};
  for (const auto& each : blocks) out.client_ip.push_back(*identity::parse_network(each));
  return out;
}

TEST(RouteConditions, OfAnAddressHoldInTheirBlocks) {
  const auto conditions = from({"10.0.0.0/8", "2001:db8::/32"});
  const auto at = [&](const char* address) {
    const auto client = boost::asio::ip::make_address(address);
    return meets(conditions, {}, "", "/", &client);
  };
  EXPECT_EQ(at("10.255.0.1"), Meets::yes);
  EXPECT_EQ(at("2001:db8::1"), Meets::yes);
  EXPECT_EQ(at("11.0.0.1"), Meets::no);
  EXPECT_EQ(at("::ffff:10.1.1.1"), Meets::yes);
  EXPECT_EQ(meets(conditions, {}, "", "/"), Meets::no) << "nobody knows where it comes from";
}

TEST(RouteConditions, OfAnAddressAreMoreSpecificTheSmallerTheirLargestBlockIs) {
  EXPECT_LT(rank_of(from({"10.0.0.0/8"})), rank_of(from({"10.1.0.0/16"})));
  EXPECT_EQ(rank_of(from({"10.0.0.0/8", "192.0.2.1"})), rank_of(from({"11.0.0.0/8"})));
  EXPECT_LT(rank_of(from({"::/0"})), rank_of(from({"0.0.0.0/0"})));
  EXPECT_LT(rank_of(from({"0.0.0.0/0"})), rank_of(from({"2001:db8::1"})));
  EXPECT_LT(rank_of(RouteConditions{}), rank_of(from({"::/0"})));
}

// A model that sees the request as names and values decides; the router, who sees a spelling of it, must agree or
// refuse.
TEST(RouteConditions, NoSpellingAndNoOrderChangesTheRoute) {
  std::mt19937 random(2026);
  const std::vector<Demand> rows = {{"/a", {}, {}},
                                    {"/a", {}, by_field("x-one", {"1"})},
                                    {"/a", {}, by_field("x-one", {"2", "3"})},
                                    {"/a", {}, {.headers = {{"x-one", {"1"}}}, .query = {{"q", {}}}}},
                                    {"/a", {}, {.headers = {{"x-one", {"1"}}}, .query = {{"q", {"5"}}}}},
                                    {"/{x}", {}, by_parameter("q", {"5"})}};
  const auto model = [](const std::string& one, const std::string& q) -> std::string {
    if (one == "1" && q == "5") return "4";
    if (one == "1" && !q.empty()) return "3";
    if (one == "1") return "1";
    if (one == "2" || one == "3") return "2";
    return "0";
  };
  for (int round = 0; round < 4'000; ++round) {
    std::vector<std::size_t> order(rows.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::shuffle(order.begin(), order.end(), random);
    const Demanding routes(rows, order);
    const std::string one = random() % 3 == 0 ? "" : std::to_string(random() % 5);
    const std::string q = random() % 2 == 0 ? "" : std::to_string(4 + random() % 3);
    const auto name = case_anew("x-one", random);
    http::Fields fields{field("Accept", "*/*")};
    if (!one.empty()) fields.push_back(field(name, one));
    std::string query = random() % 2 == 0 ? "?z=1" : "?";
    if (!q.empty()) query += '&' + spelled_anew("q", random) + '=' + spelled_anew(q, random);
    ASSERT_EQ(routes.find(fields, query), model(one, q)) << one << ' ' << query;
    // A second one, in whatever spelling, is never taken for none.
    if (!one.empty()) {
      auto doubled = fields;
      const auto second = std::to_string(random() % 4);
      doubled.push_back(field(random() % 2 == 0 ? "X_One" : std::string_view(name), second));
      std::shuffle(doubled.begin(), doubled.end(), random);
      ASSERT_EQ(routes.find(doubled, query), "unclear");
    }
    if (!q.empty() && (one == "1")) {
      const auto twice = query + (random() % 2 == 0 ? '&' : ';') + spelled_anew("q", random) + "=7";
      ASSERT_EQ(routes.find(fields, twice), "unclear") << twice;
    }
  }
}

}  // namespace
}  // namespace headgate::gateway
