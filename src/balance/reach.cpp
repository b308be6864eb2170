#include "headgate/balance/reach.hpp"

#include <algorithm>
#include <limits>

namespace headgate::balance {

void Reach::note(Steady now, const ServerResults& results) noexcept {
  std::uint64_t failures = 0;
  for (const auto outcome : {AttemptOutcome::broken, AttemptOutcome::timeout, AttemptOutcome::no_connection}) {
    if (results.of(outcome) == 0) continue;
    failures += results.of(outcome);
    if (results.heads() == 0) last_ = outcome;
  }
  // If there were answers and failures since the last step, their order is unknown, but one answer shows that the
  // server can be reached.
  if (results.heads() > 0) {
    in_a_row_ = 0;
    return;
  }
  if (failures == 0) return;
  if (in_a_row_ == 0) since_ = now;
  failed_ = now;
  constexpr std::uint64_t kMax = std::numeric_limits<std::uint32_t>::max();
  in_a_row_ = static_cast<std::uint32_t>(std::min(kMax, in_a_row_ + failures));
}

void Reach::passed_check(Steady now) noexcept {
  if (now - failed_ >= kOld) in_a_row_ = 0;
}

std::string_view words_of(AttemptOutcome outcome) noexcept {
  switch (outcome) {
    case AttemptOutcome::answered:
      return "answered";
    case AttemptOutcome::server_error:
      return "answered with an error";
    case AttemptOutcome::no_connection:
      return "could not be connected to";
    case AttemptOutcome::timeout:
      return "gave no answer in time";
    case AttemptOutcome::broken:
    case AttemptOutcome::count:
      break;
  }
  return "closed its connections without an answer";
}

}  // namespace headgate::balance
