#include "auth_calls.hpp"

#include "auth_question.hpp"
#include "auth_reply.hpp"
#include "gateway/exchange/deadline.hpp"

#include "headgate/balance/circuit_gate.hpp"
#include "headgate/gateway/delay.hpp"
#include "headgate/gateway/problem.hpp"
#include "headgate/observe/event.hpp"

#include <algorithm>
#include <chrono>
#include <optional>
#include <utility>

namespace headgate::gateway {
namespace {

using balance::AttemptOutcome;
using balance::CircuitDoor;
using balance::CircuitPass;
using upstream::Failure;

constexpr unsigned kAuthInterimHeads = 32;
constexpr std::chrono::minutes kToldEvery{1};
constexpr const char* kTooLate = "it did not answer in time";
/// Time that an exchange waits beyond its call's own time limit. This wait runs out only if the call was lost because
/// of a bug.
constexpr Duration kGrace = std::chrono::seconds(1);

std::string reason_in_words(const Failure& failure) {
  TextArena text;
  return std::string(reason_of(failure, text));
}

/// Leaves the circuit, however the call ends.
class CircuitGuard {
 public:
  explicit CircuitGuard(CircuitDoor* door)
      : door_(door), pass_(door != nullptr ? door->enter() : CircuitPass::normal) {}
  CircuitGuard(const CircuitGuard&) = delete;
  CircuitGuard& operator=(const CircuitGuard&) = delete;
  ~CircuitGuard() {
    if (door_ == nullptr) return;
    if (pass_ == CircuitPass::none)
      door_->count_refused();
    else
      door_->ended(pass_, end);
  }
  bool refused() const noexcept { return pass_ == CircuitPass::none; }
  CircuitDoor::End end = CircuitDoor::End::unknown;

 private:
  CircuitDoor* door_;
  CircuitPass pass_;
};

}  // namespace

/// An exchange that waits for a call. Lives in the frame of the waiting coroutine.
struct AuthCalls::Waiter : Hook {
  Waiter(Clock& clock, Duration patience) : delay(clock, patience, Delay::For::auth) {}
  Waiter(const Waiter&) = delete;
  Waiter& operator=(const Waiter&) = delete;
  ~Waiter();

  Delay delay;
  Call* call = nullptr;  ///< null once the call has ended
  AuthAnswerPtr answer;
  bool waits = false;
};

struct AuthCalls::Call : Hook {
  Call(std::shared_ptr<AuthCalls> whose, Exchange& x, std::unique_ptr<AuthQuestion> asked, Duration time)
      : owner(std::move(whose)),
        snapshot(x.snapshot),
        auth(*x.route->auth),
        question(std::move(asked)),
        charged_to(keyed_hash(x.caller.ip_key, 0)),
        lasts(time),
        alarm(owner->clock_.alarm(&Call::rings, this)) {
    if (owner->lent_ != nullptr) owner->lent_->add(static_cast<std::int64_t>(question->size()));
  }
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;
  ~Call() {
    if (owner->lent_ != nullptr) owner->lent_->add(-static_cast<std::int64_t>(question->size()));
    if (concluded) return;  // a call that was not concluded was ended by a bug
    std::erase_if(owner->by_name_, [this](const auto& each) { return each.second == this; });
    while (!waiters.empty()) release(nullptr);
  }

  bool remembers() const noexcept { return auth.options->remember > Duration(0) && is_current(); }
  bool is_current() const noexcept { return snapshot->compiled == owner->current_; }
  upstream::Upstream& to() const { return *snapshot->upstreams[auth.upstream]; }
  Clock& clock() const noexcept { return owner->clock_; }

  static void rings(void* self) {
    auto& call = *static_cast<Call*>(self);
    call.late = true;
    call.end(kTooLate);
  }
  /// Ends the call, and may destroy it. If the service has refused the request, the result is this refusal, even if its
  /// page has not arrived completely.
  void end(const char* why) {
    over = true;
    if (!concluded && refusal) refusal->body.clear();
    if (!concluded) owner->conclude(*this, refusal ? std::move(*refusal) : no_auth_answer(auth, why));
    if (attempt != nullptr) attempt->cancel();
  }
  /// Gives the answer to the first of the waiting exchanges.
  void release(const AuthAnswerPtr& answer);

