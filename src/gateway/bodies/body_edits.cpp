#include "body_edits.hpp"

#include "body_values.hpp"

#include "headgate/core/json_text.hpp"
#include "headgate/gateway/cost_source.hpp"
#include "headgate/gateway/exchange.hpp"
#include "headgate/usage/provider.hpp"

#include <algorithm>
#include <functional>
#include <span>
#include <utility>

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

std::string in_json(std::string_view text) {
  std::string out = "\"";
  append_json_text(out, text);
  return out += '"';
}

/// The changes of one body. Several limits may want the same change, which is made once.
class Edits {
 public:
  explicit Edits(const BodyValues& values) : values_(values) {}

  void replace(const scan::Found& found, std::string text) {
    const auto at = found.at + values_.added();
    const auto same = [&](const BodyEdit& each) { return each.at == at; };
    if (std::ranges::none_of(out_, same)) out_.push_back({at, found.size, std::move(text)});
  }
  /// Adds a member at the beginning of the outermost object.
  void add(std::string_view member, std::int64_t number) {
    auto text = in_json(member) + ':' + std::to_string(number);
    if (std::ranges::find(members_, text) == members_.end()) members_.push_back(std::move(text));
  }
  /// Returns the changes from the last place to the first.
  std::vector<BodyEdit> take(std::string_view bytes) {
    add_members(bytes);
    std::ranges::sort(out_, std::ranges::greater(), &BodyEdit::at);
    return std::move(out_);
  }

 private:
  void add_members(std::string_view bytes) {
    constexpr std::string_view kBlanks = " \t\r\n";
    const auto brace = bytes.find_first_not_of(kBlanks);
    if (members_.empty() || brace == bytes.npos || bytes[brace] != '{') return;
    std::string text;
    for (const auto& each : members_) text += (text.empty() ? "" : ",") + each;
    const auto next = bytes.find_first_not_of(kBlanks, brace + 1);
    if (next != bytes.npos && bytes[next] != '}') text += ',';
    out_.push_back({brace + 1, 0, std::move(text)});
  }

  const BodyValues& values_;
  std::vector<std::string> members_;
  std::vector<BodyEdit> out_;
};

void clamp(const BodyValues& values, const Cost& cost, std::int64_t number, Edits& out) {
  const auto places = places_of(values.plan(), cost);
  const auto found_at = [&](std::size_t index) -> const scan::Found& { return values.request().found(index); };
  bool any = false;
  for (const auto index : places) {
    const auto& found = found_at(index);
    any = any || is_set(found);
    if (found.kind == Kind::number && found.number > number) out.replace(found, std::to_string(number));
  }
  if (any) return;
  const auto null = std::ranges::find_if(places, [&](std::size_t index) { return found_at(index).kind == Kind::null; });
  if (null != places.end())
    out.replace(found_at(*null), std::to_string(number));
  else
    out.add(member_to_add(values, cost), number);
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

bool can_change_model(const Exchange& x) noexcept {
  if (!x.bodies || x.bodies->request_state() != BodyState::read) return false;
  const auto& values = *x.bodies;
  return values.is_json() && !values.is_ambiguous() && values.request().found(values.plan().model).kind == Kind::text;
}

std::vector<BodyEdit> body_edits(const Exchange& x, std::string_view bytes) {
  Edits out(*x.bodies);
  if (x.clamped > 0)
    for (const auto& each : x.route->plan)
      if (can_clamp(x, each.cost)) clamp(*x.bodies, each.cost, x.clamped, out);
  if (!x.route->model.empty() && can_change_model(x))
    out.replace(x.bodies->request().found(x.bodies->plan().model), in_json(x.route->model));
  return out.take(bytes);
}

}  // namespace headgate::gateway
