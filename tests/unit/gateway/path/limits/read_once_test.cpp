// What a key is made of may stand once in a request, in whatever place of the configuration its `per` is written: of
// two, the server could read the other one. tests/unit/config/per_places_test.cpp knows all places that there are.

#include "unit/gateway/path/path.hpp"

#include "headgate/core/hash.hpp"

#include <tuple>

namespace headgate::gateway::test {
namespace {

/// What one key source is read from, written as often as a test wants.
struct Source {
  std::string_view per;
  std::string_view once;                      ///< fields of a request that has it
  std::string_view twice;                     ///< and of one that has two
  std::string_view twice_as_read_by_servers;  ///< two spellings of one name; empty: a parameter or a cookie has one
  std::string_view query;                     ///< "a": the parameter that has it; then `once` and `twice` are empty
};
constexpr Source kSources[] = {
    {"header:x-tenant", "X-Tenant: a\r\n", "X-Tenant: a\r\nX-Tenant: b\r\n", "X-Tenant: a\r\nX.Tenant: b\r\n", {}},
    {"cookie:sid", "Cookie: sid=a\r\n", "Cookie: sid=a; sid=b\r\n", {}, {}},
    {"api_key", {}, {}, {}, "key"},
    {"jwt.sub", {}, {}, {}, "token"},
};

class PathReadOnce;

struct KeyPlace {
  const char* name;  ///< as the reference of the configuration calls it
  void (*write)(PathReadOnce& test, const limit::Per& per);
};

class PathReadOnce : public Path, public testing::WithParamInterface<std::tuple<KeyPlace, Source>> {
 public:
  using Path::app;
  using Path::next_app;
  using Path::upstream;

  PathReadOnce() {
    identity.api_key.written = true;
    identity.api_key.headers.clear();
    identity.api_key.query = "key";
    believe_tokens();
    identity.jwt->query = "token";
  }

  limit::Limit& some_limit(std::string_view per = "client_ip") {
    auto& limit = limit_by(per, "many", "1000/hour");
    limit.if_absent.last = limit::IfAbsent::Last::skip;
    return limit;
  }
  void lets_queue(const std::string& name, ScriptedUpstream& servers, const limit::Per& per) {
    shed::ConcurrencyOptions concurrency{.adaptive = shed::ConcurrencyRange{.least = 4, .most = 4}};
    concurrency.queue = shed::QueueOptions{};
    upstream(name).concurrency = concurrency;
    upstream(name).queue_per = {per};
    servers.counted.emplace(concurrency);
  }
  Split& split() {
    next_app = std::make_shared<ScriptedUpstream>(clock, trace, "next");
    split_ = std::make_shared<Split>();
    split_->shares = {{.upstream = "app", .weight = 1, .when = {}, .seed = stable_hash("app")},
                      {.upstream = "next", .weight = 1, .when = {}, .seed = stable_hash("next")}};
    route.split = split_;
    return *split_;
  }
  void wait_in_room(const limit::Per& per) {
    auto& room = options.rooms.emplace_back();
    room.rule = {
        .name = "sale", .count = 1000, .period = seconds(1), .burst = 1000, .grace = seconds(60), .stay = seconds(600)};
    room.secrets = {"0123456789abcdef0123456789abcdef"};
    room.per = {per};
    route.waiting_room = "sale";
  }
  void use_usage() {
    options.usage = "/usage";
    path_ = "/usage";
  }

 protected:
  /// The status of a request with these fields and this query.
  unsigned status_of(std::string_view fields, const std::string& query = {}) {
    const auto line = "GET " + path_ + query;
    if (gateway)
      ask_again(line, fields);
    else
      check(line, fields);
    EXPECT_TRUE(done);
    return client.status;
  }
  std::string sent() const {
    const auto& servers = x.upstream == "next" ? *next_app : *app;
    return servers.report.head;
  }

