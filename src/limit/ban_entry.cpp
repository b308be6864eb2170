#include "entry_words.hpp"

#include "headgate/limit/ban.hpp"

#include <algorithm>
#include <array>

namespace headgate::limit {
namespace {

struct ReasonWord {
  BanReason reason;
  std::string_view word;
};
constexpr std::array kReasonWords{
    ReasonWord{BanReason::rejections, "rejections"},
    ReasonWord{BanReason::statuses, "statuses"},
    ReasonWord{BanReason::operated, "operated"},
};

std::string_view word_of(BanReason reason) {
  for (const auto& each : kReasonWords)
    if (each.reason == reason) return each.word;
  return "operated";
}

bool read_reason(std::string_view word, BanReason& reason) {
  const auto* const at =
      std::find_if(kReasonWords.begin(), kReasonWords.end(), [&](const auto& each) { return each.word == word; });
  if (at == kReasonWords.end()) return false;
  reason = at->reason;
  return true;
}

}  // namespace

LogEntry entry_of(const Ban& ban) {
  LogEntry out{.since = ban.since, .until = ban.until, .text = std::to_string(ban.level), .version = ban.version};
  for (const std::string_view word :
       {word_of(ban.reason), std::string_view(ban.lifted ? "1" : "0"), std::string_view(ban.observed ? "1" : "0")})
    out.text.append(" ").append(word);
  out.text.append(" ").append(std::to_string(ban.limit.size())).append(" ").append(ban.limit).append(ban.key);
  return out;
}

std::optional<Ban> read_ban(const LogEntry& entry) {
  EntryWords words(entry.text);
  Ban ban{.limit = {}, .key = {}, .since = entry.since, .until = entry.until, .version = entry.version};
  std::size_t name = 0;
  if (!words.number(ban.level) || !read_reason(words.next(), ban.reason) || !words.flag(ban.lifted) ||
      !words.flag(ban.observed) || !words.number(name) || name == 0 || name > kMaxNameInEntry ||
      !words.bytes(name, ban.limit) || words.rest().size() > kMaxNameInEntry)
    return std::nullopt;
  ban.key = words.rest();
  return ban;
}

}  // namespace headgate::limit
