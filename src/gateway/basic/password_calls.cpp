#include "password_calls.hpp"

#include "headgate/gateway/delay.hpp"

#include <algorithm>
#include <utility>

namespace headgate::gateway {

/// An exchange that waits for a check. Lives in the frame of the waiting coroutine.
struct PasswordCalls::Waiter : boost::intrusive::list_base_hook<> {
  Waiter(Clock& clock, Duration patience) : delay(clock, patience, Delay::For::auth) {}
  Waiter(const Waiter&) = delete;
  Waiter& operator=(const Waiter&) = delete;
  ~Waiter();

  Delay delay;
  PasswordCalls* owner = nullptr;
  Call* call = nullptr;  ///< null once the check has ended
  Outcome outcome = Outcome::unknown;
};

struct PasswordCalls::Call {
  Hash name;
  bool known = false;
  Hash address;
  std::optional<FailureCharge> charge;
  std::shared_ptr<PasswordCheck> check;
  boost::intrusive::list<Waiter> waiters;
};

PasswordCalls::Waiter::~Waiter() {
  if (call == nullptr) return;
  auto& left = *call;
  left.waiters.erase(left.waiters.iterator_to(*this));
  if (left.waiters.empty()) owner->forsake(left);
}

PasswordCalls::PasswordCalls(Clock& clock, PasswordPool* pool) : clock_(clock), pool_(pool) {}

PasswordCalls::~PasswordCalls() { stop(); }

PasswordQuestion PasswordCalls::question(const Exchange& x, const identity::Users& users,
                                         identity::BasicCredentials&& shown) const {
  PasswordQuestion out;
  const auto* hash = users.hash_of(shown.user);
  out.known = hash != nullptr;
  if (hash == nullptr) hash = users.instead(keyed_hash(shown.user, 0).low);
  out.hash = *hash;
  out.password = std::move(shown.password);
  out.name = names_.name(shown.user, out.hash, out.known, x.caller.ip_key, out.password.view());
  return out;
}

bool PasswordCalls::counts(const Table& table, const Hash& name) const noexcept {
  const auto* const entry = table.find(name);
  return entry != nullptr && entry->until > clock_.steady();
}

std::optional<bool> PasswordCalls::remembered(const PasswordQuestion& question) const noexcept {
  if (counts(right_, question.name)) return true;
  if (counts(wrong_, question.name)) return false;
  return std::nullopt;
}

void PasswordCalls::remember(Table& table, const Hash& name, Duration time) {
  auto* entry = table.find(name);
  if (entry == nullptr)
    entry = table.insert(
        name, [](const Remembered& a, const Remembered& b) { return a.until > b.until; },
        [](const Remembered&) { return false; });
  if (entry != nullptr) entry->until = clock_.steady() + time;
}

void PasswordCalls::note(const Hash& name, const Hash& address, bool right) {
  remember(right ? right_ : wrong_, name, right ? kRightFor : kWrongFor);
  if (right) remember(proven_, address, kRightFor);
}

PasswordCalls::Call* PasswordCalls::begin(const Exchange& x, PasswordQuestion&& question,
                                          std::optional<FailureCharge>&& charge) {
  if (!inbox_) inbox_ = std::make_shared<PasswordInbox>(clock_, &PasswordCalls::collect, this);
  auto call = std::make_unique<Call>();
  call->name = question.name;
  call->known = question.known;
  call->check = std::make_shared<PasswordCheck>();
  auto& check = *call->check;
  call->address = keyed_hash(x.caller.ip_key, 0);
  check.key = call->address;
  // Addresses that have shown a right password have priority, so that others cannot keep them out.
  check.priority = counts(proven_, call->address) ? shed::Priority::critical : shed::Priority::normal;
  check.password = std::move(question.password);
  check.hash = std::move(question.hash);
  check.to = inbox_;
  if (!pool_->ask(call->check)) {
    if (charge) charge->give_back();
    return nullptr;
  }
  call->charge = std::move(charge);
  auto& made = *call;
  calls_.emplace(made.name, std::move(call));
  return &made;
}

Task<PasswordCalls::Outcome> PasswordCalls::ask(Exchange& x, PasswordQuestion question,
                                                std::optional<FailureCharge> charge, Duration patience) {
  if (stopped_) co_return Outcome::unknown;
  if (pool_ == nullptr) {
    const bool right = identity::is_password(question.password, question.hash) && question.known;
    note(question.name, keyed_hash(x.caller.ip_key, 0), right);
    if (right && charge) charge->give_back();
    co_return right ? Outcome::right : Outcome::wrong;
  }
  const auto found = calls_.find(question.name);
  auto* const call = found != calls_.end() ? found->second.get() : begin(x, std::move(question), std::move(charge));
  if (call == nullptr) co_return Outcome::unknown;
  Waiter waiter(clock_, patience);
  waiter.owner = this;
  waiter.call = call;
  call->waiters.push_back(waiter);
  x.delay = &waiter.delay;
  co_await waiter.delay;
  x.delay = nullptr;
  x.unanswered = waiter.call != nullptr || x.client_gone;
  co_return x.client_gone ? Outcome::gone : waiter.outcome;
}

/// Removes the check from the queue. A check that has begun continues, and its result is remembered and charged. If a
/// check leaves the queue, its attempt stays charged, because otherwise it would cost nothing to fill the queue.
void PasswordCalls::forsake(Call& call) noexcept {
  if (!pool_->drop(*call.check)) return;
  if (const auto found = calls_.find(call.name); found != calls_.end()) calls_.erase(found);
}

void PasswordCalls::conclude(Call& call, Outcome outcome) {
  while (!call.waiters.empty()) {
    auto& waiter = call.waiters.front();
    call.waiters.pop_front();
    waiter.call = nullptr;
    waiter.outcome = outcome;
    waiter.delay.end();
  }
}

void PasswordCalls::collect(void* self) {
  auto& calls = *static_cast<PasswordCalls*>(self);
  for (const auto& check : calls.inbox_->take()) {
    const auto found =
        std::ranges::find_if(calls.calls_, [&](const auto& each) { return each.second->check == check; });
    if (found == calls.calls_.end()) continue;
    auto& call = *found->second;
    const bool right = check->right.value_or(false) && call.known;
    if (check->right) calls.note(call.name, call.address, right);
    if (call.charge && (right || !check->right)) call.charge->give_back();
    calls.conclude(call, !check->right ? Outcome::unknown : right ? Outcome::right : Outcome::wrong);
    calls.calls_.erase(found);
  }
}

void PasswordCalls::stop() {
  stopped_ = true;
  if (inbox_) inbox_->close();
  for (auto& [name, call] : calls_) {
    static_cast<void>(pool_->drop(*call->check));
    conclude(*call, Outcome::unknown);
  }
  calls_.clear();
}

}  // namespace headgate::gateway
