// What a route needs of its auth service: where it is, and which fields of its answers somebody asks for.

#include "headgate/core/text.hpp"
#include "headgate/gateway/compiled_config.hpp"
#include "headgate/gateway/each_per.hpp"
#include "headgate/gateway/key_source.hpp"
#include "headgate/gateway/route_edits.hpp"

#include <algorithm>
#include <memory>
#include <utility>

namespace headgate::gateway {

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
    // Which of them it is may be known only after the service has answered.
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

}  // namespace headgate::gateway
