#pragma once
// The whole path of a request: a real gateway on a virtual clock, with scripted client, limiters and servers.

#include "support/per.hpp"
#include "support/upstreams.hpp"
#include "unit/gateway/path/client.hpp"
#include "unit/gateway/path/limiters.hpp"
#include "unit/gateway/path/servers.hpp"

#include "headgate/core/scoped_task.hpp"
#include "headgate/engine/engine.hpp"
#include "headgate/gateway/active_exchange.hpp"
#include "headgate/gateway/cost_source.hpp"
#include "headgate/gateway/explain.hpp"
#include "headgate/gateway/gateway.hpp"
#include "headgate/gateway/reservations/reservation_book.hpp"
#include "headgate/http/body_look.hpp"
#include "headgate/http/h1/parse.hpp"
#include "headgate/limit/in_flight.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace headgate::gateway::test {

using std::chrono::milliseconds;
using std::chrono::seconds;

/// Accepts every token but "bad". Writes "token" to the trace.
class ScriptedVerifier final : public identity::JwtVerifier {
 public:
  explicit ScriptedVerifier(Trace& trace) : trace_(trace) {}
  Result<identity::VerifiedToken, identity::RefusedToken> verify(std::string_view token, Instant) const override {
    trace_.note("token", std::string(token));
    if (token == "bad") return identity::RefusedToken{identity::JwtError::bad_signature, Instant::max(), 0};
    identity::VerifiedToken good;
    good.claims = {{"sub", std::string(token)}};
    good.good_until = Instant::max();
    return good;
  }

 private:
  Trace& trace_;
};

/// How long the client of a Path may take for a byte of its body.
inline constexpr Duration kBodyTimeout = std::chrono::seconds(10);

/// One route "/*" to the upstream "app" unless the test says otherwise, before its first request.
class Path : public testing::Test {
 protected:
  Path() {
    route.name = "things";
    route.path = "/*";
    route.to = "app";
    client.when_tunnelled = [this](Duration idle) { body_.begin(in_tunnel, idle); };
  }
  ~Path() override {
    if (!gateway || done) return;
    leave();
    clock.advance(kNever);
  }

  /// What else the first snapshot has.
  virtual void add_to(Snapshot& first, Random& random, observe::Registry& registry) {
    static_cast<void>(first), static_cast<void>(random), static_cast<void>(registry);
  }

  /// A limit of the route.
  limit::Limit& limit_by(std::string_view per, const std::string& name, std::string_view rate,
                         limit::Store store = limit::Store::memory, Duration wait = Duration(0)) {
    auto& limit = limits.emplace_back();
    limit.name = name;
    limit.per = {headgate::test::make_per(per)};
    limit.store = store;
    auto& rule =
        limit.tiers.emplace_back().rules.emplace_back(headgate::test::make_rule(rate, 0, name, "token_bucket", wait));
    limit::name_rule(rule, false, limit::PeriodInKey::no);
    route.limits.emplace_back().limit = name;
    return limit;
  }
  limit::Limit& in_memory(const std::string& name, std::string_view rate) { return limit_by("client_ip", name, rate); }
  /// At most `most` requests of an address at the same time.
  limit::Limit& in_flight(const std::string& name, std::uint64_t most, limit::Store store = limit::Store::memory) {
    auto& limit = limit_by("client_ip", name, "1/hour", store);
    auto& rule = limit.tiers.front().rules.front();
    rule.algorithm = &limit::in_flight;
    rule.burst = most;
    rule.rate = {most, limit::kFlightLease};
    limit::name_rule(rule, false, limit::PeriodInKey::no);
    return limit;
  }
  limit::Limit& with_proof(const std::string& name, std::string_view rate) {
    believe_tokens();
    return limit_by("jwt.sub", name, rate);
  }
  limit::Limit& in_redis(const std::string& name, std::string_view rate) {
    return limit_by("client_ip", name, rate, limit::Store::redis);
  }
  void believe_tokens() {
    if (identity.jwt) return;
    auto& issuer = identity.jwt.emplace().issuers.emplace_back();
    issuer.algorithms = {identity::JwtAlgorithm::HS256};
  }
  /// Its cost is in the field "cost" of the answer; `held` is held before.
  void settles(std::int64_t held) {
    auto& cost = route.limits.back().cost;
    cost.from = find_cost_source("response_header");
    cost.name = "cost";
    cost.default_value = held;
    cost.most = 1000;
  }

