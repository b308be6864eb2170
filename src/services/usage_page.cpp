#include "headgate/services/usage_page.hpp"

#include "headgate/core/hash.hpp"
#include "headgate/core/hex.hpp"
#include "headgate/core/json_text.hpp"
#include "headgate/core/moment_text.hpp"
#include "headgate/core/utf8.hpp"
#include "headgate/gateway/key_source.hpp"
#include "headgate/limit/unit_text.hpp"
#include "headgate/services/written_key.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <charconv>

namespace headgate::services {
namespace {

constexpr std::string_view kCursorVersion = "1.";
constexpr char kFirstPrintable = ' ';  // a key that replaces a missing one begins with a byte below this

/// Returns a text that identifies the report of a question, so that a cursor is only used with its own report.
std::string report_text(const UsageQuestion& question) {
  return std::to_string(stable_hash(day_text(question.day) + ' ' + question.limit) % 1'000'000'007);
}

unsigned char* bytes_of(std::string& text) { return reinterpret_cast<unsigned char*>(text.data()); }

bool is_utf8(std::string_view text) noexcept {
  for (std::size_t at = 0; at < text.size();) {
    const auto length = character_length(text, at);
    if (length == 0) return false;
    at += length;
  }
  return true;
}

/// Appends a key as a JSON string. A key may have any bytes: in a key that is not UTF-8, each byte becomes a character
/// of its own.
void append_json_string(std::string& out, std::string_view text) {
  if (is_utf8(text)) {
    out += nlohmann::json(text).dump();
    return;
  }
  out += '"';
  append_json_text(out, text);
  out += '"';
}

std::vector<std::string_view> parts_of(std::string_view key) {
  std::vector<std::string_view> out;
  for (;;) {
    const auto bar = key.find('|');
    out.push_back(key.substr(0, bar));
    if (bar == std::string_view::npos) return out;
    key.remove_prefix(bar + 1);
  }
}

/// Undoes the escapes of a key with several parts: "%7C" for a bar, "%25" for a percent sign.
std::string without_escapes(std::string_view part) {
  std::string out;
  for (std::size_t at = 0; at < part.size(); ++at) {
    const auto three = part.substr(at, 3);
    if (three == "%7C" || three == "%25") {
      out += three == "%25" ? '%' : '|';
      at += 2;
    } else {
      out += part[at];
    }
  }
  return out;
}

}  // namespace

std::string cursor_text(const UsageQuestion& question, const UsagePosition& at) {
  std::string text(kCursorVersion);
  text += report_text(question);
  text += '.';
  text += std::to_string(at.bucket);
  text += '.';
  text += at.field;
  return hex({bytes_of(text), text.size()});  // users copy a cursor into a query, where hex digits need no escapes
}

std::optional<UsagePosition> read_cursor(const UsageQuestion& question, std::string_view text) {
  std::string written(text.size() / 2, '\0');
  if (!read_hex(text, {bytes_of(written), written.size()})) return std::nullopt;
  std::string_view rest = written;
  const auto head = std::string(kCursorVersion) + report_text(question) + '.';
  if (!rest.starts_with(head)) return std::nullopt;
  rest.remove_prefix(head.size());
  UsagePosition out;
  const auto [stop, error] = std::from_chars(rest.data(), rest.data() + rest.size(), out.bucket);
  rest.remove_prefix(static_cast<std::size_t>(stop - rest.data()));
  if (error != std::errc() || out.bucket >= limit::kBuckets || !rest.starts_with('.')) return std::nullopt;
  out.field = rest.substr(1);
  return out;
}

std::string owner_of(const config::Config& config, std::string_view limit, std::string_view key) {
  if (!config.identity.api_key.any_known() || key.empty() || key.front() < kFirstPrintable) return {};
  const auto named = std::ranges::find_if(config.limits, [&](const limit::Limit& each) { return each.name == limit; });
  if (named == config.limits.end()) return {};
  const auto& per = named->per;
  const auto owned = std::ranges::find_if(per, [](const limit::Per& each) { return each.source->word == "api_key"; });
  if (owned == per.end()) return {};
  if (per.size() == 1) return std::string(key);
  const auto parts = parts_of(key);  // a key that was too long is stored as a digest, which has one part
  return parts.size() == per.size() ? without_escapes(parts[static_cast<std::size_t>(owned - per.begin())])
                                    : std::string();
}

std::string unit_of(const config::Config& config, std::string_view limit) {
  const auto named = std::ranges::find_if(config.limits, [&](const limit::Limit& each) { return each.name == limit; });
  const bool counts_requests = named == config.limits.end() || named->unit == limit::Unit::request;
  return counts_requests ? std::string() : std::string(limit::to_text(named->unit));
}

void UsagePage::take(std::vector<limit::LedgerBucket>&& buckets) {
  const auto& after = question_.after;
  for (auto& bucket : buckets) {
    bucket_ = bucket.number + 1;
    for (auto& [field, use] : bucket.uses) {
      if (bucket.number == after.bucket && !after.field.empty() && field <= after.field) continue;
      const auto named = limit::read_ledger_field(field);
      if (!named || (!question_.limit.empty() && named->limit != question_.limit)) continue;
      if (lacks() == 0) return;
      records_.push_back({bucket.number, std::move(field), use});
    }
  }
}

std::string UsagePage::lines(const config::Config& config, bool complete) const {
  const auto day = day_text(question_.day);
  std::string out;
  for (const auto& record : records_) {
    const auto named = *limit::read_ledger_field(record.field);
    out += R"({"day":")";
    out += day;
    out += R"(","limit":)";
    append_json_string(out, named.limit);
    out += R"(,"key":)";
    append_json_string(out, written_key(config, named.limit, named.key));
    if (const auto owner = owner_of(config, named.limit, named.key); !owner.empty()) {
      out += R"(,"owner":)";
      append_json_string(out, owner);
    }
    if (const auto unit = unit_of(config, named.limit); !unit.empty()) out += R"(,"unit":")" + unit + '"';
    out += R"(,"used":)";
    out += std::to_string(record.use.used);
    out += R"(,"requests":)";
    out += std::to_string(record.use.requests);
    out += complete ? R"(,"complete":true,"cursor":")" : R"(,"complete":false,"cursor":")";
    out += cursor_text(question_, {record.bucket, record.field});
    out += "\"}\n";
  }
  return out;
}

}  // namespace headgate::services
