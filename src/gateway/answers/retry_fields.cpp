#include "retry_fields.hpp"

#include "gateway/limits/limit_fields.hpp"

namespace headgate::gateway {
namespace {

using std::chrono::milliseconds;

/// In seconds. Widespread clients follow a wait up to this one. A longer one they replace by a guess of less than a
/// second, or sleep for it, also for days; in some the timer overflows, and they come back at once.
constexpr std::uint64_t kLongestFollowed = 60;

/// Whether a caller that repeats the request by itself does no good.
bool is_final(const Problem& problem) noexcept {
  // Without the ticket of the room, which such a client does not bring along, it begins at the end of the line.
  if (problem.ended_by == EndedBy::waiting_room) return true;
  return problem.retry_after > 0 ? problem.retry_after > kLongestFollowed : problem.status == 429;
}

}  // namespace

milliseconds exact_wait(const Exchange& x, const Problem& problem) noexcept {
  const auto& a = x.admission;
  auto exact = problem.wait;
  if (exact == Duration(0) && problem.ended_by == EndedBy::limit && a.binding != nullptr &&
      a.outcome == Admission::Outcome::rejected)
    exact = a.decision().retry_after;
  // Something else may make the caller wait longer than the limit.
  if (exact <= Duration(0) || seconds_up(exact) != problem.retry_after)
    return std::chrono::seconds(problem.retry_after);
  return std::chrono::ceil<milliseconds>(exact);
}

void append_retry_fields(Exchange& x, const Problem& problem, std::string_view retry_after) {
  if (problem.retry_after > 0) {
    x.fields.push_back({http::Known::retry_after, "Retry-After", retry_after});
    x.fields.push_back({http::Known::unknown, "Retry-After-Ms", x.text.number(exact_wait(x, problem).count())});
  }
  if (is_final(problem)) x.fields.push_back({http::Known::unknown, "X-Should-Retry", "false"});
}

}  // namespace headgate::gateway