  /// What the configuration says of an upstream.
  UpstreamOptions& upstream(const std::string& name = "app") {
    for (auto& each : upstreams_)
      if (each.name == name) return each;
    auto& added = upstreams_.emplace_back();
    added.name = name;
    return added;
  }
  /// It may have only so many requests.
  void bound(const shed::ConcurrencyOptions& concurrency, limit::Store store = limit::Store::memory) {
    upstream().concurrency = concurrency;
    upstream().in_flight_store = store;
  }
  /// The upstream has retries.
  Retry& retries(unsigned attempts = 2) {
    auto& retry = upstream().retry.emplace();
    retry.attempts = attempts;
    return retry;
  }
  /// Nothing is left in its budget.
  void use_up_budget() {
    while (budget->pay(clock.steady(), 0)) continue;
  }
  /// Begins a request. `body` is what the client sends after the head.
  void check(std::string_view start_line, std::string_view fields = {}, std::deque<Piece> body = {}) {
    begin();
    head_ = std::string(start_line) + " HTTP/1.1\r\nHost: a.example\r\n" + std::string(fields) + "\r\n";
    ASSERT_TRUE(http::h1::parse_request(head_, {100, 8192}, x.request).has_value()) << head_;
    x.request.version = version;
    body_.begin(std::move(body), kBodyTimeout);
    x.peer = boost::asio::ip::make_address("192.0.2.7");
    x.peer_text = "192.0.2.7";
    x.clock = &clock;
    x.started = clock.steady();
    x.asked_by = asked_by;
    x.protocol = protocol;
    x.settle_within = settle_within;
    x.body = &body_;
    x.answer_looks = answer_looks;
    x.reply = &client;
    done = false;
    spawn(serve(), "exchange");
  }
  /// The same in a new exchange, after the one before is over.
  void ask_again(std::string_view start_line, std::string_view fields = {}) {
    ASSERT_TRUE(done);
    x.reset();
    client.forget();
    trace.lines.clear();
    check(start_line, fields);
  }
  /// From now on these overrides are in force.
  void override_keys(std::span<const limit::Override> overrides) {
    begin();
    const auto& now = *engine_->snapshot();
    engine_->use_overrides(overrides.empty()
                               ? nullptr
                               : std::make_shared<const OverrideTable>(*now.compiled, *now.credentials, overrides));
  }
  /// A reload of the same configuration.
  void reload() {
    begin();
    auto next = *engine_->snapshot();
    next.compiled = std::make_shared<const CompiledConfig>(options, identity, limits, upstreams_, 1);
    engine_->adopt(std::move(next));
  }
  /// What the gateway says would happen to such a request.
  Explanation explain(std::string_view start_line, std::string_view fields = {}) {
    begin();
    Explanation out;
    bool told = false;
    spawn(ask(std::string(start_line) + " HTTP/1.1\r\nHost: a.example\r\n" + std::string(fields) + "\r\n", out, told),
          "explain");
    EXPECT_TRUE(told);
    return out;
  }
  /// The value of what a step says besides, "true" where it has none; "" if no step says that.
  static std::string besides(const Explanation& told, std::string_view member) {
    const auto at = std::ranges::find(told.besides, member, &Besides::member);
    return at == told.besides.end() ? "" : at->value.empty() ? "true" : at->value;
  }
  /// The client resets its connection, or the worker breaks it off.
  void leave(ActiveExchange::Because because = ActiveExchange::Because::client_gone) {
    const auto ended = active_.end_early(because);
    body_.cancel();
    ended.cancel();
  }

  /// How many requests were counted with this status.
  bool counted(unsigned status) const {
    const auto line = "route=\"" + std::string(x.route ? x.route->name : "-") + "\",method=\"" +
                      std::string(x.request.method) + "\",code=\"" + (status == 0 ? "-" : std::to_string(status)) +
                      "\"} 1";
    return registry_.text().find(line) != std::string::npos;
  }
  /// What the metrics say of a series: "name{labels}"; empty without such a series.
  std::string metric(const std::string& series) const {
    const auto text = '\n' + registry_.text();
    const auto at = text.find('\n' + series + ' ');
    if (at == std::string::npos) return {};
    const auto from = at + series.size() + 2;
    return text.substr(from, text.find('\n', from) - from);
  }
  /// What is left of the limit `name` for the client's address.
  std::uint64_t left(const std::string& name) {
    const auto& rule = rule_of(name);
    const std::string_view key = identity.jwt && name.starts_with("proof") ? "alice" : "192.0.2.7";
    const auto look = headgate::test::make_check(rule, key, 0);
    limit::Decision decision;
    memory.store().decide({&look, 1}, clock.wall(), {&decision, 1});
    return decision.remaining;
  }