  std::string path_ = "/a";
  std::shared_ptr<Split> split_;
};

constexpr KeyPlace kPlaces[] = {
    {"limits.<name>.per", [](PathReadOnce& t, const limit::Per& per) { t.some_limit().per = {per}; }},
    {"limits.<name>.if_absent",
     [](PathReadOnce& t, const limit::Per& per) { t.some_limit("header:x-other").if_absent.instead = {{per}}; }},
    {"limits.<name>.tier_from", [](PathReadOnce& t, const limit::Per& per) { t.some_limit().tier_from = per; }},
    {"limits.<name>.rate.from",
     [](PathReadOnce& t, const limit::Per& per) {
       t.some_limit().size_from = {.from = per, .most = 100, .burst = {}};
     }},
    {"waiting_rooms.<name>.per", [](PathReadOnce& t, const limit::Per& per) { t.wait_in_room(per); }},
    {"upstreams.<name>.balance.per", [](PathReadOnce& t, const limit::Per& per) { t.upstream().balance_per = {per}; }},
    {"upstreams.<name>.concurrency.queue.per",
     [](PathReadOnce& t, const limit::Per& per) { t.lets_queue("app", *t.app, per); }},
    {"routes[].split_by", [](PathReadOnce& t, const limit::Per& per) { t.split().by = {per}; }},
    {"balance.per of a later share",
     [](PathReadOnce& t, const limit::Per& per) {
       t.split();
       t.upstream("next").balance_per = {per};
     }},
    {"queue.per of a later share",
     [](PathReadOnce& t, const limit::Per& per) {
       t.split();
       t.lets_queue("next", *t.next_app, per);
     }},
    {"tier_from of a limit that usage tells",
     [](PathReadOnce& t, const limit::Per& per) {
       t.some_limit().tier_from = per;
       t.use_usage();
     }},
    {"if_absent of a limit that usage tells",
     [](PathReadOnce& t, const limit::Per& per) {
       t.some_limit().if_absent.instead = {{headgate::test::make_per("client_ip"), per}};
       t.use_usage();
     }},
};

TEST_P(PathReadOnce, OrTheRequestIsRefused) {
  const auto& [place, source] = GetParam();
  const std::string_view name = place.name;
  const auto per = headgate::test::make_per(source.per);
  // `headgate check` refuses both.
  const bool tells = name.find("tier_from") != name.npos || name.find("rate.from") != name.npos;
  if (tells && per.source->tier.value == nullptr) return;
  if (name.starts_with("waiting_rooms") && per.source->needs == Needs::token) return;
  place.write(*this, per);
  const std::string parameter(source.query);
  const auto once = parameter.empty() ? std::string() : '?' + parameter + "=a";
  const auto twice = parameter.empty() ? std::string() : once + '&' + parameter + "=b";
  const auto alone = status_of(source.once, once);
  EXPECT_LT(alone, 400U);
  const auto doubled = status_of(source.twice, twice);
  EXPECT_TRUE(doubled == 400 || doubled == 401) << doubled;
  if (source.twice_as_read_by_servers.empty()) return;
  EXPECT_EQ(status_of(source.twice_as_read_by_servers), 400U);
  // Nobody has counted by this one, but a server may take it for the one that is counted by.
  EXPECT_LT(status_of("X.Tenant: b\r\n"), 400U);
  EXPECT_EQ(sent().find("Tenant"), std::string::npos) << sent();
}

std::string name_of(const testing::TestParamInfo<std::tuple<KeyPlace, Source>>& info) {
  std::string out;
  for (const std::string_view part : {std::string_view(std::get<0>(info.param).name), std::get<1>(info.param).per}) {
    out += out.empty() ? "" : "_by_";
    for (const char c : part)
      if (std::isalnum(static_cast<unsigned char>(c)) != 0)
        out += c;
      else if (!out.empty() && out.back() != '_')
        out += '_';
  }
  return out;
}

INSTANTIATE_TEST_SUITE_P(Places, PathReadOnce,
                         testing::Combine(testing::ValuesIn(kPlaces), testing::ValuesIn(kSources)), name_of);

}  // namespace
}  // namespace headgate::gateway::test
