#include "headgate/engine/simulation.hpp"

#include "blank_body.hpp"

#include "headgate/gateway/active_exchange.hpp"
#include "headgate/gateway/descriptors/rate_limit_call.hpp"
#include "headgate/gateway/key_source.hpp"
#include "headgate/http/request_rules.hpp"
#include "headgate/identity/client_address.hpp"
#include "headgate/net/tls/secured.hpp"

#include <array>
#include <exception>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

namespace headgate::engine {
namespace {

/// A reply writer that counts the bytes of the body.
class CountingReply final : public http::ReplyWriter {
 public:
  void begin() noexcept {
    bytes_ = 0;
    started_ = false;
  }
  Task<Result<void>> interim(const http::ReplyStart&) override { co_return Result<void>(); }
  Task<Result<void>> send(const http::ReplyStart&, std::string_view first, http::EndStream) override {
    started_ = true;
    bytes_ += first.size();
    co_return Result<void>();
  }
  Task<Result<void>> write(std::string_view bytes, http::EndStream) override {
    bytes_ += bytes.size();
    co_return Result<void>();
  }
  Task<Result<void>> finish(const http::Fields&) override { co_return Result<void>(); }
  void tunnel(Duration /*timeout*/) override {}
  bool started() const noexcept override { return started_; }
  std::uint64_t bytes_sent() const noexcept override { return bytes_; }

