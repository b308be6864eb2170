// Lets the caller into the waiting room of its route, or tells it to wait. docs/waiting_room.md explains rooms.

#include "gateway/answers/error_page.hpp"
#include "gateway/limits/limit_fields.hpp"
#include "gateway/rooms/room_ticket.hpp"
#include "gateway/rooms/rooms.hpp"
#include "gateway/steps/table.hpp"
#include "steps.hpp"

#include "headgate/gateway/explain.hpp"

#include <algorithm>
#include <chrono>

namespace headgate::gateway {
namespace {

using room::Ask;
using room::Ticket;
using room::VisitorState;

constexpr Duration kKeepTicket = std::chrono::hours(24);
constexpr std::int64_t kClockSkew = 60;  // the number of seconds that a ticket's time may lie in the future

std::int64_t seconds_of(Instant now) noexcept {
  return std::chrono::duration_cast<std::chrono::seconds>(now.time_since_epoch()).count();
}

/// Returns whether the request is a CORS preflight, which carries no cookie and whose answer no script sees.
bool is_preflight(const Exchange& x) noexcept {
  const auto& fields = x.request.fields;
  return x.request.method == "OPTIONS" && http::has(fields, http::Known::origin) &&
         http::has(fields, http::Known::access_control_request_method);
}

/// Returns whether a person will see the answer, because a browser opens a page.
bool wants_page(Exchange& x) {
  if (x.request.method != "GET" && !x.request.head()) return false;
  const auto mode = http::value_of(x.request.fields, "Sec-Fetch-Mode");
  if (!mode.empty() && mode != "navigate") return false;
  return preferred_form(x) == ProblemForm::html;
}

/// One visit of a caller. The functions are in the order in which they run.
class Visit {
 public:
  Visit(Exchange& x, Rooms& rooms, Instant now) : x_(x), rooms_(rooms), room_(*x.route->room), now_(now) {}

  Task<std::optional<Problem>> run() {
    x_.room.page = wants_page(x_);
    owner_ = owner_of_ticket(x_, room_);
    const auto ticket = presented_ticket(x_, room_, owner_);
    if (!http::value_of(x_.request.fields, "Sec-Fetch-Mode").empty() || x_.room.page) x_.room.cookie = true;
    const auto age = ticket ? seconds_of(now_) - ticket->at : 0;
    const auto oldest = ticket && ticket->kind == Ticket::Kind::pass ? room_.options.rule.stay : kKeepTicket;
    if (ticket && age >= -kClockSkew && age <= seconds(oldest)) ticket_ = ticket;
    if (ticket_ && ticket_->kind == Ticket::Kind::pass) co_return co_await remain(age);
    const bool observed = room_.options.mode == limit::Mode::observe;
    if (ticket_ && !observed && rooms_.known(room_).is_far(room_.options.rule, ticket_->number, now_))
      co_return wait(ticket_->number, RoomOutcome::waiting);
    room::Question question{.ask = observed ? Ask::observe : ticket_ ? Ask::present : Ask::arrive};
    question.owner = owner_;
    if (ticket_) question.serving = ticket_->serving;
    if (question.ask == Ask::present) question.number = ticket_->number;
    auto call = rooms_.ask(x_.snapshot, room_, question);
    const auto answer = co_await call;
    co_return answer.has_value() ? told(*answer) : without_redis(question);
  }

 private:
  static std::int64_t seconds(Duration duration) noexcept {
    return std::chrono::duration_cast<std::chrono::seconds>(duration).count();
  }

