// Compiles which fields, cookies and credentials of a request the route reads to identify its callers. Each of these
// may appear only once in a request; otherwise the gateway and the server could read different ones. Also compiles the
// auth service and the passwords of the route.

#include "headgate/core/text.hpp"
#include "headgate/gateway/basic/basic_auth.hpp"
#include "headgate/gateway/compiled_config.hpp"
#include "headgate/gateway/cost_source.hpp"
#include "headgate/gateway/each_per.hpp"
#include "headgate/gateway/key_source.hpp"
#include "headgate/gateway/route_edits.hpp"

#include <algorithm>
#include <memory>
#include <utility>

namespace headgate::gateway {
namespace {

void keep_once(std::vector<std::string>& names) {
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
}

}  // namespace

/// Records which credentials and header fields of a request the route reads. If a route splits its requests, it reads
/// what any of its upstreams needs, so that what is read does not depend on which upstream is chosen.
void CompiledConfig::note_reads(Route& route, const RouteOptions& wanted) const {
  Keyed keyed{.limits = {}, .upstreams = {}, .room = nullptr, .split = wanted.split.get()};
  if (route.room) keyed.room = &route.room->options;
  for (const auto& route_limit : route.plan) {
    keyed.limits.push_back(route_limit.limit);
    const auto& exemption = route_limit.ready->exemption;
    if (exemption && !exemption->api_keys.empty()) route.reads.add(Needs::api_key);
    if (const auto& cost = route_limit.cost; cost.from != nullptr && cost.from->callers_write)
      route.counted_headers.push_back(cost.name);
  }
  if (wanted.split) {
    for (const auto& share : wanted.split->shares)
      keyed.upstreams.push_back(&upstreams_[upstream_number(share.upstream)]);
  } else if (!wanted.respond) {
    keyed.upstreams.push_back(&upstreams_[route.upstream]);
  }
  const auto sheds = [&](const auto* upstream) { return upstream->concurrency || upstream->server_queue; };
  const bool may_shed = !wanted.respond && (options_.shedding.loop_lag > Duration(0) ||
                                            std::any_of(keyed.upstreams.begin(), keyed.upstreams.end(), sheds));
  if (may_shed && !options_.shedding.priority_from.empty())
    route.counted_headers.push_back(options_.shedding.priority_from);
  if (wanted.require == Require::jwt || (route.edits && route.edits->reads_token)) route.reads.add(Needs::token);
  if (wanted.require == Require::api_key || identity_.api_key.any_known()) route.reads.add(Needs::api_key);
  note_reads(route, keyed);
}

void CompiledConfig::note_reads(Route& route, const Keyed& keyed) const {
  auto& cookies = route.read_cookies;
  each_per(keyed, [&](const limit::Per& per) {
    const auto needs = per.source->needs;
    if (needs == Needs::field) route.counted_headers.push_back(per.name);
    if (needs == Needs::cookie) cookies.push_back(per.name);
    route.reads.add(needs);
  });
  if (route.room) {
    cookies.push_back(route.room->cookie);
    cookies.push_back(route.room->secure_cookie);
  }
  if (route.reads.has(Needs::api_key) && !identity_.api_key.cookie.empty()) cookies.push_back(identity_.api_key.cookie);
  if (route.reads.has(Needs::token) && identity_.jwt && !identity_.jwt->cookie.empty())
    cookies.push_back(identity_.jwt->cookie);
  keep_once(cookies);
  keep_once(route.counted_headers);
}

bool is_auth_field(std::string_view name) noexcept {
  constexpr std::size_t kLongest = 128;
  return http::is_token(name) && name.size() <= kLongest;
}

std::shared_ptr<const CompiledAuth> CompiledConfig::auth_of(const Route& route, const RouteOptions& wanted) const {
  CompiledAuth out;
  out.options = wanted.auth.get();
  out.upstream = upstream_number(wanted.auth->to);
  if (wanted.auth->fields) out.fields = http::FieldNames(*wanted.auth->fields);
  const auto keep = [&out](std::string_view name) { out.kept.push_back(lower(name)); };
  for (const auto& name : wanted.auth->copy) keep(name);
  for (const auto& name : wanted.auth->copy_to_answer) keep(name);
  Keyed keyed{.limits = {}, .upstreams = {}, .room = nullptr, .split = wanted.split.get()};
  for (const auto& route_limit : route.plan) keyed.limits.push_back(route_limit.limit);
  if (wanted.split) {
    // The answer of the auth service may decide about the upstream, so all upstreams of the split are included.
    for (const auto& share : wanted.split->shares)
      keyed.upstreams.push_back(&upstreams_[upstream_number(share.upstream)]);
  } else if (!wanted.respond) {
    keyed.upstreams.push_back(&upstreams_[route.upstream]);
  }
  each_per(keyed, [&](const limit::Per& per) {
    if (per.source->needs == Needs::service) keep(per.name);
  });
  if (route.edits) {
    for (const auto* const edits :
         {&route.edits->request_fields, &route.edits->response_fields, &route.edits->respond_fields})
      for (const auto& edit : *edits)
        for (const auto& part : edit.value)
          if (part.kind == TextPart::Kind::auth) keep(part.text);
  }
  std::ranges::sort(out.kept);
  out.kept.erase(std::unique(out.kept.begin(), out.kept.end()), out.kept.end());
  return std::make_shared<const CompiledAuth>(std::move(out));
}

std::shared_ptr<const CompiledBasic> compile_basic(const BasicAuth& basic) {
  CompiledBasic out{.options = &basic, .challenge = "Basic realm=\""};
  for (const char c : basic.realm) {
    if (c == '"' || c == '\\') out.challenge += '\\';
    out.challenge += c;
  }
  out.challenge += "\", charset=\"UTF-8\"";  // RFC 7617 section 2.1
  return std::make_shared<const CompiledBasic>(std::move(out));
}

}  // namespace headgate::gateway
