#include "settle_call.hpp"

#include "gateway/exchange/body_problem.hpp"
#include "gateway/forward/asked_request.hpp"
#include "reservations.hpp"
#include "settlement_text.hpp"

#include "headgate/gateway/answer.hpp"

#include <string>
#include <utility>

namespace headgate::gateway {
namespace {

constexpr std::string_view kSettlePath = "/settle";
constexpr std::size_t kLongestSettlement = 16UL * 1'024;

/// Reads the body of the call. Returns the problem, or sets `out` to the body.
Task<MaybeProblem> read_settle_body(Exchange& x, std::string& out) {
  constexpr std::string_view kTooLarge = "The body of this call is larger than 16 KiB.";
  if (!x.body->take_at_most(kLongestSettlement))
    co_return Problem{.status = 413, .ended_by = EndedBy::too_large, .detail = kTooLarge};
  while (!x.body->ended()) {
    const auto bytes = co_await x.body->read();
    if (bytes.has_error()) co_return problem_of_body(bytes.error());
    out.append(*bytes);
    x.body_bytes += bytes->size();
  }
  co_return MaybeProblem{};
}

}  // namespace

bool is_settle_call(const Exchange& x) noexcept {
  return x.settle_within > Duration(0) && x.request.path == kSettlePath && x.request.method == "POST" &&
         names_no_request(x);
}

Task<MaybeProblem> answer_settle_call(Path& path, Exchange& x) {
  if (auto problem = refuse_untrusted(x)) co_return problem;
  x.asked_by = net::AskingProxy::none;  // from here on, the caller is a client of its own
  std::string body;
  auto reading = read_settle_body(x, body);
  if (auto problem = co_await reading) co_return problem;
  Settlement said;
  if (const auto why = read_settlement(body, said); !why.empty())
    co_return Problem{.status = 400, .ended_by = EndedBy::bad_request, .detail = x.text.join({why})};
  x.used = true;
  x.reservation = x.text.join({said.reservation});
  auto settling = path.reservations->settle(x, std::move(said));
  if (auto problem = co_await settling) co_return problem;
  x.ended_by = EndedBy::respond;
  const AnswerStart done{.start = {.status = 204}};
  co_await send_whole<AnswerFrom::gateway>(x, done, {});
  co_return MaybeProblem{};
}

}  // namespace headgate::gateway
