#include "headgate/upstream/h1_upstream.hpp"

#include "h1_pool.hpp"

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

/// How many servers before `at` have its name: one that stands twice has a place of its own for keys each time.
std::size_t namesakes(const Options& options, std::size_t at) {
  const auto begin = options.servers.begin();
  return static_cast<std::size_t>(
      std::count_if(begin, begin + static_cast<std::ptrdiff_t>(at),
                    [&](const ServerOptions& each) { return same_address(each, options.servers[at]); }));
}

std::vector<balance::ServerPtr> rows(const std::vector<std::shared_ptr<H1Pool>>& pools) {
  std::vector<balance::ServerPtr> out;
  out.reserve(pools.size());
  for (const auto& pool : pools) out.push_back(pool->shared_row());
  return out;
}

/// Marks the servers that are full while a policy chooses. Other workers take places, too, so what is marked is true
/// only now; and after a reload the rows may be those of an upstream without bounds.
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

H1Upstream::H1Upstream(Environment environment, const Options& options, TlsUse tls, unsigned worker,
                       const H1Upstream* before, std::shared_ptr<balance::Watch> watch, AllPlaces places,
                       std::shared_ptr<shed::Overload> overload)
    : environment_(environment),
      options_(options),
      tls_(std::move(tls)),
      table_(0),
      watch_(std::move(watch)),
      places_(std::move(places)),
      overload_(std::move(overload)),
      turn_(before ? before->turn_ : worker),
      seed_(keyed_hash(options.name, worker).low) {
  for (std::size_t i = 0; i < options_.servers.size(); ++i) pools_.push_back(pool_for(i, before));
  table_ = balance::Table(rows(pools_));
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

H1Upstream::~H1Upstream() = default;

/// The pool of this server before the reload, or a new one. A server that is new since then starts slowly.
std::shared_ptr<H1Pool> H1Upstream::pool_for(std::size_t at, const H1Upstream* before) const {
  if (before && before->options_.tls == options_.tls) {
    const auto& old = before->options_.servers;
    for (std::size_t i = 0; i < old.size(); ++i) {
      if (!same_address(old[i], options_.servers[at]) || namesakes(before->options_, i) != namesakes(options_, at))
        continue;
      before->pools_[i]->use(options_);
      return before->pools_[i];
    }
  }
  auto pool = std::make_shared<H1Pool>(environment_, options_, at, tls_);
  if (before) pool->row().since = environment_.clock.steady().time_since_epoch().count();
  return pool;
}

std::int64_t H1Upstream::time_of_choice() const noexcept {
  if (!options_.balance->timed && options_.slow_start == Duration(0)) return 0;
  return environment_.clock.steady().time_since_epoch().count();
}

std::optional<std::size_t> H1Upstream::choose(const balance::Choice& choice) const noexcept {
  return options_.balance->choose(table_, {.turn = turn_, .seed = seed_, .now = time_of_choice(), .choice = &choice});
}

std::optional<std::size_t> H1Upstream::choose_anew(balance::Choice& choice) const noexcept {
  const auto at = choose(choice);
  if (at || choice.tried.empty()) return at;
  choice.tried.clear();
  return choose(choice);
}

/// The server that is out and that the next request shall try; none most of the time.
std::optional<std::size_t> H1Upstream::to_try(const balance::Choice& choice) const noexcept {
  const auto number = part_ ? part_->trial.load(std::memory_order_relaxed) : 0;
  if (number == 0 || choice.tried.has(number - 1)) return std::nullopt;
  return number - 1;
}

/// False if the order was withdrawn a moment ago.
bool H1Upstream::take_trial() noexcept { return part_->trial.exchange(0) != 0; }

bool H1Upstream::take_place(std::size_t at, balance::Choice& choice) noexcept {
  if (places_.empty() || !places_[at]) return true;
  if (!places_[at]->take()) return false;
  choice.place = balance::Place(*places_[at], at,
                                std::chrono::duration_cast<Duration>(environment_.clock.steady().time_since_epoch()));
  return true;
}

/// With a place at the server, where it has only so many. If another worker was faster, it chooses again.
std::optional<std::size_t> H1Upstream::choose_with_place(balance::Choice& choice, Anew anew) {
  for (;;) {
    std::optional<std::size_t> at;
    {
      const FullMarks marks(table_, places_);
      at = anew == Anew::yes ? choose_anew(choice) : choose(choice);
    }
    if (!at || take_place(*at, choice)) return at;
  }
}

/// The server at which the choice has a place already, else `out`, which is to be tried, else one that is chosen.
std::optional<std::size_t> H1Upstream::next_server(balance::Choice& choice, std::optional<std::size_t> out) {
  if (choice.place.held()) return choice.place.server();
  if (out && take_place(*out, choice)) return out;
  return choose_with_place(choice, Anew::yes);
}

bool H1Upstream::reserve(balance::Choice& choice) {
  return places_.empty() || next_server(choice, to_try(choice)).has_value();
}

PlaceUse H1Upstream::place_use() const {
  PlaceUse out;
  for (std::size_t i = 0; i < places_.size(); ++i) {
    if (table_[i].out.load(std::memory_order_relaxed) != 0) continue;
    if (!places_[i]) return {};
    out.taken += places_[i]->taken();
    out.most += places_[i]->most();
  }
  return out;
}

Duration H1Upstream::time_for(std::size_t attempts) const {
  double each_second = 0;
  for (const auto& places : places_)
    if (places && places->usual() > Duration(0))
      each_second += places->most() / std::chrono::duration<double>(places->usual()).count();
  if (each_second == 0) return Duration(0);
  const std::chrono::duration<double> time(static_cast<double>(attempts) / each_second);
  return std::chrono::duration_cast<Duration>(time);
}

AttemptPtr H1Upstream::take_idle(balance::Choice& choice) noexcept {
  const auto out = to_try(choice);
  const auto at = next_server(choice, out);
  if (!at) return nullptr;
  auto connection = pools_[*at]->take_idle(*at);
  if (!connection) return nullptr;
  connection->keep(std::move(choice.place));
  if (at != out)
    ++turn_;
  else if (take_trial())
    connection->try_server();
  return connection;
}

Task<Result<AttemptPtr, Failure>> H1Upstream::connect(balance::Choice& choice) {
  Failure last;
  const auto out = to_try(choice);
  auto at = next_server(choice, out);
  if (!at && !places_.empty()) last = {.what = Failed::full, .why = "no server has a free place"};
  bool trial = at && at == out && take_trial();
  while (at) {
    ++turn_;
    auto connected = co_await pools_[*at]->connect(*at);
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

void H1Upstream::use(const NamedAddresses& name) {
  for (std::size_t i = 0; i < pools_.size(); ++i)
    if (options_.servers[i].host == name.host && options_.servers[i].port == name.port)
      pools_[i]->lead_to(name.addresses);
}

void H1Upstream::take_down(std::string_view server) {
  const auto pools = pools_;  // an exchange that ends may begin another one
  for (const auto& pool : pools)
    if (pool->name() == server) pool->break_off();
}

void H1Upstream::give_back(AttemptPtr attempt) {
  auto connection = boost::static_pointer_cast<H1Connection>(std::move(attempt));
  connection->pool().give_back(connection);
}

void H1Upstream::note(Attempt& attempt, balance::Outcome outcome, Duration took) noexcept {
  auto& connection = static_cast<H1Connection&>(attempt);
  auto& row = connection.pool().row();
  row.tally.note(connection.counted(), outcome, took);
  if (outcome != balance::Outcome::answered)
    balance::note_failure(table_, connection.at(), std::max(took, Duration(0)), time_of_choice());
  else if (took >= Duration(0))
    balance::note_latency(row, took, time_of_choice());
}

void H1Upstream::count(std::size_t at, unsigned status, Duration took) noexcept {
  if (counters_.seconds == nullptr) return;
  counters_.requests[at]->add(status == kNoAnswer ? observe::kNoCode : status);
  if (status != kNoAnswer) counters_.seconds->record(took);
}

const std::string& H1Upstream::server_name(std::size_t at) const noexcept { return pools_[at]->name(); }

void H1Upstream::stop() {
  for (auto& pool : pools_) pool->stop();
}

}  // namespace headgate::upstream