  /// Lets a caller with a pass in. The pass is renewed from time to time, so that an active caller stays inside.
  Task<std::optional<Problem>> remain(std::int64_t age) {
    x_.room.outcome = RoomOutcome::inside;
    if (age < std::max<std::int64_t>(seconds(room_.options.rule.stay) / 8, 1)) co_return std::nullopt;
    give(Ticket::Kind::pass, ticket_->number, room_.options.rule.stay);
    if (room_.options.rule.visitors == 0) co_return std::nullopt;
    const room::Question question{.ask = Ask::remain, .number = ticket_->number, .owner = std::string(owner_)};
    auto call = rooms_.ask(x_.snapshot, room_, question);
    const auto answer = co_await call;
    if (answer.has_error() && room_.options.if_redis_down == limit::IfRedisDown::count_locally)
      rooms_.ask_alone(x_.snapshot, room_, question);
    co_return std::nullopt;
  }

  std::optional<Problem> told(const room::Answer& answer) {
    if (room_.options.mode == limit::Mode::observe) {
      x_.room.observed = answer.place == VisitorState::waiting;
      return enter(answer.number);
    }
    if (answer.place == VisitorState::inside) return enter(answer.number);
    if (!ticket_ || answer.lost) give(Ticket::Kind::ticket, answer.number, kKeepTicket);
    return wait(answer.number, answer.lost ? RoomOutcome::lost : RoomOutcome::waiting);
  }

  std::optional<Problem> without_redis(const room::Question& question) {
    if (room_.options.mode == limit::Mode::observe) return std::nullopt;
    switch (room_.options.if_redis_down) {
      case limit::IfRedisDown::allow:
        return enter(std::max<std::int64_t>(rooms_.known(room_).serving(), 1));
      case limit::IfRedisDown::reject:
        return wait(ticket_ ? ticket_->number : 0, RoomOutcome::waiting);
      case limit::IfRedisDown::count_locally:
        break;
    }
    return told(rooms_.ask_alone(x_.snapshot, room_, question));
  }

  std::optional<Problem> enter(std::int64_t number) {
    x_.room.outcome = RoomOutcome::admitted;
    give(Ticket::Kind::pass, number, room_.options.rule.stay);
    return std::nullopt;
  }

  std::optional<Problem> wait(std::int64_t number, RoomOutcome outcome) {
    const auto& rule = room_.options.rule;
    const auto& known = rooms_.known(room_);
    auto& visit = x_.room;
    visit.outcome = outcome;
    if (number > 0 && known.known()) {
      visit.position = std::max<std::int64_t>(number - known.serving(), 1);
      visit.wait = known.wait(rule, number);
    }
    visit.refresh = seconds_up(room::refresh_after(rule, visit.wait, ticket_ ? ticket_->id : (*x_.random)()));
    return Problem{.status = 429,
                   .ended_by = EndedBy::waiting_room,
                   .detail = "Many callers are waiting at the moment. Come back with the ticket when it is your turn.",
                   .retry_after = visit.page ? visit.refresh : seconds_up(room::retry_after(rule, visit.wait))};
  }

  void give(Ticket::Kind kind, std::int64_t number, Duration keep) {
    const auto serving = std::max<std::int64_t>(rooms_.known(room_).serving(), 0);
    const Ticket ticket{.kind = kind,
                        .number = number,
                        .at = seconds_of(now_),
                        .serving = kind == Ticket::Kind::pass ? std::max(serving, number) : serving,
                        .id = ticket_ ? ticket_->id : (*x_.random)()};
    give_ticket(x_, room_, owner_, ticket, keep);
  }

  Exchange& x_;
  Rooms& rooms_;
  const CompiledRoom& room_;
  Instant now_;
  std::string_view owner_;
  std::optional<Ticket> ticket_;
};

}  // namespace

Task<MaybeProblem> wait_in_room(Path& path, Exchange& x) {
  if (is_preflight(x)) co_return MaybeProblem{};
  Visit visit(x, *path.rooms, path.services.clock.wall());
  auto run = visit.run();
  co_return co_await run;
}

constexpr StepCounts kRoomCounts = counts_in<RoomCounters>();

void explain_room(Exchange& /*x*/, Explanation& explanation) {
  explanation.besides.push_back({"waiting_room_decides_too", "its waiting room is not asked"});
}

}  // namespace headgate::gateway
