// Reads "descriptors" of the reference rate limit service.

#include "translate/ratelimit/work.hpp"
#include "translate/words.hpp"

#include "headgate/core/text.hpp"
#include "headgate/core/whole_number.hpp"

#include <array>
#include <limits>
#include <optional>
#include <utility>

namespace headgate::translate {
namespace {

constexpr std::size_t kLongestRateKey = 128;

/// Returns the period of a rate in headgate's words; empty if the service has no such unit. Its months and years always
/// have as many days.
std::string_view period_of_unit(std::string_view unit) noexcept {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 7> kUnits{{{"second", "second"},
                                                                                 {"minute", "minute"},
                                                                                 {"hour", "hour"},
                                                                                 {"day", "day"},
                                                                                 {"week", "7d"},
                                                                                 {"month", "30d"},
                                                                                 {"year", "365d"}}};
  for (const auto& [name, period] : kUnits)
    if (unit == name) return period;
  return {};
}

bool is_rate_flag(const TreeNode& node, std::string_view key) { return is_true(lower(node.get(key))); }

/// Reports the words of a map that are not translated. Returns the first one that is not known; empty if there is none.
std::string say_of_rate_words(const TreeNode& map, Draft& draft) {
  std::string unknown;
  for (const auto& [key, value] : map.members) {
    const auto* const known = find_word(ratelimit_words(), key);
    if (known != nullptr && known->becomes.empty()) draft.say(known->matter, value.spot, key, std::string(known->why));
    if (known != nullptr || !unknown.empty()) continue;
    unknown = key;
    draft.say(Matter::closed, value.spot, key,
              "headgate import does not know it: the descriptors below it are rejected until you write what it does");
  }
  return unknown;
}

/// Reads "rate_limit". Returns the reason why it is not understood; empty if it is.
std::string read_rate_limit(const TreeNode& rate, RateNode& out) {
  const auto unit = lower(rate.get("unit"));
  out.period = period_of_unit(unit);
  out.name = rate.get("name");
  for (const auto* each : rate["replaces"].each()) {
    out.replaces.push_back(each->get("name"));
    if (out.replaces.back().empty()) return "replaces: the service refuses an entry without a name";
  }
  if (is_rate_flag(rate, "unlimited")) {
    out.does = RateDoes::is_free;
    return out.period.empty() ? "" : "unlimited: the service accepts no unit beside it";
  }
  // YAML of the service takes a number with a leading 0 for an octal one.
  const auto written = rate.get("requests_per_unit");
  if (written.size() > 1 && written.front() == '0') return "requests_per_unit is no decimal number";
  const auto count =
      rate.has("requests_per_unit")
          ? whole_number<std::uint64_t>(rate.get("requests_per_unit"), 0, std::numeric_limits<std::uint32_t>::max())
          : std::optional<std::uint64_t>(0);
  if (!count) return "requests_per_unit is no number that the service accepts";
  if (out.period.empty()) return "\"" + unit + "\" is no unit of the service";
  out.count = *count;
  out.does = *count > 0 ? RateDoes::counts : RateDoes::rejects;
  return {};
}

/// Returns why no entry of headgate can match the node; empty if one can.
std::string why_unmatched(const TreeNode& node, const RateNode& read) {
  if (read.key.empty() || !(node["value"].is_text() || !node.has("value"))) return "the service refuses this entry";
  if (read.key.size() > kLongestRateKey) return "its key has more than 128 bytes";
  if (read.key.find('*') != std::string::npos || read.value.find('*') < read.value.size() - 1)
    return "headgate matches values of descriptors only as a whole or by their beginnings";
  return {};
}

}  // namespace

std::vector<RateNode> read_rate_nodes(const TreeNode& list, Draft& draft) {
  std::vector<RateNode> out;
  for (const auto* node : list.each()) {
    RateNode read;
    read.spot = node->spot;
    read.key = node->get("key");
    read.value = node->get("value");
    const auto what = "key: " + read.key + (read.value.empty() ? "" : ", value: " + read.value);
    if (const auto why = why_unmatched(*node, read); !why.empty()) {
      draft.say(Matter::lost, node->spot, what, why);
      continue;
    }
    const auto& rate = (*node)["rate_limit"];
    read.closed = say_of_rate_words(*node, draft);
    if (const auto unknown = say_of_rate_words(rate, draft); read.closed.empty()) read.closed = unknown;
    read.shares = read.is_beginning() && is_rate_flag(*node, "share_threshold");
    if (rate) {
      if (const auto why = read_rate_limit(rate, read); !why.empty()) {
        draft.say(Matter::closed, rate.spot, what, why);
        read.closed = "rate_limit";
        read.does = RateDoes::rejects;
      }
    }
    if (read.does == RateDoes::counts || read.does == RateDoes::rejects)
      read.observes = is_rate_flag(*node, "shadow_mode") || is_rate_flag(*node, "quota_mode");
    if (read.observes && read.does == RateDoes::rejects && read.closed.empty()) read.does = RateDoes::is_free;
    if (is_rate_flag(*node, "quota_mode"))
      draft.say(Matter::differs, (*node)["quota_mode"].spot, "quota_mode",
                "the answer does not say that more was used than the limit allows");
    if (node->has("descriptors")) read.nodes = read_rate_nodes((*node)["descriptors"], draft);
    out.push_back(std::move(read));
  }
  return out;
}

}  // namespace headgate::translate
