// Tells a caller how many permits its limits have left, without taking any.

#include "gateway/answers/respond.hpp"
#include "gateway/limits/limit_fields.hpp"
#include "gateway/limits/limit_states.hpp"
#include "gateway/questions/announced_body.hpp"
#include "gateway/steps/steps.hpp"
#include "gateway/steps/walk.hpp"
#include "look.hpp"

#include "headgate/core/json_text.hpp"
#include "headgate/gateway/key_source.hpp"
#include "headgate/http/named_values.hpp"
#include "headgate/http/path.hpp"
#include "headgate/http/request_rules.hpp"
#include "headgate/limit/unit_text.hpp"

#include <algorithm>
#include <charconv>
#include <span>

namespace headgate::gateway {
namespace {

/// The request that the caller asks about. Its views point into itself and into the usage request.
struct HypotheticalRequest {
  std::string method;
  std::string target;
  std::string route;
  std::string query;
  Exchange x;
  AnnouncedBody body{x.request.framing};
};

Problem not_understood(std::string_view detail) {
  return {.status = 400, .ended_by = EndedBy::bad_request, .detail = detail};
}

/// Reads the query parameter `name` into `out`, which stays unchanged if there is none. Returns false if the parameter
/// cannot be decoded.
bool read(const Exchange& x, std::string_view name, std::string& out) {
  const auto written = http::query_parameter(x.request.query, name);
  return !written.twice && (written.value.empty() || http::decode_parameter(written.value, out));
}

/// Fills `asked` from the usage request and its parameters `path`, `route` and `method`. Without a path the target
/// stays empty.
std::optional<Problem> read(const Exchange& x, HypotheticalRequest& asked) {
  if (!read(x, "path", asked.target) || !read(x, "route", asked.route) || !read(x, "method", asked.method))
    return not_understood(
        "A parameter is not encoded correctly, or occurs twice: use \"path\", \"route\" and \"method\" at most once.");
  if (!asked.target.empty() && !asked.route.empty())
    return not_understood("Give the parameter \"path\" or \"route\", not both.");
  if (asked.target.empty() && asked.route.empty()) return {};
  asked.x.copy_request(x);
  asked.x.request.fields = x.request.fields;
  asked.x.body = &asked.body;
  asked.x.snapshot = x.snapshot;
  auto& request = asked.x.request;
  request.method = asked.method.empty() ? std::string_view("GET") : std::string_view(asked.method);
  if (!http::is_token(request.method))
    return not_understood("The parameter \"method\" must be the name of a method, such as GET.");
  if (const auto refused = http::refused_method(request.method)) return problem_of_head(refused->status, refused->why);
  request.framing = {};
  request.upgrade = {};
  if (asked.target.empty()) return {};
  const auto end = std::min(asked.target.find('?'), asked.target.size());
  const auto path = std::string_view(asked.target).substr(0, end);
  // The query of the usage request may contain a credential, so it is appended to the query of the other request.
  const auto own = x.request.query.substr(std::min<std::size_t>(1, x.request.query.size()));
  asked.query = asked.target.substr(end).empty() ? std::string("?") : asked.target.substr(end) + '&';
  asked.query.append(own);
  request.query = asked.query;
  if (!path.starts_with('/') || !http::valid_query(asked.target.substr(end)))
    return not_understood("The parameter path begins with a slash.");
  const auto kind = http::normalise_path(path, request.path, request.path_sent);
  if (kind == http::PathKind::refused) return not_understood("The parameter path is no path.");
  request.hides_slash = kind == http::PathKind::hides_slash;
  return {};
}

/// Returns whether the request that the caller asks about would be refused for a reason other than a limit. The usage
/// request is then refused in the same way.
bool not_about_limits(const Problem& problem) {
  switch (problem.ended_by) {
    case EndedBy::no_route:
    case EndedBy::auth:
    case EndedBy::bad_request:
    case EndedBy::too_large:
      return true;
    default:
      return problem.status < 400;
  }
}

/// Returns whether a route with this host and these methods matches `host` and `method`, whatever the path.
bool takes(const RouteOptions& options, const std::vector<std::string>& methods, std::string_view host,
           std::string_view method) {
  const Route any;
  Router router;
  router.add(options.host, "/*", methods, &any);
  return router.find(host, "/", method).route != nullptr;
}

/// Sets the route by its name, for the host of the usage request. A route of another host is reported as unknown, so
/// that callers do not learn that it exists.
std::optional<Problem> name_route(const CompiledConfig& compiled, HypotheticalRequest& asked) {
  const auto& host = asked.x.request.host;
  const auto& by_name = compiled.usage()->by_name;
  const auto before = [](const Route* route, const std::string& name) { return route->name < name; };
  auto at = std::lower_bound(by_name.begin(), by_name.end(), asked.route, before);
  for (; at != by_name.end() && (*at)->name == asked.route; ++at) {
    const auto* const route = *at;
    const auto& options = compiled.options().routes[route->number];
    if (!takes(options, {}, host, "GET")) continue;
    if (asked.method.empty() && !options.methods.empty()) asked.x.request.method = options.methods.front();
    if (!asked.method.empty() && !takes(options, options.methods, host, asked.method)) continue;
    asked.x.route = route;
    return {};
  }
  return Problem{.status = 404, .ended_by = EndedBy::no_route, .detail = "There is no such route here."};
}

/// Returns whether the key can be found without a path.
bool needs_no_path(const limit::Limit& limit) {
  const auto has_parameter = [](const std::vector<limit::Per>& per) {
    return std::ranges::any_of(per, [](const auto& part) { return part.source->needs == Needs::path_parameter; });
  };
  return !has_parameter(limit.per) && std::ranges::none_of(limit.if_absent.instead, has_parameter);
}

/// Returns `problem` of the exchange `from` as a problem of `x`, with copied texts.
Problem of(Exchange& x, const Exchange& from, Problem problem) {
  for (auto* const text : {&problem.detail, &problem.limit, &problem.challenge, &problem.location})
    *text = x.text.join({*text});
  x.allowed_methods = from.allowed_methods;
  return problem;
}

class UsageText {
 public:
  explicit UsageText(std::string& out) : out_(out) {}
  void text(std::string_view name, std::string_view value) {
    key(name);
    out_ += '"';
    append_json_text(out_, value);
    out_ += '"';
  }
  void number(std::string_view name, std::uint64_t value) {
    key(name);
    out_ += std::to_string(value);
  }
  void flag(std::string_view name, bool value) {
    key(name);
    out_ += value ? "true" : "false";
  }
  /// Begins an object, so that no comma is written before its next member.
  void first() { fresh_ = true; }

