// Retries of upstreams, and the mirrors and held bodies of routes.

#include "headgate/gateway/forwarding.hpp"

#include "config/build.hpp"
#include "config/formats/formats.hpp"
#include "config/table_shapes.hpp"
#include "config/text/codes.hpp"
#include "config/values.hpp"

#include "headgate/observe/grpc_status.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <iterator>

namespace headgate::config {
namespace {

constexpr Shape kTries = integer(1, 10);
// number of reasons without the last one, "status", which gRPC's statuses replace in these words
constexpr std::size_t kPlainReasons = 3;
constexpr std::size_t kGrpcFailures = 16;  // number of statuses except OK
/// The words of failures, and then those of gRPC's statuses in the order of their numbers.
constexpr auto kRetryWords = [] {
  std::array<std::string_view, kPlainReasons + kGrpcFailures> words;
  std::copy_n(std::begin(gateway::kRetryReasons), kPlainReasons, words.begin());
  std::copy_n(observe::kGrpcStatusNames.begin() + 1, kGrpcFailures, words.begin() + kPlainReasons);
  return words;
}();
constexpr Shape kRetryWord = choice(kRetryWords);
constexpr Shape kRetryStatus = integer(400, 599);
constexpr const Shape* kRetryOnForms[] = {&kRetryWord, &kRetryStatus};
constexpr Shape kRetryOn = either("a word or a status", kRetryOnForms);
constexpr Shape kRetryOnAll = list("a list of words and statuses", kRetryOn, 1, 32);
constexpr Shape kRetryBudget = text("a share", check_part);
constexpr Key kRetryKeys[] = {
    {"attempts", &kTries, kOfOptions, "3", "Maximum number of attempts, including the first",
     into<&gateway::Retry::attempts>},
    {"on", &kRetryOnAll, R"(["connect_error", "closed", 502, 503])", R"(["connect_error", "timeout", 503])",
     "Failures that lead to another attempt: `connect_error` (no connection), `timeout` (no answer head within "
     "`timeout_each`), `closed` (the connection ended before the head), statuses 408, 425, 429 and 500 to 599, and "
     "gRPC statuses such as `UNAVAILABLE`. All but `connect_error` apply only to GET, HEAD, PUT, DELETE, OPTIONS and "
     "TRACE with the whole body held (`buffer_request`). gRPC statuses apply to any call with a held body that was "
     "answered without a message, so name only those that are safe for your methods"},
    {"timeout_each", &kDuration, "", R"("1s")",
     "With `timeout`: maximum time to the first byte of an attempt's answer, and again to its whole head, if another "
     "attempt can follow. The route's `timeout` covers all attempts",
     into<&gateway::Retry::timeout_each>},
    {"budget", &kRetryBudget, "20%", R"("10%")",
     "Retries per first attempt, of all workers within 10 s; in addition, 10 per second are always allowed",
     read_into<&parse_part, &gateway::Retry::budget>},
};
constexpr Shape kMirrorTo = text("an upstream's name");
constexpr Shape kMirrorShare = text("a share", check_part);
constexpr Shape kMirrorsInFlight = integer(1, 10'000);
constexpr Shape kMirroredBody = size(0, 1UL << 20);
constexpr Key kMirrorKeys[] = {
    {"to", &kMirrorTo, "", R"("shadow")", "Upstream that gets the copies; not the route's own",
     into<&gateway::Mirror::to>, required},
    {"share", &kMirrorShare, "100%", R"("10%")", "Share of requests to copy",
     read_into<&parse_part, &gateway::Mirror::share>},
    {"timeout", &kDuration, kOfOptions, R"("2s")", "Maximum time from the start of a copy to the end of its answer",
     into<&gateway::Mirror::timeout>},
    {"in_flight", &kMirrorsInFlight, kOfOptions, "32",
     "Maximum number of concurrent copies per worker to this upstream; further ones are dropped",
     into<&gateway::Mirror::in_flight>},
    {"max_body", &kMirroredBody, kOfOptions, R"("16KiB")",
     "Largest body to copy; bodies that have not arrived as a whole are not copied either (see `buffer_request`)",
     into<&gateway::Mirror::max_body>},
};

}  // namespace

constexpr Section kRetrySection{
    "retry", "upstreams.<name>.retry",
    "When failed requests are sent again, preferably to another server; see [servers.md](servers.md#retries).",
    kRetryKeys};
constexpr Section kMirrorSection{"mirror", "routes[].mirror",
                                 "Copies of requests for another upstream; see [routes.md](routes.md#mirroring).",
                                 kMirrorKeys};

namespace {

using gateway::RouteOptions;

/// Returns whether another server could do better than the one that answered with this status.
bool may_help(unsigned status) { return status >= 500 || status == 408 || status == 425 || status == 429; }

void build_conditions(Build& build, const Node& on, gateway::Retry& out) {
  out.on_connect_error = out.on_timeout = out.on_closed = false;
  bool* const named[] = {&out.on_connect_error, &out.on_timeout, &out.on_closed};
  for (const Node* each : children(&on, Kind::list)) {
    const auto at =
        static_cast<std::size_t>(std::find(kRetryWords.begin(), kRetryWords.end(), each->text) - kRetryWords.begin());
    if (each->kind == Kind::string && at < kPlainReasons) *named[at] = true;
    if (each->kind == Kind::string && at >= kPlainReasons && at < kRetryWords.size())
      out.grpc_statuses |= 1U << (at - kPlainReasons + 1);
    if (each->kind != Kind::number) continue;
    unsigned status = 0;
    std::from_chars(each->text.data(), each->text.data() + each->text.size(), status);
    if (!may_help(status))
      build.report.error(code::kConflict, *each,
                         "an answer with " + each->text +
                             " says that the request is at fault, and the next server "
                             "would say the same",
                         "leave it out: 408, 425, 429 and 500 to 599 can be named");
  }
  out.statuses = read_statuses(&on);
}

void build_retry(Build& build, const Node& node, gateway::Retry& out) {
  if (const Node* on = find(&node, "on"); on != nullptr && on->kind == Kind::list) build_conditions(build, *on, out);
  if (out.attempts < 2)
    build.report.error(code::kConflict, *find(&node, "attempts"), "with one attempt, no request is ever retried",
                       "write 2, or leave \"retry\" out");
  if (out.on_timeout && !out.timeout_each)
    build.report.error_at_key(code::kConflict, *find(&node, "on"),
                              "\"timeout\" needs \"timeout_each\": when the route's \"timeout\" is over, no time is "
                              "left for another attempt",
                              R"(add "timeout_each": "1s", or leave "timeout" out)");
  if (out.timeout_each && !out.on_timeout)
    build.report.warning_at_key(code::kNoEffect, *find(&node, "timeout_each"),
                                "\"timeout_each\" has no effect without \"timeout\" in \"on\"",
                                R"(add "timeout" to "on", or remove it)");
}

void check_timeout_each(Build& build, const gateway::UpstreamOptions& upstream, const Node& node) {
  const auto& options = build.config.gateway;
  if (!upstream.retry->timeout_each) return;
  for (const auto& route : options.routes) {
    const auto timeout = route.timeout.value_or(options.all_routes.timeout);
    if (!goes_to(route, upstream.name) || *upstream.retry->timeout_each < timeout) continue;
    build.report.warning(code::kNoEffect, *find(&node, "timeout_each"),
                         route_text(route) + " has a timeout of " + to_text(timeout) +
                             " for all attempts together, so no attempt follows one that took this long",
                         "shorten \"timeout_each\", or raise the route's \"timeout\"");
    return;
  }
}

void check_mirror(Build& build, const RouteOptions& route, const Node& mirror) {
  const Node* to = text_at(&mirror, "to");
  if (route.respond) {
    build.report.warning_at_key(code::kNoEffect, mirror,
                                "\"mirror\" has no effect: this route answers without an upstream", "remove it");
    return;
  }
  if (to == nullptr) return;
  const auto gets = [&](const auto& share) { return share.upstream == to->text; };
  if (to->text == route.to ||
      (route.split && std::any_of(route.split->shares.begin(), route.split->shares.end(), gets))) {
    build.report.error(code::kConflict, *to, "requests of this route go to " + in_quotes(to->written) + " already",
                       "name another upstream: it would get every copy in addition to the requests");
    return;
  }
  const auto known = [&](const Node* each) { return each->key == to->text; };
  if (const auto found = std::find_if(build.upstream_nodes.begin(), build.upstream_nodes.end(), known);
      found != build.upstream_nodes.end()) {
    const auto& base = build.config.upstreams[static_cast<std::size_t>(found - build.upstream_nodes.begin())].base;
    const auto asked = upstreams_of(build, route);
    if (std::any_of(asked.begin(), asked.end(), [&](const auto* each) { return each->base != base; }))
      build.report.error(code::kConflict, *to,
                         "a mirrored request keeps its path, and the URLs of the two upstreams have different paths",
                         "name an upstream whose servers have the same path");
    return;
  }
  auto help = suggestion(to->text, build.upstream_nodes, build.report);
  if (help.empty()) help = "add \"upstreams\": { " + in_quotes(to->text) + R"(: "http://127.0.0.1:3000" })";
  build.report.error(code::kUnresolved, *to, "no upstream is named " + in_quotes(to->written), help);
}

void check_held_body(Build& build, const RouteOptions& route, const Node& written) {
  const auto most = route.max_body.value_or(build.config.gateway.all_routes.max_body);
  if (route.respond)
    build.report.warning_at_key(code::kNoEffect, written,
                                "\"buffer_request\" has no effect: this route answers without an upstream",
                                "remove it");
  else if (route.held_body > most)
    build.report.warning(code::kNoEffect, written,
                         "a body of this size is refused: \"max_body\" is " + std::to_string(most) + " bytes",
                         "lower \"buffer_request\", or raise \"max_body\"");
}

}  // namespace

void build_retries(Build& build) {
  for (std::size_t i = 0; i < build.upstream_nodes.size(); ++i) {
    auto& retry = build.config.upstreams[i].retry;
    if (retry) build_retry(build, *find(build.upstream_nodes[i], "retry"), *retry);
  }
}

void check_delivery(Build& build) {
  const auto& options = build.config.gateway;
  for (std::size_t i = 0; i < options.routes.size(); ++i) {
    const auto& route = options.routes[i];
    const Node* mirror = find(build.route_nodes[i], "mirror");
    if (mirror != nullptr && route.mirror) check_mirror(build, route, *mirror);
    const Node* held = find(build.route_nodes[i], "buffer_request");
    if (held != nullptr && route.held_body > 0) check_held_body(build, route, *held);
  }
  for (std::size_t i = 0; i < build.config.upstreams.size(); ++i)
    if (build.config.upstreams[i].retry)
      check_timeout_each(build, build.config.upstreams[i], *find(build.upstream_nodes[i], "retry"));
}

}  // namespace headgate::config
