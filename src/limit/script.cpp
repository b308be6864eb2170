#include "headgate/limit/script.hpp"

#include "merge.hpp"

#include "headgate/limit/algorithm.hpp"

#include <algorithm>

namespace headgate::limit {
namespace {

void merge_by_key(std::span<const Ask> asks, Merged& out) {
  merge(
      asks, [](const Ask& a, const Ask& b) { return a.subject == b.subject && a.rule->suffix == b.rule->suffix; }, out);
}

/// Redis takes the hash tag up to the first '}', and none at all from "{}": either would scatter one subject over
/// several slots.
void append_tag(std::string_view subject, std::string& out) {
  out.push_back('{');
  if (subject.empty()) {
    out.push_back('%');
  } else if (subject.find_first_of("%}") == std::string_view::npos) {
    out.append(subject);
  } else {
    for (const char c : subject) {
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

char letter_of(How how) noexcept {
  switch (how) {
    case How::take:
      return 't';
    case How::trial:
      return 'o';
    case How::charge:
      return 'c';
    case How::debt:
      break;
  }
  return 'd';
}

/// A letter a question, or nothing where all take: the script then need not look.
void append_modes(const Merged& merged, std::string& out) {
  if (std::ranges::all_of(merged.questions, [](const Ask& ask) { return ask.how == How::take; })) return;
  for (const Ask& ask : merged.questions) out.push_back(letter_of(ask.how));
}

}  // namespace

void script_arguments(std::span<const Ask> asks, std::string_view prefix, Instant now, std::vector<std::string>& out) {
  ArgumentList list(out);
  if (!asks.empty() && asks.size() <= kMaxRulesPerRequest) {
    Merged merged;
    merge_by_key(asks, merged);
    list.add(merged.questions.size());
    for (const Ask& ask : merged.questions) {
      std::string& key = list.next();
      key.append(prefix).append("v1:");
      append_tag(ask.subject, key);
      key.append(ask.rule->suffix);
    }
    append_modes(merged, list.next());
    for (const Ask& ask : merged.questions) {
      list.add(ask.rule->algorithm->name);
      ask.rule->algorithm->arguments(*ask.rule, ask.cost, now, list);
    }
  }
  list.finish();
}

bool read_script_reply(std::span<const std::int64_t> reply, std::span<const Ask> asks, std::span<Verdict> verdicts,
                       bool& all_allowed) {
  if (reply.empty() || asks.empty() || asks.size() > kMaxRulesPerRequest || reply[0] < 0 || reply[0] > 1) return false;
  const bool through = reply[0] == 1;
  std::span<const std::int64_t> rest = reply.subspan(1);
  Merged merged;
  merge_by_key(asks, merged);
  bool agreed = true;
  boost::container::static_vector<Verdict, kMaxRulesPerRequest> answers;
  for (const Ask& ask : merged.questions) {
    const Algorithm& algorithm = *ask.rule->algorithm;
    if (rest.size() < algorithm.words) return false;
    const auto words = rest.first(algorithm.words);
    const Taken if_allowed = takes(ask, through, true);
    auto verdict = algorithm.verdict(*ask.rule, ask.cost, if_allowed, words);
    if (!verdict) return false;
    const bool allowed = verdict->allowed;
    if (takes(ask, through, allowed) != if_allowed) verdict = algorithm.verdict(*ask.rule, ask.cost, Taken::no, words);
    tell(ask, *verdict);
    answers.push_back(*verdict);
    agreed = agreed && !refuses(ask, allowed);
    rest = rest.subspan(algorithm.words);
  }
  if (!rest.empty() || agreed != through) return false;
  for (std::size_t i = 0; i < asks.size(); ++i) verdicts[i] = answers[merged.question_of[i]];
  all_allowed = agreed;
  return true;
}

}  // namespace headgate::limit
