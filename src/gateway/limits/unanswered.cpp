#include "unanswered.hpp"

#include "gateway/exchange/deadline.hpp"

namespace headgate::gateway {

bool avoided_answer(const Exchange& x) noexcept {
  if (!x.unanswered) return false;
  if (x.client_gone) return true;
  switch (x.ended_by) {
    case EndedBy::client_closed:
    case EndedBy::timeout_client:
    case EndedBy::deadline:
    case EndedBy::too_large:
    case EndedBy::bad_request:
    case EndedBy::limit:  // messages of the request's own call exceeded the limit
    case EndedBy::operator_:
      return true;
    default:  // a server that knows the client's deadline may end the call by itself
      return own_deadline_over(x) || tells_nothing(x, x.answer.status);
  }
}

bool tells_nothing(const Exchange& x, unsigned status) noexcept {
  constexpr unsigned kTimeout = 408;
  constexpr unsigned kCancelled = 499;
  constexpr unsigned kDeadlineExceeded = 504;
  if (status == kTimeout && x.body != nullptr && !x.body->ended()) return true;
  return (status == kTimeout || status == kCancelled || status == kDeadlineExceeded) && own_deadline_over(x);
}

}  // namespace headgate::gateway
