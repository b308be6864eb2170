#include "retry_fields.hpp"

#include "gateway/limits/limit_fields.hpp"

namespace headgate::gateway {
namespace {

using std::chrono::milliseconds;

/// The longest wait that widespread clients respect, in seconds. Some clients replace a longer wait with a guess below
/// one second, and others sleep for it, even for days. In some clients, such a wait overflows the timer, so that they
/// retry at once.
constexpr std::uint64_t kLongestFollowed = 60;

/// Returns whether automatic retries cannot succeed.
bool is_final(const Problem& problem) noexcept {
  // An automatic retry has no ticket of the waiting room, so the caller would start again at the end of the line.
  if (problem.ended_by == EndedBy::waiting_room || problem.status == kSpentStatus) return true;
  return problem.retry_after > 0 ? problem.retry_after > kLongestFollowed : problem.status == 429;
}

}  // namespace

milliseconds exact_wait(const Exchange& x, const Problem& problem) noexcept {
  const auto& a = x.admission;
  auto exact = problem.wait;
  if (exact == Duration(0) && problem.ended_by == EndedBy::limit && a.binding != nullptr &&
      a.outcome == Admission::Outcome::rejected)
    exact = a.decision().retry_after;
  // The caller may have to wait longer than the limit demands, for another reason. Then the exact wait is not known.
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