 private:
  void key(std::string_view name) {
    out_.append(fresh_ ? "\"" : ", \"").append(name).append("\": ");
    fresh_ = false;
  }
  std::string& out_;
  bool fresh_ = true;
};

std::uint64_t whole_seconds(Duration duration) { return duration > Duration(0) ? seconds_up(duration) : 0; }

void append_rule(const LimitState& state, const RuleState& rule, std::string& out) {
  UsageText json(out);
  json.text("name", state.name);
  if (!state.tier.empty()) json.text("tier", state.tier);
  json.text("rate", rule.rate);
  if (state.unit != limit::Unit::request) json.text("unit", limit::to_text(state.unit));
  if (!state.currency.empty()) json.text("currency", state.currency);
  if (state.shards > 1) json.number("one_of_shards", state.shards);
  if (!rule.balance) {
    json.number("limit", rule.limit);
    json.number("used", rule.used());
  }
  json.number("remaining", rule.remaining);
  if (!rule.balance) json.number("reset", whole_seconds(rule.reset_after));
  json.number("cost", static_cast<std::uint64_t>(std::max<std::int64_t>(0, state.cost)));
  json.flag("allowed", rule.allowed);
  if (!rule.allowed && rule.retry_after < limit::kNever) json.number("retry_after", seconds_up(rule.retry_after));
}

/// Appends one object for each rule, and one for each limit that does not restrict the caller.
void append_limits(const std::vector<LimitState>& states, std::string& out) {
  const char* before = "\n    { ";
  for (const auto& state : states) {
    if (!state.own_key || state.observed) continue;
    if (state.applies == LimitState::Applies::unlimited || state.applies == LimitState::Applies::exempt) {
      out += before;
      UsageText json(out);
      json.text("name", state.name);
      if (!state.tier.empty()) json.text("tier", state.tier);
      json.flag("unlimited", true);
      out += " }";
      before = ",\n    { ";
    }
    for (const auto& rule : state.rules) {
      out += before;
      append_rule(state, rule, out);
      out += " }";
      before = ",\n    { ";
    }
  }
}

/// Identifies the caller for the named route, as for a request to it.
MaybeProblem identify_for_usage(Path& path, Exchange& x) {
  x.admission.peek = true;
  Walk walk(path, x, kIdentifying);
  walk.next();  // The steps that identify a caller never wait, so one call runs them all.
  return walk.problem();
}

}  // namespace

Task<MaybeProblem> tell_usage(Path& path, Exchange& x, RejectionHeaders style) {
  const auto asked = std::make_unique<HypotheticalRequest>();
  if (const auto problem = read(x, *asked)) co_return problem;
  const bool about_path = !asked->target.empty();
  const bool about_route = !asked->route.empty();
  MaybeProblem problem;
  if (about_route) {
    problem = name_route(*x.snapshot->compiled, *asked);
    if (!problem) problem = identify_for_usage(path, asked->x);
    if (problem) co_return of(x, asked->x, *problem);
  }
  if (about_path) {
    auto steps = look(path, asked->x);
    problem = co_await steps;
    if (problem && not_about_limits(*problem)) co_return of(x, asked->x, *problem);
  }
  std::vector<const RouteLimit*> wanted;
  const bool as_asked = asked->x.route != nullptr;
  std::span<const RouteLimit> all;
  if (as_asked)
    all = asked->x.route->plan;
  else if (const auto* const usage = x.snapshot->compiled->usage())
    all = usage->limits;
  for (const auto& route_limit : all)
    if (route_limit.stage != Stage::no_request && route_limit.limit->mode == limit::Mode::enforce &&
        is_own_key(*route_limit.limit) && (!about_route || needs_no_path(*route_limit.limit)))
      wanted.push_back(&route_limit);
  auto look =
      limit_states(as_asked ? asked->x : x, wanted, {path.services.memory, path.services.clock, path.shard_turns});
  const auto states = co_await look;
  Respond answer{.status = 200, .body = "{", .content_type = {}};
  if (about_path) {
    answer.body += "\n  ";
    UsageText json(answer.body);
    json.flag("allowed", !problem);
    if (problem) json.text("ended_by", to_text(problem->ended_by));
    if (problem && !problem->limit.empty()) json.text("by", problem->limit);
    if (problem && problem->retry_after > 0) json.number("retry_after", problem->retry_after);
    answer.body += ",";
  }
  answer.body += "\n  \"limits\": [";
  append_limits(states, answer.body);
  answer.body += answer.body.ends_with('[') ? "]" : "\n  ]";
  if (states.size() < wanted.size()) answer.body += ",\n  \"more\": true";
  answer.body += "\n}\n";
  x.fields.push_back({http::Known::content_type, "Content-Type", "application/json"});
  x.fields.push_back({http::Known::cache_control, "Cache-Control", "no-store"});
  auto sent = respond<AnswerFrom::gateway>(x, answer, style);
  co_return co_await sent;
}

}  // namespace headgate::gateway
