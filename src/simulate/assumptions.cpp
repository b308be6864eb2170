#include "headgate/simulate/assumptions.hpp"

#include "headgate/core/json_text.hpp"
#include "headgate/core/literals.hpp"
#include "headgate/core/text.hpp"
#include "headgate/http/fields.hpp"

#include <algorithm>
#include <array>
#include <unordered_map>
#include <unordered_set>

namespace headgate::simulate {
namespace {

constexpr std::array<std::string_view, 6> kBegins{"jwt.",   "api_key.owner", "api_key.tier",
                                                  "group:", "basic.user",    "header:"};
constexpr const char* kAsHelp = "write \"jwt.plan=free\", \"api_key.owner=acme\" or \"header:X-Tenant=acme\"";
constexpr const char* kMapHelp = "write \"jwt.sub=remote_user\": the name of a field of the log is behind the '='";

bool is_field_name(std::string_view name) noexcept {
  return !name.empty() && std::ranges::all_of(name, [](char c) {
    return (c >= '0' && c <= '9') || (lower(c) >= 'a' && lower(c) <= 'z') || c == '-' || c == '_';
  });
}

bool is_field_value(std::string_view value) noexcept {
  return std::ranges::none_of(value, [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; });
}

}  // namespace

std::string Assumption::sentence() const {
  if (what == What::tls) return "each request came over TLS";
  std::string out = "each request ";
  if (what == What::claim) out += "has the claim " + name;
  if (what == What::key_owner) out += "has an API key of";
  if (what == What::key_tier) out += "has an API key of the tier";
  if (what == What::key_group) out += "has an API key with the group " + name;
  if (what == What::user) out += "is of the user";
  if (what == What::field) out += "has the field " + name;
  const bool named = what == What::claim || what == What::field || what == What::key_group;
  if (from == From::text) return out + (named ? ": " : " ") + value;
  return out + (named ? ", which is " : " ") + "what the log has as " + value;
}

Result<Assumption, TextFault> parse_assumption(std::string_view text, Assumption::From from) {
  const std::string help = from == Assumption::From::text ? kAsHelp : kMapHelp;
  Assumption out;
  out.from = from;
  if (text == "tls" && from == Assumption::From::text) {
    out.what = Assumption::What::tls;
    return out;
  }
  const auto equals = text.find('=');
  if (equals == std::string_view::npos) return TextFault{text.size(), 1, "'=' is missing", help};
  const auto name = text.substr(0, equals);
  out.value = text.substr(equals + 1);
  if (out.value.empty() && from == Assumption::From::arrival)
    return TextFault{equals + 1, 1, "the name of a field of the log is missing", help};
  if (name.starts_with("jwt.") && name.size() > 4) {
    out.name = name.substr(4);
  } else if (name == "api_key.owner") {
    out.what = Assumption::What::key_owner;
  } else if (name == "api_key.tier") {
    out.what = Assumption::What::key_tier;
  } else if (name.starts_with("group:") && identity::is_group_name(name.substr(6))) {
    out.what = Assumption::What::key_group;
    out.name = name.substr(6);
  } else if (name == "basic.user") {
    out.what = Assumption::What::user;
  } else if (name.starts_with("header:") && is_field_name(name.substr(7))) {
    out.what = Assumption::What::field;
    out.name = name.substr(7);
    if (same_word(out.name, "host")) return TextFault{0, equals, "the host is that of the log", help};
  } else {
    const auto near = nearest(name.substr(0, name.find_first_of(".:") + 1), kBegins);
    return TextFault{0, std::max<std::size_t>(equals, 1), "\"" + std::string(name) + "\" cannot be assumed",
                     near.empty() ? help : "it begins with jwt., api_key., group:, basic. or header:; " + help};
  }
  if (out.what != Assumption::What::claim && !is_field_value(out.value))
    return TextFault{equals + 1, out.value.size(), "a control character cannot stand in it", help};
  return out;
}

/// Values to which requests under way refer.
struct AssumedArrivals::StoredValues {
  std::unordered_set<std::string> claims;
  std::unordered_map<std::string, identity::ApiKeyRecord> keys;  ///< by owner, tier and groups
  std::unordered_set<std::string> users;
  bool has_claims = false;
  bool has_key = false;
  bool has_user = false;
  bool has_fields = false;
  bool tls = false;
};

AssumedArrivals::AssumedArrivals(engine::Arrivals& from, const std::vector<Assumption>& assumptions, Value value,
                                 const identity::ApiKeys& known)
    : from_(from),
      assumptions_(assumptions),
      value_(std::move(value)),
      known_(known),
      kept_(std::make_unique<StoredValues>()) {
  for (const auto& each : assumptions_) {
    kept_->has_claims = kept_->has_claims || each.what == Assumption::What::claim;
    kept_->has_user = kept_->has_user || each.what == Assumption::What::user;
    kept_->has_fields = kept_->has_fields || each.what == Assumption::What::field;
    kept_->tls = kept_->tls || each.what == Assumption::What::tls;
    kept_->has_key = kept_->has_key || each.what == Assumption::What::key_owner ||
                     each.what == Assumption::What::key_tier || each.what == Assumption::What::key_group;
  }
}

AssumedArrivals::~AssumedArrivals() = default;

std::string_view AssumedArrivals::text_of(std::size_t assumption) const {
  const auto& each = assumptions_[assumption];
  return each.from == Assumption::From::text ? std::string_view(each.value) : value_(assumption);
}

const engine::RequestArrival* AssumedArrivals::next() {
  const auto* const arrival = from_.next();
  if (arrival == nullptr) return nullptr;
  arrival_ = *arrival;
  arrival_.tls = arrival_.tls || kept_->tls;
  if (kept_->has_claims) assume_claims();
  if (kept_->has_key) assume_key();
  if (kept_->has_user) assume_user();
  if (kept_->has_fields) assume_fields();
  return &arrival_;
}

// Assumes the values that the arrival has. Without a value for a claim, the caller has no token; without an owner, it
// has no key.
void AssumedArrivals::assume_claims() {
  text_ = "{";
  for (std::size_t i = 0; i < assumptions_.size(); ++i) {
    if (assumptions_[i].what != Assumption::What::claim) continue;
    const auto value = text_of(i);
    if (value.empty()) continue;
    text_ += text_.size() > 1 ? ",\"" : "\"";
    append_json_text(text_, assumptions_[i].name);
    text_ += "\":\"";
    append_json_text(text_, value);
    text_ += '"';
  }
  if (text_.size() == 1) return;
  text_ += '}';
  auto found = kept_->claims.find(text_);
  if (found == kept_->claims.end()) found = kept_->claims.insert(text_).first;
  arrival_.assumed.claims = *found;
}

void AssumedArrivals::assume_key() {
  std::string_view owner;
  std::string_view tier;
  text_.clear();
  for (std::size_t i = 0; i < assumptions_.size(); ++i) {
    const auto what = assumptions_[i].what;
    if (what == Assumption::What::key_owner) owner = text_of(i);
    if (what == Assumption::What::key_tier) tier = text_of(i);
    if (what == Assumption::What::key_group) text_.append(text_of(i));
    if (what == Assumption::What::key_group) text_ += '\n';
  }
  const bool grouped = text_.find_first_not_of('\n') != text_.npos;
  if (owner.empty() && tier.empty() && !grouped) return;
  text_.append(owner).append("\n").append(tier);
  auto found = kept_->keys.find(text_);
  if (found == kept_->keys.end()) {
    identity::ApiKeyRecord record;
    if (const auto* const known = known_.of_owner(owner, arrival_.at)) record = *known;
    record.owner = owner.empty() ? std::string_view("assumed") : owner;
    if (!tier.empty()) record.tier = tier;
    assume_groups(record);
    found = kept_->keys.emplace(text_, std::move(record)).first;
  }
  arrival_.assumed.key = &found->second;
}

void AssumedArrivals::assume_groups(identity::ApiKeyRecord& record) const {
  for (std::size_t i = 0; i < assumptions_.size(); ++i) {
    const auto& each = assumptions_[i];
    if (each.what != Assumption::What::key_group || !identity::is_group_value(text_of(i))) continue;
    std::erase_if(record.groups, [&](const auto& group) { return group.first == each.name; });
    record.groups.emplace_back(each.name, text_of(i));
  }
}

void AssumedArrivals::assume_user() {
  for (std::size_t i = 0; i < assumptions_.size(); ++i) {
    if (assumptions_[i].what != Assumption::What::user) continue;
    if (const auto user = text_of(i); !user.empty()) arrival_.assumed.user = *kept_->users.emplace(user).first;
  }
}

void AssumedArrivals::assume_fields() {
  fields_.assign(arrival_.fields.begin(), arrival_.fields.end());
  for (std::size_t i = 0; i < assumptions_.size(); ++i) {
    if (assumptions_[i].what != Assumption::What::field) continue;
    const std::string_view name = assumptions_[i].name;
    std::erase_if(fields_, [&](const auto& field) { return same_word(field.name, name); });
    if (const auto value = text_of(i); !value.empty()) fields_.push_back({http::known_field(name), name, value});
  }
  arrival_.fields = fields_;
}

}  // namespace headgate::simulate
