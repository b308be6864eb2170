#include "headgate/upstream/server_group.hpp"

#include "headgate/balance/policy.hpp"
#include "headgate/core/hash.hpp"

#include <boost/asio/error.hpp>

#include <algorithm>
#include <chrono>
#include <utility>

namespace headgate::upstream {
namespace {

bool same_address(const ServerOptions& a, const ServerOptions& b) {
  return a.host == b.host && a.port == b.port && a.text == b.text;
}

/// Returns the number of servers before `at` with the same name. A server that is listed twice gets a separate place
/// among the keys for each listing.
std::size_t namesakes(const ServerGroupOptions& options, std::size_t at) {
  const auto begin = options.servers.begin();
  return static_cast<std::size_t>(
      std::count_if(begin, begin + static_cast<std::ptrdiff_t>(at),
                    [&](const ServerOptions& each) { return same_address(each, options.servers[at]); }));
}

/// Marks the servers that are full while a policy chooses. The marks are removed afterwards for two reasons: other
/// workers take and return places as well, and after a reload the rows may be shared with an upstream without bounds.
class FullMarks {
 public:
  FullMarks(balance::Table& table, const AllPlaces& all) : table_(table), all_(all) {
    for (std::size_t i = 0; i < all_.size(); ++i)
      if (all_[i] && all_[i]->full()) table_[i].out.fetch_or(balance::kFull, std::memory_order_relaxed);
  }
  FullMarks(const FullMarks&) = delete;
  FullMarks& operator=(const FullMarks&) = delete;
  ~FullMarks() {
    for (std::size_t i = 0; i < all_.size(); ++i)
      if (all_[i]) table_[i].out.fetch_and(static_cast<std::uint8_t>(~balance::kFull), std::memory_order_relaxed);
  }

