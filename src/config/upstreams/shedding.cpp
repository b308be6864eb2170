// The number of simultaneous requests of an upstream, and their priorities.

#include "config/build.hpp"
#include "config/formats/formats.hpp"
#include "config/table_shapes.hpp"
#include "config/text/codes.hpp"
#include "config/values.hpp"
#include "config/words.hpp"

#include "headgate/core/literals.hpp"
#include "headgate/gateway/key_source.hpp"
#include "headgate/shed/priority.hpp"

#include <algorithm>
#include <unordered_map>

namespace headgate::config {
namespace {

constexpr Shape kPlaces = integer(1, 1'000'000'000);
constexpr Shape kShare = text("a share", check_share);
constexpr Shape kPlaceQueueLength = integer(1, 100'000);
constexpr Shape kQueuePer = text("whose requests stand in one line", check_per);
constexpr Shape kQueuePers = list("a list of keys", kQueuePer, 1, 8);
constexpr const Shape* kQueuePerForms[] = {&kQueuePer, &kQueuePers};
constexpr Shape kQueuePerOrPers{
    .form = Shape::Form::either, .what = "a key, or a list of them", .registered = per_words, .forms = kQueuePerForms};
constexpr Key kQueueKeys[] = {
    {"length", &kPlaceQueueLength, kOfOptions, "100",
     "Maximum number of waiting requests: per worker for `adaptive`, per gateway for `in_flight`",
     into<&shed::QueueOptions::length>},
    {"wait", &kDuration, kOfOptions, R"("500ms")",
     "Longest wait. Requests with an earlier route `timeout` or `X-Request-Deadline` wait less",
     into<&shed::QueueOptions::wait>},
    {"per", &kQueuePerOrPers, "", R"("api_key")",
     "Requests with the same value share a line, and lines are served in turn; keys as for `limits.<name>.per`. "
     "Default: `client_ip`"},
};
constexpr Section kQueue{"queue", "upstreams.<name>.concurrency.queue",
                         "Queue for requests that would otherwise be refused.", kQueueKeys};
constexpr Shape kQueueShape = section(kQueue);
constexpr Key kConcurrencyKeys[] = {
    {"adaptive", &kBoolean, "true", "false",
     "Whether each worker derives from answer latency how many concurrent requests the upstream can take, and refuses "
     "more with 503"},
    {"min", &kPlaces, kOfOptions, "4", "Lowest limit of a worker with `adaptive`",
     into<&shed::ConcurrencyRange::least>},
    {"max", &kPlaces, kOfOptions, "1000", "Highest limit of a worker with `adaptive`",
     into<&shed::ConcurrencyRange::most>},
    {"in_flight", &kPlaces, "", "400",
     "Maximum number of concurrent requests, from admission to end; of all gateways together if there is a `redis` "
     "block",
     into<&shed::ConcurrencyOptions::in_flight>},
    {"queue", &kQueueShape, "", R"({ "length": 100, "wait": "500ms", "per": "api_key" })",
     "Queue for requests over the limits of `adaptive` and `in_flight`, by priority and fair to callers. Default: they "
     "are refused at once"},
    {"reserved", &kShare, "", R"("20%")",
     "Share of both limits reserved for `critical` requests, even while there are none. Lower priorities are refused "
     "first without it, too",
     read_into<&parse_share, &shed::ConcurrencyOptions::reserved>},
};
constexpr Shape kPriorityFrom = text("a header of trusted proxies", check_priority_from);
constexpr Key kSheddingKeys[] = {
    {"priority_from", &kPriorityFrom, "", R"("header:X-Priority")",
     "Field in which trusted proxies give a request's priority: `critical`, `normal` or `low`; ignored from anyone "
     "else",
     read_into<&parse_priority_from, &gateway::Shedding::priority_from>},
    {"loop_lag", &kDuration, "", R"("50ms")",
     "Worker delay (event loop lag) from which requests are refused, low priorities first. Default: never",
     into<&gateway::Shedding::loop_lag>},
};

}  // namespace

constexpr Section kConcurrencySection{
    "concurrency", "upstreams.<name>.concurrency",
    "Maximum number of concurrent requests to an upstream; more are refused with 503 and `Retry-After`.",
    kConcurrencyKeys};
constexpr Section kSheddingSection{
    "shedding", "shedding", "Order in which requests are refused under overload; see [shedding.md](shedding.md).",
    kSheddingKeys};
constexpr Shape kPriorityShape = choice(shed::kPriorityWords);

namespace {

using shed::Priority;

/// Reports an error if the reserve for critical requests leaves no part of `most` for other requests.
void check_reserve(Build& build, const Node& reserved, const char* key, std::uint32_t most, std::uint32_t parts) {
  const auto kept =
      (std::uint64_t{most} * parts + shed::ConcurrencyOptions::kWhole - 1) / shed::ConcurrencyOptions::kWhole;
  if (kept < most) return;
  build.report.error(code::kConflict, reserved,
                     in_quotes(reserved.written) + " of " + in_quotes(key) + ", which is " + std::to_string(most) +
                         ", leaves nothing for requests that are not critical",
                     "raise " + in_quotes(key) + " or reserve less");
}

void build_adaptive(Build& build, const Node& node, shed::ConcurrencyOptions& out) {
  bool adaptive = true;
  read(&node, "adaptive", adaptive);
  const Node* least = find(&node, "min");
  const Node* most = find(&node, "max");
  if (!adaptive) {
    for (const Node* written : {least, most})
      if (written != nullptr)
        build.report.warning_at_key(code::kNoEffect, *written,
                                    in_quotes(written->key) + " has no effect without \"adaptive\"", "remove it");
    return;
  }
  auto& bounds = out.adaptive.emplace();
  fill(&node, kConcurrencySection, bounds);
  if (bounds.least <= bounds.most) return;
  const Node* written = least != nullptr ? least : most;
  build.report.error(
      code::kConflict, *written,
      "\"min\" (" + std::to_string(bounds.least) + ") is larger than \"max\" (" + std::to_string(bounds.most) + ")",
      "raise \"max\" or lower \"min\"");
}

void build_queue(Build& build, const Node& concurrency, gateway::UpstreamOptions& out) {
  const Node* written = find(&concurrency, "queue");
  if (written == nullptr || written->kind != Kind::object) return;
  auto& queue = out.concurrency->queue.emplace();
  fill(written, kQueue, queue);
  out.queue_per = build_key(build, find(written, "per"));
  const auto everybody = [](const limit::Per& per) { return per.source->counts == gateway::Counts::everybody; };
  if (!out.queue_per.empty() && std::all_of(out.queue_per.begin(), out.queue_per.end(), everybody))
    build.report.warning_at_key(code::kNoEffect, *find(written, "per"),
                                "all callers wait in one queue, so one of them can delay all others",
                                R"(tell them apart, as with "per": "client_ip")");
}

void build_concurrency(Build& build, const Node& node, gateway::UpstreamOptions& upstream) {
  shed::ConcurrencyOptions out;
  fill(&node, kConcurrencySection, out);
  build_adaptive(build, node, out);
  if (!out.adaptive && out.in_flight == 0) {
    build.report.error_at_key(code::kConflict, node, "this concurrency limits nothing",
                              "write \"in_flight\": 100, or leave \"adaptive\" out");
    return;
  }
  if (const Node* reserved = text_at(&node, "reserved")) {
    if (const auto share = parse_share(reserved->text); share.has_value()) {
      if (out.in_flight > 0) check_reserve(build, *reserved, "in_flight", out.in_flight, *share);
      if (out.adaptive) check_reserve(build, *reserved, "min", out.adaptive->least, *share);
    }
  }
  upstream.concurrency = out;
  upstream.in_flight_store = build.config.redis ? limit::Store::redis : limit::Store::memory;
  build_queue(build, node, upstream);
}

bool has_loop_lag(const Build& build) { return build.config.gateway.shedding.loop_lag > Duration(0); }

bool sheds(const Build& build, const gateway::RouteOptions& route) {
  const auto upstreams = upstreams_of(build, route);
  return !route.respond &&
         (has_loop_lag(build) || std::any_of(upstreams.begin(), upstreams.end(),
                                             [](const auto* each) { return each->concurrency || each->server_queue; }));
}

/// Returns whether a route's requests may have this priority.
bool may_be(const Build& build, const gateway::RouteOptions& route, Priority priority) {
  const auto& options = build.config.gateway;
  if (route.priority == priority || !options.shedding.priority_from.empty()) return true;
  const auto uses = [&](const std::string& limit) {
    const auto named = [&](const gateway::LimitUse& use) { return use.limit == limit; };
    const auto& common = options.all_routes.limits;
    return std::any_of(route.limits.begin(), route.limits.end(), named) ||
           std::any_of(common.begin(), common.end(), named);
  };
  return std::any_of(options.tier_priorities.begin(), options.tier_priorities.end(),
                     [&](const auto& each) { return each.priority == priority && uses(each.limit); });
}

using RoutesTo = std::unordered_map<std::string_view, std::vector<const gateway::RouteOptions*>>;

void check_reserved(Build& build, const std::vector<const gateway::RouteOptions*>& routes, const Node& node) {
  const Node* reserved = find(&node, "reserved");
  bool critical = false;
  bool others = false;
  for (const auto* route : routes) {
    critical = critical || may_be(build, *route, Priority::critical);
    others = others || may_be(build, *route, Priority::normal) || may_be(build, *route, Priority::low);
  }
  if (routes.empty()) return;  // reported already
  if (reserved != nullptr && !critical)
    build.report.warning(code::kNoEffect, *reserved,
                         "nobody can use the reserved share: no request to this upstream is critical",
                         R"(write "priority": "critical" at a route or a tier, or reserve nothing)");
  if (critical && !others)
    build.report.warning(code::kNoEffect, reserved != nullptr ? *reserved : node,
                         "every request to this upstream is critical, so none is preferred",
                         "leave \"priority\" out of the routes that matter less");
}

/// Warns of a wait that is longer than the timeout of a route, because a request waits no longer than its timeout.
void check_wait(Build& build, const gateway::UpstreamOptions& upstream, const Node& node) {
  const auto& waits = upstream.concurrency->queue;
  if (!waits) return;
  const auto& options = build.config.gateway;
  for (const auto& route : options.routes) {
    const auto timeout = route.timeout.value_or(options.all_routes.timeout);
    if (!goes_to(route, upstream.name) || waits->wait <= timeout) continue;
    const Node* queue = find(&node, "queue");
    const Node* wait = find(queue, "wait");
    build.report.warning(code::kNoEffect, wait != nullptr ? *wait : *queue,
                         "requests of " + route_text(route) + " wait at most " + to_text(timeout) + ", their timeout",
                         "shorten \"wait\" or raise \"timeout\"");
    return;
  }
}

}  // namespace

void build_shedding(Build& build) {
  for (std::size_t i = 0; i < build.upstream_nodes.size(); ++i) {
    const Node* written = find(build.upstream_nodes[i], "concurrency");
    if (written != nullptr && written->kind == Kind::object)
      build_concurrency(build, *written, build.config.upstreams[i]);
  }
  const Node* node = find(&build.root, "shedding");
  const Node* from = text_at(node, "priority_from");
  if (from == nullptr) return;
  if (build.config.identity.trusted_proxies.empty())
    build.report.warning(code::kProxies, *from, "priorities are accepted only from trusted proxies, and none is named",
                         R"(name the proxy that writes them: "identity": { "trusted_proxies": ["10.0.0.0/8"] })");
}

void check_shedding(Build& build) {
  const auto& options = build.config.gateway;
  bool any = false;
  for (std::size_t i = 0; i < options.routes.size(); ++i) {
    any = any || sheds(build, options.routes[i]);
    const Node* written = find(build.route_nodes[i], "priority");
    if (written == nullptr || sheds(build, options.routes[i])) continue;
    build.report.warning_at_key(code::kNoEffect, *written,
                                "\"priority\" has no effect: requests of this route are never rejected for overload",
                                R"(add "concurrency": {} to its upstream, or remove it)");
  }
  const Node* from = find(find(&build.root, "shedding"), "priority_from");
  if (from != nullptr && !any && !options.routes.empty())
    build.report.warning_at_key(code::kNoEffect, *from,
                                "\"priority_from\" has no effect: no request is ever rejected for overload",
                                R"(add "concurrency": {} to an upstream)");
  RoutesTo routes;
  const auto& upstreams = build.config.upstreams;
  if (std::any_of(upstreams.begin(), upstreams.end(), [](const auto& each) { return each.concurrency.has_value(); }))
    for (const auto& route : options.routes) {
      routes[route.to].push_back(&route);
      if (!route.split) continue;
      for (const auto& share : route.split->shares) routes[share.upstream].push_back(&route);
    }
  for (std::size_t i = 0; i < upstreams.size(); ++i) {
    if (!upstreams[i].concurrency) continue;
    const Node* written = find(build.upstream_nodes[i], "concurrency");
    check_reserved(build, routes[upstreams[i].name], *written);
    check_wait(build, upstreams[i], *written);
  }
}

namespace {

std::string of_upstream(const gateway::UpstreamOptions& each, std::uint32_t instances) {
  const auto& options = *each.concurrency;
  std::string out = "\nUpstream " + each.name + " may have as many requests at the same time as it can take:\n";
  if (options.in_flight > 0) {
    const bool fleet = each.in_flight_store == limit::Store::redis;
    out += "  at most " + std::to_string(options.in_flight) + " of " +
           (fleet ? "all gateways together, counted in Redis" : "this gateway");
    if (fleet)
      out += "; if Redis is down, each has its part of it" +
             (instances > 1 ? ", one of at least " + std::to_string(instances) : std::string());
    out += '\n';
  }
  if (options.adaptive)
    out += "  each worker adapts its own limit to the latency of answers, between " +
           std::to_string(options.adaptive->least) + " and " + std::to_string(options.adaptive->most) + '\n';
  if (options.queue && options.in_flight > 0)
    out += "  beyond the " + std::to_string(options.in_flight) + " up to " + std::to_string(options.queue->length) +
           " requests wait, at most " + to_text(options.queue->wait) + ": critical before normal before low\n";
  if (options.queue && options.adaptive)
    out += "  beyond that limit up to " + std::to_string(options.queue->length) +
           " requests of each worker wait, at most " + to_text(options.queue->wait) +
           ", and callers are served in turn\n";
  if (options.reserved > 0)
    out += "  " + std::to_string(options.reserved / (shed::ConcurrencyOptions::kWhole / 100)) +
           "% of that is only for critical requests\n";
  return out + "  low requests are refused first, then normal ones, as long as higher ones find no place\n";
}

}  // namespace

std::string shedding_in_words(const Config& config) {
  std::string out;
  const auto instances = config.redis ? config.redis->instances : 1;
  for (const auto& each : config.upstreams)
    if (each.concurrency) out += of_upstream(each, instances);
  const auto& shedding = config.gateway.shedding;
  if (shedding.loop_lag > Duration(0))
    out += "\nA worker that is more than " + to_text(shedding.loop_lag) +
           " behind refuses low requests first, then normal ones.\n";
  return out;
}

}  // namespace headgate::config
