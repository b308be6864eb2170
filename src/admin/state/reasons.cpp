#include "headgate/admin/reasons.hpp"

#include "headgate/observe/event.hpp"
#include "headgate/observe/families/gateway.hpp"

#include <algorithm>
#include <chrono>

namespace headgate::admin {
namespace {

std::string filled(std::string_view pattern, std::string_view subject) {
  std::string out(pattern);
  if (const auto at = out.find("{}"); at != std::string::npos) out.replace(at, 2, subject);
  return out;
}

/// Logs that a reason begins or ends. The subject is only a field of the event and not in its message, because it may
/// be any text.
void report(std::string_view name, observe::LogLevel level, std::string_view sentence, const Reason& reason) {
  const auto& row = row_of(reason.kind);
  const auto lasted = std::chrono::duration_cast<std::chrono::seconds>(now() - reason.since).count();
  const bool ended = level == observe::LogLevel::info && name == "reason_ended";
  observe::event(level, name, sentence,
                 {{"reason", row.name},
                  {"severity", severity_text(row.severity)},
                  reason.subject.empty() ? observe::EventField() : observe::EventField("subject", reason.subject),
                  {"what", sentence_of(reason)},
                  reason.words.empty() || ended ? observe::EventField() : observe::EventField("why", reason.words),
                  ended ? observe::EventField("seconds", lasted) : observe::EventField()});
}

}  // namespace

std::string sentence_of(const Reason& reason) { return filled(row_of(reason.kind).sentence, reason.subject); }

std::string command_of(const Reason& reason) { return filled(row_of(reason.kind).command, reason.subject); }

void Reasons::set(ReasonKind kind, std::string_view subject, std::string words) {
  Reason made{kind, std::string(subject), std::move(words), now()};
  {
    const std::lock_guard lock(mutex_);
    const auto [at, is_new] = reasons_.try_emplace({kind, made.subject}, made);
    if (!is_new) {
      at->second.words = std::move(made.words);
      return;
    }
  }
  const auto& row = row_of(kind);
  if (row.told) return;
  const auto level = row.severity == ReasonSeverity::info ? observe::LogLevel::info : observe::LogLevel::warning;
  report("reason_began", level, "a problem was found", made);
}

void Reasons::clear(ReasonKind kind, std::string_view subject) {
  Reason gone;
  {
    const std::lock_guard lock(mutex_);
    const auto at = reasons_.find({kind, std::string(subject)});
    if (at == reasons_.end()) return;
    gone = std::move(at->second);
    reasons_.erase(at);
  }
  if (!row_of(kind).told) report("reason_ended", observe::LogLevel::info, "the problem is resolved", gone);
}

void Reasons::set_only(ReasonKind kind, const std::vector<std::pair<std::string, std::string>>& wrong) {
  std::vector<std::string> right;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& known : reasons_) {
      const auto& subject = known.first.second;
      const auto is_it = [&subject](const auto& each) { return each.first == subject; };
      if (known.first.first == kind && std::none_of(wrong.begin(), wrong.end(), is_it)) right.push_back(subject);
    }
  }
  for (const auto& subject : right) clear(kind, subject);
  for (const auto& [subject, words] : wrong) set(kind, subject, words);
}

std::vector<Reason> Reasons::list() const {
  std::vector<Reason> out;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& [of, reason] : reasons_) out.push_back(reason);
  }
  std::stable_sort(out.begin(), out.end(), [](const Reason& one, const Reason& other) {
    return row_of(one.kind).severity < row_of(other.kind).severity;
  });
  return out;
}

bool Reasons::has(ReasonKind kind, std::string_view subject) const {
  const std::lock_guard lock(mutex_);
  return reasons_.contains({kind, std::string(subject)});
}

void Reasons::collect(observe::Registry& registry) const {
  registry.collect([this](observe::Scrape& scrape) {
    for (const auto& reason : list()) {
      const auto& row = row_of(reason.kind);
      scrape.value(observe::family::reason,
                   {std::string(row.name), reason.subject, std::string(severity_text(row.severity))}, 1);
    }
  });
}

}  // namespace headgate::admin
