#include "clamped_body.hpp"

#include "body_values.hpp"

#include "headgate/core/json_text.hpp"
#include "headgate/gateway/cost_source.hpp"
#include "headgate/gateway/exchange.hpp"
#include "headgate/usage/provider.hpp"

#include <algorithm>
#include <span>

namespace headgate::gateway {
namespace {

using Kind = scan::Found::Kind;

/// Returns the indexes of the pointers at which the hold finds the maximum.
std::span<const std::size_t> places_of(const BodyPlan& plan, const Cost& cost) noexcept {
  if (!cost.hold.pointer.empty()) return {&cost.hold.at, 1};
  return usage::most_places(*plan.provider);
}

bool is_set(const scan::Found& found) noexcept { return found.kind != Kind::absent && found.kind != Kind::null; }

/// Returns the member that sets the maximum in a request without one; "" if none can be added.
std::string_view member_to_add(const BodyValues& values, const Cost& cost) noexcept {
  const auto& plan = values.plan();
  if (!cost.hold.pointer.empty()) {
    const auto& steps = plan.request.pointer(cost.hold.at).steps;
    const bool object = values.request().found(plan.root).kind == Kind::structure && values.request().elements() == 0;
    return object && steps.size() == 1 ? std::string_view(steps.front()) : std::string_view();
  }
  for (const auto& each : plan.most_members)
    if (values.request().found(each.beside).kind == Kind::text) return each.member;
  return {};
}

/// Returns the edit that adds a member to the outermost object; without an object, an edit that changes nothing.
BodyEdit added(std::string_view bytes, std::string_view member, std::int64_t number) {
  constexpr std::string_view kBlanks = " \t\r\n";
  const auto brace = bytes.find_first_not_of(kBlanks);
  if (brace == bytes.npos || bytes[brace] != '{') return {};
  const auto next = bytes.find_first_not_of(kBlanks, brace + 1);
  std::string text = "\"";
  append_json_text(text, member);
  text += "\":" + std::to_string(number);
  if (next != bytes.npos && bytes[next] != '}') text += ',';
  return {brace + 1, 0, std::move(text)};
}

void append_edits(const BodyValues& values, const Cost& cost, std::int64_t number, std::string_view bytes,
                  std::vector<BodyEdit>& out) {
  const auto places = places_of(values.plan(), cost);
  const auto found_at = [&](std::size_t index) -> const scan::Found& { return values.request().found(index); };
  const auto replace = [&](const scan::Found& found) {
    out.push_back({found.at + values.added(), found.size, std::to_string(number)});
  };
  bool any = false;
  for (const auto index : places) {
    const auto& found = found_at(index);
    any = any || is_set(found);
    if (found.kind == Kind::number && found.number > number) replace(found);
  }
  if (any) return;
  const auto null = std::ranges::find_if(places, [&](std::size_t index) { return found_at(index).kind == Kind::null; });
  if (null != places.end())
    replace(found_at(*null));
  else
    out.push_back(added(bytes, member_to_add(values, cost), number));
}

}  // namespace

bool can_clamp(const Exchange& x, const Cost& cost) noexcept {
  if (!cost.hold.clamp || !x.bodies || x.bodies->request_state() != BodyState::read) return false;
  const auto& values = *x.bodies;
  if (!values.is_json() || values.is_ambiguous()) return false;
  const auto& provider = values.plan().provider;
  if (cost.hold.pointer.empty() && !usage::asked_output_in(*provider, values.request()).sure) return false;
  if (!cost.hold.pointer.empty() && provider != nullptr) {
    // Lowering one member is no bound if the server may read another one.
    const auto asked = usage::asked_output_in(*provider, values.request());
    const auto& own = values.request().found(cost.hold.at);
    if (asked.most > 0 && (own.kind != Kind::number || asked.most > own.number)) return false;
  }
  bool any = false;
  for (const auto index : places_of(values.plan(), cost)) {
    const auto& found = values.request().found(index);
    if (is_set(found) && (found.kind != Kind::number || found.number <= 0)) return false;
    any = any || found.kind != Kind::absent;
  }
  return any || !member_to_add(values, cost).empty();
}

std::vector<BodyEdit> clamping_edits(const Exchange& x, std::string_view bytes) {
  std::vector<BodyEdit> out;
  for (const auto& each : x.route->plan)
    if (can_clamp(x, each.cost)) append_edits(*x.bodies, each.cost, x.clamped, bytes, out);
  std::ranges::sort(out, [](const BodyEdit& a, const BodyEdit& b) { return a.at > b.at; });
  const auto same = std::ranges::unique(out, {}, [](const BodyEdit& edit) { return edit.at; });
  out.erase(same.begin(), same.end());
  return out;
}

}  // namespace headgate::gateway
