#include "headgate/identity/key_record.hpp"

#include "headgate/core/hex.hpp"
#include "headgate/core/json_text.hpp"
#include "headgate/core/moment_text.hpp"
#include "headgate/identity/api_keys.hpp"
#include "headgate/identity/expiry.hpp"

#include <algorithm>

namespace headgate::identity {
namespace {

constexpr std::size_t kIdDigits = 16;

void append_text(std::string& out, std::string_view text) {
  out += '"';
  append_json_text(out, text);
  out += '"';
}

void append_member(std::string& out, std::string_view name, std::string_view value) {
  out += out.size() > 2 ? ", " : "";
  append_text(out, name);
  out += ": ";
  append_text(out, value);
}

/// Formats a time. The end of the year 9999 cannot be written as a time, so a key that expires then gets the date
/// 9999-12-31.
std::string date_text(Instant moment) {
  constexpr Instant kLast = std::chrono::sys_days(std::chrono::year(10000) / 1 / 1);
  return moment >= kLast ? "9999-12-31" : moment_text(moment);
}

void append_list(std::string& out, const std::vector<std::string>& all) {
  out += '[';
  for (const auto& each : all) {
    if (&each != &all.front()) out += ", ";
    append_text(out, each);
  }
  out += ']';
}

void append_override(std::string& out, const RateOverride& own) {
  append_text(out, own.limit);
  out += ": ";
  if (own.rates.empty()) {
    append_text(out, "unlimited");
    return;
  }
  std::vector<std::string> rates;
  std::transform(own.rates.begin(), own.rates.end(), std::back_inserter(rates),
                 [](const Rate& rate) { return to_text(rate); });
  out += R"({"rate": )";
  append_list(out, rates);
  if (own.burst) out += R"(, "burst": )" + std::to_string(*own.burst);
  out += '}';
}

}  // namespace

std::string id_of(const Sha256& digest) { return hex(digest).substr(0, kIdDigits); }

bool is_id(std::string_view text) noexcept {
  return text.size() == kIdDigits && text.find_first_not_of(kHexDigits) == text.npos;
}

Sha256 named_by(std::string_view id) noexcept {
  Sha256 out{};
  if (is_id(id)) (void)read_hex(id, std::span(out).first<kIdDigits / 2>());
  return out;
}

bool same_id(const Sha256& a, const Sha256& b) noexcept {
  return std::equal(a.begin(), a.begin() + kIdDigits / 2, b.begin());
}

std::string record_text(const ApiKeyRecord& record) {
  std::string out = "{ ";
  append_member(out, "sha256", hex(record.digest));
  append_member(out, "owner", record.owner);
  if (!record.tier.empty()) append_member(out, "tier", record.tier);
  if (!record.tags.empty()) {
    out += R"(, "tags": )";
    append_list(out, record.tags);
  }
  if (!record.groups.empty()) {
    out += R"(, "groups": {)";
    for (const auto& [name, value] : record.groups) {
      if (&name != &record.groups.front().first) out += ", ";
      append_text(out, name);
      out += ": ";
      append_text(out, value);
    }
    out += '}';
  }
  if (record.expires) append_member(out, "expires", date_text(*record.expires));
  if (record.disabled && !record.revoked) out += R"(, "disabled": true)";
  if (!record.overrides.empty()) {
    out += R"(, "limits": {)";
    for (const auto& each : record.overrides) {
      if (&each != &record.overrides.front()) out += ", ";
      append_override(out, each);
    }
    out += '}';
  }
  if (record.issued) append_member(out, "issued", date_text(*record.issued));
  if (record.revoked) append_member(out, "revoked", date_text(*record.revoked));
  return out + " }";
}

std::string revoked_text(const ApiKeyRecord& record) { return R"("revoked": ")" + date_text(*record.revoked) + '"'; }

std::optional<ApiKeyRecord> read_record(std::string_view text) {
  if (text.size() > kLongestRecord) return std::nullopt;
  auto read = read_api_keys(R"({"keys": [)" + std::string(text) + "]}");
  if (read.has_error() || read->size() != 1) return std::nullopt;
  return std::move(read->front());
}

ApiKeyRecord revoked_at(const ApiKeyRecord& record, Instant now) {
  ApiKeyRecord out = record;
  out.overrides.clear();
  out.disabled = true;
  if (!out.revoked) out.revoked = std::chrono::floor<std::chrono::seconds>(now);
  return out;
}

bool is_past(const ApiKeyRecord& record, Instant now) noexcept {
  return record.issued && record.expires && now - *record.expires >= kRemembersExpired;
}

}  // namespace headgate::identity
