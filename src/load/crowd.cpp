#include "headgate/load/crowd.hpp"

#include <algorithm>

namespace headgate::load {
namespace {

bool allows(unsigned status) noexcept {
  constexpr unsigned kFirstRefusal = 400;
  return status < kFirstRefusal;
}

}  // namespace

Crowd::Crowd(const TimetableOptions& options, bool patient)
    : timetable_(options),
      length_(options.length),
      patient_(patient),
      states_(options.callers + attackers(options.like, options.callers)) {}

std::optional<Duration> Crowd::next() const noexcept {
  if (stopped_) return std::nullopt;
  std::optional<Duration> out;
  if (const auto& arrival = timetable_.next()) out = arrival->at;
  if (!returns_.empty() && returns_.top().first < length_ && (!out || returns_.top().first < *out))
    out = returns_.top().first;
  return out;
}

std::optional<DueRequest> Crowd::take(Duration now) {
  while (true) {
    const auto at = next();
    if (!at || *at > now) return std::nullopt;
    if (!returns_.empty() && returns_.top().first == *at) {
      const auto caller = returns_.top().second;
      returns_.pop();
      auto& state = states_[caller - 1];
      if (state.until > *at) {  // A second answer has meanwhile set a later time for the caller.
        returns_.emplace(state.until, caller);
        continue;
      }
      --waiting_;
      state.asked = true;
      ++figures_.again;
      return DueRequest{.due = *at, .caller = caller, .attacks = false, .again = true};
    }
    const auto arrival = *timetable_.next();
    timetable_.take();
    if (states_[arrival.caller - 1].holds) {
      ++figures_.held;
      continue;
    }
    return DueRequest{.due = arrival.at, .caller = arrival.caller, .attacks = arrival.attacks, .again = false};
  }
}

bool Crowd::wants(const DueRequest& request) {
  if (request.again || !states_[request.caller - 1].holds) return true;
  ++figures_.held;
  return false;
}

void Crowd::saw(const DueRequest& request, SeenAnswer seen, Duration sent, Duration now) {
  count(request, seen, sent, now);
  auto& state = states_[request.caller - 1];
  if (request.again) {
    if (state.promised && seen.ending == Ending::answered) {
      if (seen.status == 429 && !seen.in_line)
        ++figures_.broken;
      else if (allows(seen.status))
        ++figures_.kept;
    }
    state.holds = state.asked = false;
  }
  if (!seen.ticket.empty() && seen.ticket.size() <= kMaxTicket) state.ticket = std::move(seen.ticket);
  if (patient_ && !request.attacks && seen.wait) tell_to_wait(state, request.caller, seen, now);
}

/// If answers to concurrent requests of a caller name different times, the latest one counts.
void Crowd::tell_to_wait(State& state, std::uint32_t caller, const SeenAnswer& seen, Duration now) {
  const auto until = now + *seen.wait;
  if (state.asked) return;  // The caller's next request is under way and will get an answer of its own.
  if (state.holds && until <= state.until) return;
  state.promised = seen.status == 429 && !seen.in_line;
  state.until = until;
  if (state.holds) return;
  state.holds = true;
  ++waiting_;
  returns_.emplace(until, caller);
}

void Crowd::count(const DueRequest& request, const SeenAnswer& seen, Duration sent, Duration now) {
  auto& of = request.attacks ? figures_.attackers : figures_.callers;
  ++of.sent;
  if (seen.ending != Ending::answered) {
    ++of.no_answer;
    ++figures_.unanswered[seen.ending];
    return;
  }
  figures_.bytes += seen.bytes;
  ++figures_.statuses[seen.status];
  if (seen.in_line)
    ++of.in_line;
  else if (seen.status == 429)
    ++of.rejected;
  else
    ++(allows(seen.status) ? of.allowed : of.other);
  of.whole.add(now - request.due);
  of.from_sending.add(now - sent);
}

LoadFigures Crowd::figures() const {
  auto out = figures_;
  out.open = waiting_;
  return out;
}

}  // namespace headgate::load
