#include "candidate_watch.hpp"

#include "headgate/gateway/candidate.hpp"
#include "headgate/observe/event.hpp"
#include "headgate/observe/families/candidate.hpp"

#include <utility>

namespace headgate::server {
namespace {

namespace family = observe::family;
using observe::EventField;
using observe::LogLevel;

std::uint64_t since(const std::map<observe::LabelValues, std::uint64_t>& before, const observe::LabelValues& labels,
                    std::uint64_t now) {
  const auto found = before.find(labels);
  return found == before.end() ? now : now - found->second;
}

std::string_view word(gateway::Compared what) { return gateway::kComparedWords[what]; }

/// Returns notes on keys of the candidate's file that have no effect for a candidate.
std::vector<std::string> notes_on(const config::Config& candidate, const config::Config& live) {
  std::vector<std::string> out;
  const auto print = [](const config::Config& of) {
    const auto found = of.fingerprints.find("identity");
    return found == of.fingerprints.end() ? std::uint64_t{0} : found->second;
  };
  if (print(candidate) != print(live))
    out.emplace_back(
        "its \"identity\" differs: client addresses are found with the candidate's, but API keys and tokens are "
        "checked with that of the live configuration");
  bool appointments = false;
  bool in_turn = false;
  for (const auto& limit : candidate.limits) {
    appointments = appointments || limit.appointments;
    for (const auto& tier : limit.tiers)
      for (const auto& rule : tier.rules) in_turn = in_turn || rule.queue > 0;
  }
  if (appointments) out.emplace_back("the candidate makes no appointments, because no caller would learn of them");
  if (in_turn) out.emplace_back("requests that would wait for a permit in flight are not compared (\"undecided\")");
  if (!candidate.gateway.rooms.empty()) out.emplace_back("the candidate's waiting rooms admit everybody at once");
  return out;
}

}  // namespace

CandidateWatch::CandidateWatch(Clock& clock, observe::Registry& registry)
    : clock_(clock), registry_(registry), alarm_(clock.alarm(&CandidateWatch::on_alarm, this)) {}

void CandidateWatch::use(const services::ActiveConfig& active, bool by_file, bool promoted) {
  const auto next = active.candidate ? active.candidate->config : nullptr;
  by_file_ = by_file;
  if (next == set_) return;
  const auto before = std::exchange(set_, next);
  if (before && !next)
    observe::event(
        LogLevel::info, promoted ? "candidate_promoted" : "candidate_dropped",
        promoted ? "the candidate is now the configuration in force"
                 : "the candidate no longer runs beside the policy in force",
        {{"sha256", before->sha256}, before->file.empty() ? EventField() : EventField("file", before->file)});
  keys_.clear();
  if (!next) return;
  since_ = clock_.wall();
  before_ = counted();
  told_ = 0;
  told_at_ = {};
  observe::event(LogLevel::info, "candidate_set",
                 "a candidate runs beside the policy in force, and its decisions are only compared",
                 {{"from", by_file ? "file" : "admin"},
                  next->file.empty() ? EventField() : EventField("file", next->file),
                  {"sha256", next->sha256},
                  {"routes", active.candidate->compiled->routes().size()},
                  {"limits", next->limits.size()}});
}

void CandidateWatch::add(const std::vector<observe::LimitSketches>& taken) {
  if (!set_) return;
  for (const auto& each : taken) {
    auto& keys = keys_[each.limit];
    if (each.rejected) keys.hit.merge(each.rejected->list());
    if (each.allowed) keys.freed.merge(each.allowed->list());
  }
}

CandidateWatch::Counted CandidateWatch::counted() const {
  return {registry_.all(family::candidate_requests), registry_.all(family::candidate_limit_requests),
          registry_.all(family::candidate_undecided)};
}

admin::CandidateDiff CandidateWatch::diff(const services::ActiveConfig& active) const {
  const auto& candidate = *active.candidate;
  admin::CandidateDiff out;
  out.candidate = {.by_file = by_file_,
                   .file = candidate.config->file,
                   .sha256 = candidate.config->sha256,
                   .since = since_,
                   .routes = candidate.compiled->routes().size(),
                   .limits = candidate.config->limits.size(),
                   .keys = candidate.state->memory.keys(),
                   .max_keys = candidate.state->max_keys,
                   .notes = notes_on(*candidate.config, *active.config)};
  const auto now = counted();
  for (const auto& [labels, count] : now.requests) out.totals[labels.front()] = since(before_.requests, labels, count);
  for (const auto& [labels, count] : now.undecided)
    if (const auto more = since(before_.undecided, labels, count); more > 0) out.undecided[labels.front()] = more;
  std::map<std::pair<std::string, std::string>, std::map<std::string, std::uint64_t>> rows;
  for (const auto& [labels, count] : now.limits)
    if (const auto more = since(before_.limits, labels, count); more > 0)
      rows[{labels[0], labels[1]}][labels[2]] = more;
  for (auto& [name, by] : rows) out.rows.push_back({name.first, name.second, std::move(by)});
  for (const auto& [limit, keys] : keys_) out.keys.push_back({limit, keys.hit, keys.freed});
  return out;
}

void CandidateWatch::on_alarm(void* self) {
  auto& watch = *static_cast<CandidateWatch*>(self);
  watch.look();
  watch.alarm_->set(kEvery);
}

void CandidateWatch::look() {
  if (!set_) return;
  const auto now = registry_.all(family::candidate_requests);
  const auto count = [&](gateway::Compared what) {
    const observe::LabelValues labels{std::string(word(what))};
    const auto found = now.find(labels);
    return found == now.end() ? 0 : since(before_.requests, labels, found->second);
  };
  const auto hit = count(gateway::Compared::hit);
  const auto freed = count(gateway::Compared::freed);
  if (hit + freed == told_ || (told_ > 0 && clock_.steady() - told_at_ < kTold)) return;
  told_ = hit + freed;
  told_at_ = clock_.steady();
  observe::event(LogLevel::info, "candidate_differs",
                 "the candidate decided some requests differently from the policy in force",
                 {{"hit", hit}, {"freed", freed}, {"both_allowed", count(gateway::Compared::both_allowed)}});
}

}  // namespace headgate::server
