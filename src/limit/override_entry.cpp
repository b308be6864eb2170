#include "entry_words.hpp"

#include "headgate/limit/override.hpp"

namespace headgate::limit {

std::string rates_text(const Override& override) {
  if (override.rates.empty()) return "unlimited";
  std::string out;
  for (const auto& rate : override.rates) out.append(out.empty() ? "" : " and ").append(to_text(rate));
  return out;
}

LogEntry entry_of(const Override& override) {
  LogEntry out{.since = override.since,
               .until = override.until,
               .text = override.lifted ? "1" : "0",
               .version = override.version};
  auto& text = out.text;
  text.append(" ").append(std::to_string(override.burst.value_or(0)));
  text.append(" ").append(std::to_string(override.rates.size()));
  for (const auto& rate : override.rates) text.append(" ").append(to_text(rate));
  text.append(" ").append(std::to_string(override.limit.size()));
  text.append(" ").append(std::to_string(override.key.size()));
  text.append(" ").append(override.limit).append(override.key).append(override.why);
  return out;
}

std::optional<Override> read_override(const LogEntry& entry) {
  EntryWords words(entry.text);
  Override out{.limit = {}, .key = {}, .rates = {}, .burst = {}, .why = {}, .since = entry.since, .until = entry.until};
  out.version = entry.version;
  std::uint64_t burst = 0;
  std::size_t rates = 0;
  if (!words.flag(out.lifted) || !words.number(burst) || burst > kMaxRequests || !words.number(rates) ||
      rates > Override::kMaxRates || (burst > 0 && rates != 1))
    return std::nullopt;
  if (burst > 0) out.burst = burst;
  for (std::size_t i = 0; i < rates; ++i) {
    const auto rate = parse_rate(words.next());
    if (rate.has_error()) return std::nullopt;
    out.rates.push_back(*rate);
  }
  std::size_t name = 0;
  std::size_t key = 0;
  if (!words.number(name) || !words.number(key) || name == 0 || name > kMaxNameInEntry || key > kMaxNameInEntry ||
      !words.bytes(name, out.limit) || !words.bytes(key, out.key) || words.rest().size() > Override::kMaxWhy)
    return std::nullopt;
  out.why = words.rest();
  return out;
}

}  // namespace headgate::limit