 private:
  std::uint64_t bytes_ = 0;
  bool started_ = false;
};

/// Fills the head as a session would. The texts of `arrival` belong to its owner, so they are copied into one piece of
/// memory.
Result<void, http::ParseError> fill(http::RequestHead& head, const RequestArrival& arrival, TextArena& text) {
  auto host = arrival.host;
  if (arrival.call != nullptr) {
    if (host.empty()) host = "localhost";
    head.version = 20;
    head.fields.push_back({http::Known::content_type, "Content-Type", "application/grpc"});
  } else {
    head.version = arrival.host.empty() ? 10 : 11;
  }
  auto size = arrival.method.size() + arrival.path.size() + arrival.query.size() + host.size();
  for (const auto& field : arrival.fields) size += field.name.size() + field.value.size();
  text.write(size, [&](TextCursor& out) {
    const auto copied = [&out](std::string_view piece, std::string_view second = {}) {
      const char* const start = out.at();
      out.text(piece);
      out.text(second);
      return std::string_view(start, piece.size() + second.size());
    };
    head.method = copied(arrival.method);
    head.target = copied(arrival.path, arrival.query);
    if (!host.empty()) head.fields.push_back({http::Known::host, "Host", copied(host)});
    for (const auto& field : arrival.fields) {
      const auto name = copied(field.name);
      head.fields.push_back({field.id, name, copied(field.value)});
    }
  });
  if (arrival.bytes > 0) head.framing = {http::Framing::Kind::length, arrival.bytes};
  return http::apply_request_rules({.path = head.target}, http::Paths::normalised, head);
}

/// Returns the rules of the limits in memory that count addresses, at most kMax of them: prefetching one more counter
/// would cost as much as it gains.
std::vector<const limit::Rule*> rules_by_address(const gateway::CompiledConfig& compiled) {
  constexpr std::size_t kMax = 2;
  std::vector<const limit::Rule*> out;
  for (const auto& each : compiled.limits()) {
    const auto& limit = each->limit;
    const bool by_address = limit.per.size() == 1 && limit.per.front().source->word == "client_ip";
    if (!by_address || limit.store != limit::Store::memory || each->tiers.size() != 1) continue;
    for (const auto& rule : each->tiers.front().rules)
      if (out.size() < kMax) out.push_back(&rule);
  }
  return out;
}

Task<void> ask(gateway::Gateway& gateway, gateway::ExplainedRequest request, const gateway::AssumedCaller& assumed,
               std::optional<gateway::Explanation>& told, std::exception_ptr& bug) {
  try {
    auto explained = gateway.explain(std::move(request), &assumed);
    told = co_await explained;
  } catch (...) {
    bug = std::current_exception();
  }
}

}  // namespace

std::string head_of(const RequestArrival& arrival) {
  std::string out(arrival.method);
  out.append(" ").append(arrival.path).append(arrival.query).append(arrival.host.empty() ? " HTTP/1.0" : " HTTP/1.1");
  if (!arrival.host.empty()) out.append("\r\nHost: ").append(arrival.host);
  for (const auto& field : arrival.fields) out.append("\r\n").append(field.name).append(": ").append(field.value);
  if (arrival.bytes > 0) out.append("\r\nContent-Length: ").append(std::to_string(arrival.bytes));
  return out.append("\r\n\r\n");
}

/// An exchange, and the objects that a session would provide for it.
struct Simulation::Visit {
  gateway::Exchange x;
  gateway::ActiveExchange active;
  BlankBody body;
  CountingReply reply;
  ScriptedAnswer answer;
  gateway::AssumedCaller assumed;
  gateway::AssumedCall call;
  const std::function<void(const ArrivalResult&)>* tell = nullptr;
  std::array<char, 64> address{};
  std::uint64_t number = 0;
};

Simulation::Simulation(gateway::Snapshot parts, const Setup& setup)
    : clock_(setup.start),
      offline_(clock_, setup.seed, with_servers(std::move(parts), clock_, scripts_), setup.max_keys),
      by_address_(rules_by_address(*offline_.snapshot()->compiled)) {}

Simulation::~Simulation() = default;

gateway::Snapshot Simulation::with_servers(gateway::Snapshot parts, Clock& clock, const Scripts& scripts) {
  parts.upstreams.clear();
  for (const auto& options : parts.compiled->upstreams())
    parts.upstreams.push_back(std::make_shared<ScriptedUpstream>(clock, options, scripts));
  return parts;
}

void Simulation::run(Arrivals& arrivals, const std::function<void(const ArrivalResult&)>& tell) {
  while (const auto* const arrival = arrivals.next()) {
    expect(*arrival);
    clock_.advance_to(arrival->at);
    begin(*arrival, tell);
  }
  while (ended_ != arrived_)
    if (!clock_.advance_to_alarm()) throw std::logic_error("a request waits, and nothing will happen");
}

std::uint64_t Simulation::send(const RequestArrival& arrival, const std::function<void(const ArrivalResult&)>& tell) {
  const auto number = arrived_;
  begin(arrival, tell);
  clock_.advance(Duration(0));  // rings the alarms that are already due
  return number;
}

gateway::Explanation Simulation::explain(const RequestArrival& arrival) {
  if (arrival.call != nullptr) return explain({.head = {}, .peer = arrival.address, .call = *arrival.call});
  return explain({.head = head_of(arrival),
                  .peer = arrival.address,
                  .tls = arrival.tls,
                  .https_port = arrival.https_port,
                  .secured = arrival.secured},
                 arrival.assumed);
}

gateway::Explanation Simulation::explain(gateway::ExplainedRequest asked, const gateway::AssumedCaller& assumed) {
  std::optional<gateway::Explanation> told;
  std::exception_ptr bug;
  spawn(ask(offline_.gateway(), std::move(asked), assumed, told, bug), "explain");
  if (bug) std::rethrow_exception(bug);
  if (!told) throw std::logic_error("the question what would happen waits");
  return std::move(*told);
}

const identity::ApiKeyRecord* Simulation::key_of(std::string_view owner) const {
  return offline_.snapshot()->credentials->api_keys().of_owner(owner, clock_.wall());
}

// Behind a trusted proxy this prefetches the counter of the proxy's address, which only costs time.
void Simulation::expect(const RequestArrival& arrival) const noexcept {
  if (by_address_.empty()) return;
  std::array<char, 64> text{};
  const auto prefix = offline_.snapshot()->compiled->identity().ipv6_prefix;
  const auto key = identity::client_ip_key(arrival.address, prefix, text);
  for (const auto* const rule : by_address_) offline_.memory().expect(keyed_hash(key, rule->seed));
}

Simulation::Visit& Simulation::free_visit() {
  if (free_.empty()) {
    auto& made = *visits_.emplace_back(std::make_unique<Visit>());
    scripts_.add(made.x.client_gone, made.answer);
    return made;
  }
  auto& visit = *free_.back();
  free_.pop_back();
  return visit;
}

void Simulation::begin(const RequestArrival& arrival, const std::function<void(const ArrivalResult&)>& tell) {
  auto& visit = free_visit();
  auto& x = visit.x;
  visit.tell = &tell;
  visit.number = arrived_++;
  visit.answer = arrival.answer;
  visit.body.begin(arrival.bytes, arrival.text);
  visit.reply.begin();
  x.peer = arrival.address;
  x.peer_text = identity::address_text(arrival.address, visit.address);
  x.clock = &clock_;
  x.started = clock_.steady();
  x.client_tls = arrival.tls;
  x.https_port = arrival.tls ? std::uint16_t{0} : arrival.https_port;
  x.secured = arrival.secured;
  x.client_certificate = arrival.secured != nullptr && arrival.secured->certificate != nullptr;
  visit.assumed = arrival.assumed;
  if (auto& limit = visit.assumed.cost.limit; !limit.empty()) limit = x.text.join({limit});
  if (arrival.call != nullptr) {
    visit.call = {.request = *arrival.call};
    visit.assumed.call = &visit.call;
    x.protocol = net::ListenProtocol::rate_limit_service;
  }
  x.assumed = &visit.assumed;
  x.body = &visit.body;
  x.reply = &visit.reply;
  if (const auto filled = fill(x.request, arrival, x.text); filled.has_error()) {
    x.status = filled.error().status;
    x.ended_by = gateway::EndedBy::bad_request;
    x.reason = filled.error().why;
    offline_.gateway().name(x);
    offline_.gateway().refused(x);
    end(visit);
  } else {
    spawn(serve(visit), "arrival");
  }
}

Task<void> Simulation::serve(Visit& visit) {
  visit.active.begin(visit.x);
  std::exception_ptr thrown;
  try {
    co_await offline_.gateway().handle(visit.x);
  } catch (...) {
    thrown = std::current_exception();
  }
  if (thrown) co_await gateway::answer_bug(offline_.gateway(), visit.x, thrown);
  visit.active.end();
  end(visit);
}

void Simulation::end(Visit& visit) {
  auto& x = visit.x;
  const auto* const binding = x.admission.binding;
  (*visit.tell)({.number = visit.number,
                 .status = x.status,
                 .ended_by = x.ended_by,
                 .limit = !x.problem_limit.empty() ? x.problem_limit
                          : binding != nullptr     ? std::string_view(binding->route_limit->limit->name)
                                                   : std::string_view(),
                 .tier = binding != nullptr ? std::string_view(binding->tier->name) : std::string_view(),
                 .retry_after = x.retry_after,
                 .took = std::chrono::duration_cast<Duration>(clock_.steady() - x.started),
                 .exchange = x,
                 .call = visit.assumed.call == nullptr ? nullptr : &visit.call.answer});
  x.reset();
  ++ended_;
  free_.push_back(&visit);
}

}  // namespace headgate::engine
