#include "shared_json.hpp"

#include "headgate/core/literals.hpp"
#include "headgate/core/moment_text.hpp"
#include "headgate/core/utf8.hpp"
#include "headgate/services/ban_json.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>
#include <vector>

namespace headgate::admin {
namespace {

using AskedJson = nlohmann::ordered_json;
using limit::Override;

/// Each function returns what is wrong, as a sentence; "" if nothing is.
std::string add_rate(const AskedJson& text, std::vector<Rate>& rates) {
  const auto rate = text.is_string() ? parse_rate(text.get<std::string>())
                                     : Result<Rate, LiteralError>(boost::system::in_place_error, LiteralError{});
  if (rate.has_error())
    return R"("rate" is "500/minute", a list of such, or "unlimited": a count from 1 to )" +
           std::to_string(kMaxRequests) + ", a slash, and a period of at most 366 days.";
  const auto same = [&](const Rate& each) { return each.period == rate->period && each.month == rate->month; };
  if (std::any_of(rates.begin(), rates.end(), same)) return "Two of the rates have the same period.";
  if (rates.size() == Override::kMaxRates) return "A list has at most 8 rates.";
  rates.push_back(*rate);
  return {};
}

std::string read_rates(const AskedJson& asked, Override& out) {
  if (asked.is_string() && asked.get<std::string>() == "unlimited") return {};
  if (!asked.is_array()) return add_rate(asked, out.rates);
  if (asked.empty()) return R"(A list of rates needs at least one; no limit is "unlimited".)";
  for (const auto& each : asked)
    if (auto wrong = add_rate(each, out.rates); !wrong.empty()) return wrong;
  return {};
}

std::string read_burst(const AskedJson& asked, Override& out) {
  const bool whole = asked.is_number_unsigned();
  if (!whole || asked.get<std::uint64_t>() < 1 || asked.get<std::uint64_t>() > kMaxRequests)
    return "\"burst\" must be a whole number from 1 to " + std::to_string(kMaxRequests) + '.';
  out.burst = asked.get<std::uint64_t>();
  return {};
}

std::string read_length(const AskedJson& asked, Override& out) {
  const auto length = asked.is_string() ? parse_duration(asked.get<std::string>())
                                        : Result<Duration, LiteralError>(boost::system::in_place_error, LiteralError{});
  if (length.has_error() || *length <= Duration(0) || *length > kLongestOverride)
    return "\"for\" is a duration of at most 366 days, as in \"1h\".";
  out.until = out.since + *length;
  return {};
}

/// Returns whether the text can be shown in one line of a list.
bool is_line(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const auto length = character_length(text, at);
    const auto byte = static_cast<unsigned char>(text[at]);
    const bool c1 = length == 2 && byte == 0xc2 && static_cast<unsigned char>(text[at + 1]) < 0xa0;
    if (length == 0 || byte < 0x20 || byte == 0x7f || c1) return false;
    at += length;
  }
  return true;
}

std::string read_why(const AskedJson& asked, Override& out) {
  if (!asked.is_string() || asked.get_ref<const std::string&>().size() > Override::kMaxWhy ||
      !is_line(asked.get_ref<const std::string&>()))
    return "\"why\" is a text of at most 200 bytes in one line.";
  out.why = asked.get<std::string>();
  return {};
}

struct Member {
  std::string_view name;
  std::string (*read)(const AskedJson& asked, Override& out);
};
constexpr std::array<Member, 4> kMembers{
    {{"rate", read_rates}, {"burst", read_burst}, {"for", read_length}, {"why", read_why}}};

}  // namespace

Result<limit::Override, std::string> read_override(const std::string& body, Instant now) {
  using Made = Result<Override, std::string>;
  const auto fail = [](std::string why) { return Made(boost::system::in_place_error, std::move(why)); };
  const auto asked = AskedJson::parse(body, nullptr, false);
  if (!asked.is_object() || !asked.contains("rate") || !asked.contains("for"))
    return fail(R"(Send JSON like {"rate": "500/minute", "for": "1h", "why": "launch"}.)");
  Override out;
  out.since = now;
  for (const auto& item : asked.items()) {
    const auto* const member =
        std::find_if(kMembers.begin(), kMembers.end(), [&](const auto& each) { return each.name == item.key(); });
    if (member == kMembers.end()) return fail(R"(The members are "rate", "burst", "for" and "why".)");
    if (auto wrong = member->read(item.value(), out); !wrong.empty()) return fail(std::move(wrong));
  }
  if (out.burst && out.rates.size() != 1)
    return fail(out.rates.empty() ? "An unlimited key has no burst." : "A burst belongs to one rate.");
  return out;
}

AskedJson to_json(const Override& override, Instant now, std::string_view why_not) {
  AskedJson out = {{"limit", override.limit}, {"key", override.key}};
  if (override.rates.size() < 2) {
    out["rate"] = limit::rates_text(override);
  } else {
    out["rate"] = AskedJson::array();
    for (const auto& rate : override.rates) out["rate"].push_back(headgate::to_text(rate));
  }
  if (override.burst) out["burst"] = *override.burst;
  if (!override.why.empty()) out["why"] = override.why;
  const auto left = std::chrono::ceil<std::chrono::seconds>(std::max(override.until - now, Duration(0)));
  out["since"] = moment_text(override.since);
  out["until"] = moment_text(override.until);
  out["seconds_left"] = left.count();
  if (!why_not.empty()) out["without_effect"] = why_not;
  return out;
}

nlohmann::ordered_json to_json(const services::Spread& spread) {
  nlohmann::ordered_json out = {{"written", spread.written}};
  if (!spread.written || !spread.heard) return out;
  out["heard"] = spread.heard->heard;
  out["of"] = spread.heard->of;
  return out;
}

}  // namespace headgate::admin
