#include "headgate/limit/script.hpp"

#include "merge.hpp"

#include "headgate/limit/algorithm.hpp"

#include <algorithm>

namespace headgate::limit {
namespace {

void merge_by_key(std::span<const Check> checks, Merged& out) {
  merge(
      checks, [](const Check& a, const Check& b) { return a.key == b.key && a.rule->suffix == b.rule->suffix; }, out);
}

/// Escapes the key. For Redis, a hash tag ends at the first '}', and "{}" is no tag at all. In both cases, the counters
/// of one key could be in several slots.
void append_tag(std::string_view key, std::string& out) {
  out.push_back('{');
  if (key.empty()) {
    out.push_back('%');
  } else if (key.find_first_of("%}") == std::string_view::npos) {
    out.append(key);
  } else {
    for (const char c : key) {
      if (c == '%') {
        out.append("%25");
      } else if (c == '}') {
        out.append("%7D");
      } else {
        out.push_back(c);
      }
    }
  }
  out.push_back('}');
}

char letter_of(const Check& check) noexcept {
  switch (check.how) {
    case How::take:
      return counts_rejected(check) ? 'T' : 't';
    case How::observe:
      return counts_rejected(check) ? 'O' : 'o';
    case How::charge:
      return 'c';
    case How::debt:
      break;
  }
  return 'd';
}

/// Appends one letter for the mode of each check, and one more for a peek. Appends nothing if all checks take and there
/// is no peek, so that the script need not examine the modes.
void append_modes(const Merged& merged, std::string& out) {
  const bool peek = is_peek({merged.checks.data(), merged.checks.size()});
  if (!peek && std::ranges::all_of(merged.checks, [](const Check& check) { return letter_of(check) == 't'; })) return;
  for (const Check& check : merged.checks) out.push_back(letter_of(check));
  if (peek) out.push_back('p');
}

}  // namespace

void script_arguments(std::span<const Check> checks, std::string_view prefix, Instant now,
                      std::vector<std::string>& out) {
  ArgumentList list(out);
  if (!checks.empty() && checks.size() <= kMaxRulesPerRequest) {
    Merged merged;
    merge_by_key(checks, merged);
    list.add(merged.checks.size());
    for (const Check& check : merged.checks) {
      std::string& key = list.next();
      key.append(prefix).append("v1:");
      append_tag(check.key, key);
      key.append(check.rule->suffix);
    }
    append_modes(merged, list.next());
    for (const Check& check : merged.checks) {
      list.add(check.rule->algorithm->name);
      check.rule->algorithm->arguments(check, now, list);
    }
  }
  list.finish();
}

bool read_script_reply(std::span<const std::int64_t> reply, std::span<const Check> checks,
                       std::span<Decision> decisions, bool& all_allowed) {
  if (reply.empty() || checks.empty() || checks.size() > kMaxRulesPerRequest || reply[0] < 0 || reply[0] > 1)
    return false;
  const bool through = reply[0] == 1;
  std::span<const std::int64_t> rest = reply.subspan(1);
  Merged merged;
  merge_by_key(checks, merged);
  bool agreed = true;
  boost::container::static_vector<Decision, kMaxRulesPerRequest> answers;
  for (const Check& check : merged.checks) {
    const Algorithm& algorithm = *check.rule->algorithm;
    if (rest.size() < algorithm.words) return false;
    const auto words = rest.first(algorithm.words);
    const CommitMode if_allowed = takes(check, through, true);
    auto decision = algorithm.decision(*check.rule, check.cost, if_allowed, words);
    if (!decision) return false;
    const bool allowed = decision->allowed;
    if (const CommitMode mode = takes(check, through, allowed); mode != if_allowed)
      decision = algorithm.decision(*check.rule, check.cost, mode, words);
    tell(check, *decision);
    answers.push_back(*decision);
    agreed = agreed && !rejects(check, allowed);
    rest = rest.subspan(algorithm.words);
  }
  if (!rest.empty() || agreed != through) return false;
  for (std::size_t i = 0; i < checks.size(); ++i) decisions[i] = answers[merged.merged_index[i]];
  all_allowed = agreed;
  return true;
}

}  // namespace headgate::limit