  VirtualClock clock;
  Trace trace;
  Trace shadow_trace;  ///< of the upstream that mirrors
  PathOptions options;
  RouteOptions route;
  identity::IdentityOptions identity;
  identity::Users users;                        ///< of each of identity.user_files
  std::shared_ptr<const usage::Prices> prices;  ///< of language models
  std::vector<limit::Limit> limits;
  Client client{trace};
  HeardMemory memory{trace};
  limit::BanTable bans;
  room::MemoryRooms rooms;
  shed::WaitQueues flights;
  limit::HoldTable holds;
  ReservationBook reservations{4};
  limit::UseSheet sheet;
  limit::NoticeInbox* notices = nullptr;
  net::LentBytes lent_bytes;
  net::LentBytes::Share lent{&lent_bytes};
  std::shared_ptr<upstream::RetryBudget> budget = std::make_shared<upstream::RetryBudget>();
  std::shared_ptr<ScriptedRedis> redis = std::make_shared<ScriptedRedis>(clock, trace);
  std::shared_ptr<limit::RemoteLimiter> other_redis;  ///< used instead of `redis`
  std::shared_ptr<room::RemoteRooms> remote_rooms;
  std::shared_ptr<ScriptedUpstream> app = std::make_shared<ScriptedUpstream>(clock, trace);
  std::shared_ptr<ScriptedUpstream> next_app;  ///< a second upstream, if the test has one
  std::shared_ptr<ScriptedUpstream> shadow = std::make_shared<ScriptedUpstream>(clock, shadow_trace, "shadow");
  ServerScript& server = app->scripts.front();
  unsigned version = 11;                               ///< in which requests come
  net::AskingProxy asked_by = net::AskingProxy::none;  ///< of each request
  Duration settle_within{0};                           ///< of the listener
  net::ListenProtocol protocol = net::ListenProtocol::http;
  http::BodyLook* answer_looks = nullptr;  ///< at the body of each answer
  std::deque<Piece> in_tunnel;             ///< what the client sends in it
  Exchange x;
  observe::AccessLog access_log;
  Gateway* gateway = nullptr;  ///< from the first request on
  bool done = false;

 private:
  void begin() {
    if (gateway) return;
    options.routes.push_back(route);
    if (next_app) upstream(std::string(next_app->name()));
    const auto compiled = std::make_shared<const CompiledConfig>(options, identity, limits, upstreams_, 1);
    identity::Credentials credentials{std::make_shared<const identity::ApiKeys>(identity.api_key.known), {}, {}};
    for (const auto& file : identity.user_files)
      credentials.user_lists.emplace_back(file, std::make_shared<const identity::Users>(users));
    credentials.prices = prices;
    if (identity.jwt) credentials.jwt = std::make_shared<const ScriptedVerifier>(trace);
    Snapshot first;
    first.compiled = compiled;
    first.upstreams = {app, shadow};
    if (next_app) first.upstreams.push_back(next_app);
    first.retries = {std::make_shared<upstream::RetryShare>(budget), nullptr, nullptr};
    first.redis = other_redis ? other_redis : redis;
    first.rooms = remote_rooms;
    first.credentials = std::make_shared<const ActiveCredentials>(
        *compiled, std::make_shared<const identity::Credentials>(std::move(credentials)));
    add_to(first, random_, registry_);
    Services services{clock, random_, memory, access_log, bans, rooms, flights, &lent, nullptr, &sheet, notices};
    services.holds = &holds;
    services.reservations = &reservations;
    engine_.emplace(services, std::move(first), registry_);
    gateway = &engine_->gateway();
  }
  const limit::Rule& rule_of(const std::string& name) const {
    for (const auto& limit : limits)
      if (limit.name == name) return limit.tiers.front().rules.front();
    throw std::logic_error("no limit is called " + name);
  }
  Task<void> ask(std::string head, Explanation& out, bool& told) {
    ExplainedRequest request{.head = std::move(head), .peer = boost::asio::ip::make_address("192.0.2.7")};
    auto explained = gateway->explain(std::move(request));
    out = co_await explained;
    told = true;
  }
  /// Calls the handler as a session does.
  Task<void> serve() {
    active_.begin(x);
    std::exception_ptr thrown;
    try {
      co_await gateway->handle(x);
    } catch (...) {
      thrown = std::current_exception();
    }
    if (thrown) co_await answer_bug(*gateway, x, thrown);
    active_.end();
    done = true;
  }

  Random random_{1};
  observe::Registry registry_;
  std::vector<UpstreamOptions> upstreams_ = headgate::test::upstreams({"app", "shadow"});
  std::optional<engine::Engine> engine_;
  ScriptedBody body_{clock, trace, "client-body"};
  std::string head_;
  ActiveExchange active_;
};

}  // namespace headgate::gateway::test