 private:
  balance::Table& table_;
  const AllPlaces& all_;
};

}  // namespace

ServerGroup::ServerGroup(Clock& clock, const ServerGroupOptions& options, const Dial& dial, unsigned worker,
                         const ServerGroup* before, std::shared_ptr<balance::Watch> watch, AllPlaces places,
                         std::shared_ptr<shed::Overload> overload)
    : clock_(clock),
      options_(options),
      table_(0),
      watch_(std::move(watch)),
      places_(std::move(places)),
      overload_(std::move(overload)),
      turn_(before ? before->turn_ : worker),
      seed_(keyed_hash(options.name, worker).low) {
  std::vector<balance::ServerPtr> rows;
  for (std::size_t i = 0; i < options_.servers.size(); ++i) {
    auto member = member_for(i, dial, before);
    diallers_.push_back(std::move(member.dialler));
    rows.push_back(std::move(member.row));
  }
  table_ = balance::Table(std::move(rows));
  table_.slow_start(options_.slow_start);
  for (std::size_t i = 0; i < options_.servers.size(); ++i) {
    const auto& server = options_.servers[i];
    auto& row = table_[i];
    row.weight = server.weight;
    row.backup = server.backup;
    row.hash = stable_hash(server.text + std::string(namesakes(options_, i), '+'));
  }
  table_.note_shares();
  if (watch_) part_ = watch_->join(table_);
  if (before && before->concurrency_ && before->options_.concurrency == options_.concurrency)
    concurrency_ = before->concurrency_;
  else if (options_.concurrency)
    concurrency_ = std::make_shared<shed::Concurrency>(*options_.concurrency);
}

ServerGroup::~ServerGroup() = default;

/// Returns the server as it was before the reload, or a new one. A server that the reload has added starts slowly.
ServerGroup::Member ServerGroup::member_for(std::size_t at, const Dial& dial, const ServerGroup* before) const {
  if (before && before->options_.tls == options_.tls && before->options_.http2 == options_.http2) {
    const auto& old = before->options_.servers;
    for (std::size_t i = 0; i < old.size(); ++i) {
      if (!same_address(old[i], options_.servers[at]) || namesakes(before->options_, i) != namesakes(options_, at))
        continue;
      before->diallers_[i]->use(options_);
      return {before->diallers_[i], before->table_.shared(i)};
    }
  }
  auto row = std::make_shared<balance::Server>();
  if (before) row->since = clock_.steady().time_since_epoch().count();
  return {dial(options_, at, row), row};
}

std::int64_t ServerGroup::time_of_choice() const noexcept {
  if (!options_.balance->timed && options_.slow_start == Duration(0)) return 0;
  return clock_.steady().time_since_epoch().count();
}

std::optional<std::size_t> ServerGroup::choose(const balance::Choice& choice) const noexcept {
  return options_.balance->choose(table_, {.turn = turn_, .seed = seed_, .now = time_of_choice(), .choice = &choice});
}

std::optional<std::size_t> ServerGroup::choose_anew(balance::Choice& choice) const noexcept {
  const auto at = choose(choice);
  if (at || choice.tried.empty()) return at;
  choice.tried.clear();
  return choose(choice);
}

/// Returns the ejected server that the next request should try; usually none.
std::optional<std::size_t> ServerGroup::to_try(const balance::Choice& choice) const noexcept {
  const auto number = part_ ? part_->trial.load(std::memory_order_relaxed) : 0;
  if (number == 0 || choice.tried.has(number - 1)) return std::nullopt;
  return number - 1;
}

/// Takes the order to try an ejected server. Returns false if the order was withdrawn a moment ago.
bool ServerGroup::take_trial() noexcept { return part_->trial.exchange(0) != 0; }

bool ServerGroup::take_place(std::size_t at, balance::Choice& choice) noexcept {
  if (places_.empty() || !places_[at]) return true;
  if (!places_[at]->take()) return false;
  choice.place =
      balance::Place(*places_[at], at, std::chrono::duration_cast<Duration>(clock_.steady().time_since_epoch()));
  return true;
}

/// Chooses a server and takes a place at it, if the servers have bounds. Chooses again if another worker was faster in
/// taking the place.
std::optional<std::size_t> ServerGroup::choose_with_place(balance::Choice& choice, Anew anew) {
  for (;;) {
    std::optional<std::size_t> at;
    {
      const FullMarks marks(table_, places_);
      at = anew == Anew::yes ? choose_anew(choice) : choose(choice);
    }
    if (!at || take_place(*at, choice)) return at;
  }
}

/// Returns the server at which `choice` holds a place; otherwise `out`, an ejected server that is due for a trial;
/// otherwise the server that the policy chooses.
std::optional<std::size_t> ServerGroup::next_server(balance::Choice& choice, std::optional<std::size_t> out) {
  if (choice.place.held()) return choice.place.server();
  if (out && take_place(*out, choice)) return out;
  return choose_with_place(choice, Anew::yes);
}

bool ServerGroup::reserve(balance::Choice& choice) {
  return places_.empty() || next_server(choice, to_try(choice)).has_value();
}

PlaceUse ServerGroup::place_use() const {
  PlaceUse out;
  for (std::size_t i = 0; i < places_.size(); ++i) {
    if (table_[i].out.load(std::memory_order_relaxed) != 0) continue;
    if (!places_[i]) return {};
    out.taken += places_[i]->taken();
    out.most += places_[i]->most();
  }
  return out;
}

Duration ServerGroup::time_for(std::size_t attempts) const {
  double each_second = 0;
  for (const auto& places : places_)
    if (places && places->usual() > Duration(0))
      each_second += places->most() / std::chrono::duration<double>(places->usual()).count();
  if (each_second == 0) return Duration(0);
  const std::chrono::duration<double> time(static_cast<double>(attempts) / each_second);
  return std::chrono::duration_cast<Duration>(time);
}

AttemptPtr ServerGroup::take_idle(balance::Choice& choice) noexcept {
  const auto out = to_try(choice);
  const auto at = next_server(choice, out);
  if (!at) return nullptr;
  auto attempt = diallers_[*at]->take_idle(*at);
  if (!attempt) return nullptr;
  attempt->keep(std::move(choice.place));
  if (at != out)
    ++turn_;
  else if (take_trial())
    attempt->try_server();
  return attempt;
}

Task<Result<AttemptPtr, Failure>> ServerGroup::connect(balance::Choice& choice) {
  Failure last;
  const auto out = to_try(choice);
  auto at = next_server(choice, out);
  if (!at && !places_.empty()) last = {.what = Failed::full, .why = "no server has a free place"};
  bool trial = at && at == out && take_trial();
  while (at) {
    ++turn_;
    auto connected = co_await diallers_[*at]->connect(*at);
    if (connected.has_value()) {
      if (trial) (*connected)->try_server();
      (*connected)->keep(std::move(choice.place));
      co_return AttemptPtr(std::move(*connected));
    }
    choice.place = {};
    choice.tried.add(*at);
    last = connected.error();
    if (last.cause == boost::asio::error::operation_aborted) break;
    if (last.what == Failed::own_want) {  // no other server can be connected to either
      if (trial) table_[*at].tally.abandon_trial();
      break;
    }
    count(*at, kNoAnswer, Duration(0));
    table_[*at].tally.fail(outcome_of(last.what), std::exchange(trial, false));
    balance::note_failure(table_, *at, Duration(0), time_of_choice());
    if (choice.over != nullptr && *choice.over) break;
    at = choose_with_place(choice, Anew::no);
  }
  co_return last;
}

void ServerGroup::use(const NamedAddresses& name) {
  for (std::size_t i = 0; i < diallers_.size(); ++i)
    if (options_.servers[i].host == name.host && options_.servers[i].port == name.port)
      diallers_[i]->lead_to(name.addresses);
}

void ServerGroup::take_down(std::string_view server) {
  const auto diallers = diallers_;  // a copy, because an exchange that ends may begin another one
  for (std::size_t i = 0; i < diallers.size(); ++i)
    if (server_name(i) == server) diallers[i]->break_off();
}

void ServerGroup::give_back(AttemptPtr attempt) {
  auto counted = boost::static_pointer_cast<CountedAttempt>(std::move(attempt));
  auto& dialler = counted->dialler();
  dialler.give_back(std::move(counted));
}

void ServerGroup::note(Attempt& attempt, balance::AttemptOutcome outcome, Duration took) noexcept {
  auto& counted = static_cast<CountedAttempt&>(attempt);
  counted.note(outcome, took);
  if (outcome != balance::AttemptOutcome::answered)
    balance::note_failure(table_, counted.at(), std::max(took, Duration(0)), time_of_choice());
  else if (took >= Duration(0))
    balance::note_latency(counted.row(), took, time_of_choice());
}

void ServerGroup::count(std::size_t at, unsigned status, Duration took) noexcept {
  if (counters_.seconds == nullptr) return;
  counters_.requests[at]->add(status == kNoAnswer ? observe::kNoCode : status);
  if (status != kNoAnswer) counters_.seconds->record(took);
}

const std::string& ServerGroup::server_name(std::size_t at) const noexcept { return options_.servers[at].text; }

void ServerGroup::stop() {
  for (auto& dialler : diallers_) dialler->stop();
}

}  // namespace headgate::upstream