  std::shared_ptr<AuthCalls> owner;
  SnapshotPtr snapshot;
  const CompiledAuth& auth;  ///< the auth service of the route, which the snapshot keeps alive
  std::unique_ptr<AuthQuestion> question;
  Hash charged_to;  ///< the owner in AuthMemory of the remembered answer
  Duration lasts;   ///< the longest time that the call may take
  std::unique_ptr<Alarm> alarm;
  List waiters;
  http::ReplyHead head;
  std::optional<AuthAnswer> refusal;  ///< set while the body of the refusal is read
  balance::Choice choice;
  upstream::Attempt* attempt = nullptr;  ///< the attempt under way, so that it can be cancelled; null if there is none
  Duration counts{0};                    ///< how long the answer may be reused
  bool sent = false;                     ///< whether the question was sent to the service
  bool concluded = false;
  bool late = false;  ///< whether the time limit of the call has passed
  bool over = false;  ///< whether the call must end, because it is late, no exchange waits any more, or the worker ends
};

AuthCalls::Waiter::~Waiter() {
  if (call == nullptr) return;
  auto* const left = call;
  unlink();
  if (left->waiters.empty() && !left->concluded) left->end("nobody waits for it");
}

void AuthCalls::Call::release(const AuthAnswerPtr& answer) {
  auto& waiter = static_cast<Waiter&>(waiters.front());
  waiter.unlink();
  waiter.call = nullptr;
  waiter.answer = answer;
  if (waiter.waits) waiter.delay.end();
}

AuthCalls::AuthCalls(Clock& clock, net::LentBytes::Share* lent) : clock_(clock), lent_(lent) {}

AuthCalls::~AuthCalls() = default;

Task<AuthAnswerPtr> AuthCalls::ask(Exchange& x) {
  auto question = std::make_unique<AuthQuestion>(x);
  Call* joined = nullptr;
  auto left = x.route->auth->options->timeout;
  if (shares(x)) {
    if (auto known = memory_.get(question->name(), clock_.steady())) co_return known;
    if (const auto found = by_name_.find(question->name()); found != by_name_.end()) joined = found->second;
  }
  if (joined != nullptr) {
    const auto since = clock_.steady();
    auto waited = wait(x, joined, nullptr, left);
    auto answer = co_await waited;
    // If the answer is only for one caller, this exchange must make a call of its own.
    if (answer == nullptr || answer->shareable) co_return answer;
    left -= std::chrono::duration_cast<Duration>(clock_.steady() - since);
  }
  auto waited = wait(x, nullptr, std::move(question), left);
  co_return co_await waited;
}

Task<AuthAnswerPtr> AuthCalls::wait(Exchange& x, Call* joined, std::unique_ptr<AuthQuestion> question, Duration left) {
  const auto& auth = *x.route->auth;
  if (stopped_) co_return std::make_shared<const AuthAnswer>(no_auth_answer(auth, "the gateway stops"));
  if (left <= Duration(0)) co_return std::make_shared<const AuthAnswer>(no_auth_answer(auth, kTooLate));
  auto patience = left + kGrace;
  if (const auto rest = time_left(x)) patience = std::clamp(*rest, Duration(0), patience);
  Waiter waiter(clock_, patience);
  if (joined != nullptr) {
    waiter.call = joined;
    joined->waiters.push_back(waiter);
  } else {
    auto made = std::make_unique<Call>(shared_from_this(), x, std::move(question), left);
    waiter.call = made.get();
    made->waiters.push_back(waiter);
    under_way_.push_back(*made);
    if (made->remembers()) by_name_.emplace(made->question->name(), made.get());
    spawn(run(shared_from_this(), std::move(made)), "auth");
  }
  if (waiter.call != nullptr) {
    waiter.waits = true;
    x.delay = &waiter.delay;
    co_await waiter.delay;
    x.delay = nullptr;
    waiter.waits = false;
  }
  x.unanswered = waiter.call != nullptr ? waiter.call->sent : x.client_gone;
  if (x.client_gone) co_return nullptr;
  if (waiter.answer == nullptr) co_return std::make_shared<const AuthAnswer>(no_auth_answer(auth, kTooLate));
  co_return waiter.answer;
}

AuthAnswerPtr AuthCalls::remembered(Exchange& x) {
  if (!shares(x)) return nullptr;
  AuthQuestion question(x);
  return memory_.get(question.name(), clock_.steady());
}

Task<void> AuthCalls::run(std::shared_ptr<AuthCalls> self, std::unique_ptr<Call> call) {
  static_cast<void>(self);
  call->alarm->set(call->lasts);
  co_await exchange(*call);
}

Task<void> AuthCalls::exchange(Call& call) {
  auto& to = call.to();
  CircuitGuard passed(to.circuit());
  if (passed.refused()) co_return call.owner->conclude(call, no_auth_answer(call.auth, "too many requests to it fail"));
  call.choice.over = &call.over;
  auto kept = to.take_idle(call.choice);
  const bool was_kept = kept != nullptr;
  auto first = try_once(call, std::move(kept));
  auto tried = co_await first;
  // The service may have closed the pooled connection in the meantime. Other pooled connections may be closed as well,
  // so the second try uses a new connection.
  if (was_kept && tried.again && !call.over) {
    auto second = try_once(call, nullptr);
    tried = co_await second;
  }
  const bool answered = tried.why.empty();
  if (answered || call.late || !call.over)
    passed.end = answered && call.head.status < 500 ? CircuitDoor::End::good : CircuitDoor::End::bad;
  if (!call.concluded) call.owner->conclude(call, no_auth_answer(call.auth, std::move(tried.why)));
}

Task<AuthCalls::TryResult> AuthCalls::try_once(Call& call, upstream::AttemptPtr server) {
  auto& to = call.to();
  const bool kept = server != nullptr;
  if (!server) {
    auto connected = co_await to.connect(call.choice);
    if (connected.has_error()) co_return TryResult{.why = reason_in_words(connected.error())};
    server = std::move(*connected);
  }
  if (call.over) {
    to.give_back(std::move(server));  // no request was sent on it
    co_return TryResult{.why = kTooLate};
  }
  call.attempt = server.get();
  call.sent = true;
  const auto sent_at = call.clock().steady();
  const auto sent = co_await server->send(call.question->start(), {}, http::EndStream::yes);
  TryResult tried;
  if (sent.has_error()) {
    tried = {.why = sent.error().message(), .again = kept};
  } else {
    auto read = read_answer(call, *server, sent_at);
    tried = co_await read;
    tried.again = tried.again && kept;
  }
  call.attempt = nullptr;
  if (tried.why.empty()) {
    if (!call.over && server->body().ended()) to.give_back(std::move(server));
  } else if ((call.late || !call.over) && !tried.again && call.head.status < 200) {
    to.count(server->at(), upstream::kNoAnswer, Duration(0));
    to.note(*server, call.late ? AttemptOutcome::timeout : AttemptOutcome::broken, Duration(-1));
  }
  co_return tried;
}

Task<AuthCalls::TryResult> AuthCalls::read_answer(Call& call, upstream::Attempt& server, Clock::Steady sent_at) {
  const auto timeout = call.auth.options->timeout;
  for (unsigned interim = 0; interim == 0 || call.head.status < 200; ++interim) {
    if (interim > kAuthInterimHeads) co_return TryResult{.why = "it keeps sending interim answers"};
    const auto read = co_await server.read_head(call.head, timeout);
    if (read.has_error()) {
      call.head.status = 0;
      co_return TryResult{.why = reason_in_words(read.error()), .again = read.error().reused || read.error().unseen};
    }
    if (call.head.status == 101) co_return TryResult{.why = "it switches protocols"};
  }
  const auto took = std::chrono::duration_cast<Duration>(call.clock().steady() - sent_at);
  call.to().count(server.at(), call.head.status, took);
  call.to().note(server, call.head.status >= 500 ? AttemptOutcome::server_error : AttemptOutcome::answered, took);
  if (call.over) co_return TryResult{};
  call.counts = auth_answer_counts(call.head, call.auth.options->remember);
  auto answer = auth_answer_of(call.head, call.auth);
  const bool refused = answer.outcome == AuthOutcome::refused;
  if (refused)
    call.refusal = std::move(answer);
  else
    call.owner->conclude(call, std::move(answer));
  // If the service has admitted the request, the rest of its answer is read only so that the connection can be used
  // again.
  auto& from = server.body();
  std::size_t seen = 0;
  bool whole = true;
  while (!from.ended() && whole) {
    const auto bytes = co_await from.read();
    if (call.over) co_return TryResult{};
    whole = bytes.has_value() && (seen += bytes->size()) <= kLongestRefusal;
    if (refused && whole) call.refusal->body += *bytes;
  }
  if (!refused) co_return TryResult{};
  // The refusal stands even if its page is too long or breaks off; the caller then gets no page.
  if (!whole) call.refusal->body.clear();
  call.owner->conclude(call, std::move(*call.refusal));
  co_return TryResult{};
}

void AuthCalls::conclude(Call& call, AuthAnswer&& answer) {
  call.concluded = true;
  std::optional<identity::Sha256> name;
  if (call.remembers()) name = call.question->name();
  if (name)
    if (const auto found = by_name_.find(*name); found != by_name_.end() && found->second == &call)
      by_name_.erase(found);
  if (!answer.why.empty() && (call.late || !call.over)) failed(*call.auth.options, answer.why);
  const auto made = std::make_shared<const AuthAnswer>(std::move(answer));
  if (name && made->outcome == AuthOutcome::allowed && made->shareable)
    memory_.put(*name, call.charged_to, made, clock_.steady() + call.counts);
  while (!call.waiters.empty()) call.release(made);
}

void AuthCalls::failed(const AuthService& service, std::string_view why) {
  const auto now = clock_.steady();
  auto& told = told_[service.to];
  if (told != Clock::Steady() && now - told < kToldEvery) return;
  told = now;
  observe::event(observe::LogLevel::warning, "auth_service_failed", "the authorization service gives no decisions",
                 {{"upstream", service.to}, {"reason", why}});
}

bool AuthCalls::shares(const Exchange& x) const noexcept {
  return x.route->auth->options->remember > Duration(0) && x.snapshot->compiled == current_;
}

void AuthCalls::adopt(std::shared_ptr<const CompiledConfig> next) {
  current_ = std::move(next);
  memory_.clear();
  by_name_.clear();
}

void AuthCalls::stop() {
  stopped_ = true;
  while (!under_way_.empty()) {
    auto& call = static_cast<Call&>(under_way_.front());
    call.unlink();
    call.end("the gateway stops");
  }
}

}  // namespace headgate::gateway
