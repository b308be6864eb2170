// Applies another configuration. The side thread reads, checks and compiles it. The main thread does everything else
// that can fail, and then all of it becomes active together.

#include "gateway_program.hpp"
#include "server/process.hpp"
#include "server/workers.hpp"

#include "headgate/keyring/keyring.hpp"
#include "headgate/observe/event.hpp"

#include <boost/asio/post.hpp>

#include <algorithm>
#include <chrono>
#include <exception>
#include <optional>
#include <set>
#include <string>
#include <utility>

namespace headgate::server {
namespace {

/// Returns the longest time limit of a fetch of keys; 0 if no keys are fetched.
Duration longest_fetch(const config::Config& config) {
  Duration longest{0};
  if (!config.identity.jwt) return longest;
  for (const auto& issuer : config.identity.jwt->issuers)
    if (!issuer.keys.jwks_url.empty()) longest = std::max(longest, issuer.keys.fetch_timeout);
  return longest;
}

/// Returns a function that makes a worker's service use `next`.
std::function<void(WorkerService&)> adopting(std::shared_ptr<const services::ActiveConfig> next) {
  return [next = std::move(next)](WorkerService& service) { static_cast<GatewayService&>(service).adopt(next); };
}

}  // namespace

void GatewayProgram::await_keys() {
  watch_keys();
  const auto longest = longest_fetch(*now_->config);
  if (longest > Duration(0)) keyring_->await_first(longest);
}

void GatewayProgram::watch_keys() {
  keyring_->start([this](std::shared_ptr<const identity::Credentials> credentials) {
    now_ = with_credentials(side_, *now_, std::move(credentials));
    now_ = with_overrides(side_, *now_, shared_.overrides->book().list(clock_.wall()));
    shared_.operators.use(now_);
    shared_.overrides->in_force(now_->overrides.get());
    shared_.keys->in_force(keyring_->now()->api_keys);
    if (workers_) workers_->tell(adopting(now_));
  });
}

void GatewayProgram::reload(admin::ReloadFrom from, Tell tell) {
  asked_.push_back({from, std::move(tell)});
  if (!reloading_) begin_reload();
}

/// Begins a reload from the source that the first waiting caller wants. It also serves the callers after that one, up
/// to the first caller that wants another source.
void GatewayProgram::begin_reload() {
  reloading_ = true;
  const auto from = asked_.front().from;
  const auto rest =
      std::find_if(asked_.begin(), asked_.end(), [from](const WaitingCaller& each) { return each.from != from; });
  for (auto each = asked_.begin(); each != rest; ++each) told_.push_back(std::move(each->tell));
  asked_.erase(asked_.begin(), rest);
  if (workers_ == nullptr) {
    ReadAgainConfig none;
    none.mistakes.emplace_back().message =
        draining_ ? "this gateway is shutting down" : "this gateway does not serve yet; try again in a moment";
    return take(from, std::move(none), {});
  }
  if (from == admin::ReloadFrom::previous && !kept_.previous()) {
    admin::ReloadResult result;
    result.from = from;
    result.no_previous = true;
    return ended_reload(result);
  }
  // The side thread does not use `this`; it only passes the pointer back to the main loop.
  const auto come_back = [this, &loop = loop_, from](ReadAgainConfig next,
                                                     std::chrono::system_clock::time_point begun) {
    const auto read = std::make_shared<ReadAgainConfig>(std::move(next));
    boost::asio::post(loop, [this, from, read, begun] {
      if (workers_ != nullptr) take(from, std::move(*read), begun);  // without workers, the process is about to end
    });
  };
  BesideUntilNow beside{file_, candidate_};
  if (from == admin::ReloadFrom::file)
    side_.run([&side = side_, &read_again = read_again_, beside, come_back] {
      const auto begun = std::chrono::system_clock::now();
      come_back(read_ready(side, read_again, beside), begun);
    });
  else
    side_.run([&side = side_, before = *kept_.previous(), beside, come_back] {
      come_back(ready_again(side, before, beside), {});
    });
}

/// Sets the files to watch. If the new configuration is invalid, the mistake may be corrected in any of the old and the
/// new files, so all of them are watched.
void GatewayProgram::watch_next(const ReadAgainConfig& read, std::chrono::system_clock::time_point begun) {
  if (!watch_ || read.watched.empty()) return;
  auto paths = read.watched;
  if (!read.read) {
    const std::set<std::string> known(paths.begin(), paths.end());
    for (const auto& path : watch_->paths())
      if (!known.contains(path)) paths.push_back(path);
  }
  watch_->watch(std::move(paths), begun);
}

/// Applies a configuration that was read. This may wait for keys, and the loop runs meanwhile.
void GatewayProgram::take(admin::ReloadFrom from, ReadAgainConfig next, std::chrono::system_clock::time_point begun) {
  taking_ = true;
  watch_next(next, begun);
  admin::ReloadResult result;
  result.from = from;
  result.file = std::move(next.file);
  result.mistakes = std::move(next.mistakes);
  const auto before = now_;
  result.applied = next.ready && take_ready(std::move(*next.ready), result);
  shared_.operators.reloaded(result);
  log_mistakes(result);
  if (!result.applied) {
    if (from == admin::ReloadFrom::file) {
      shared_.reasons.set(admin::ReasonKind::reload_refused, {}, shared_.operators.now().reload->why_not);
      kept_.refused_file();
    }
    counters_.refused();
    return ended_reload(result);
  }
  if (from == admin::ReloadFrom::file) shared_.reasons.clear(admin::ReasonKind::reload_refused);
  const auto show = [&](admin::ReasonKind kind, bool holds) {
    if (holds)
      shared_.reasons.set(kind);
    else
      shared_.reasons.clear(kind);
  };
  show(admin::ReasonKind::rolled_back, !kept_.is_file() && !kept_.is_promoted());
  show(admin::ReasonKind::promoted, kept_.is_promoted());
  counters_.applied(clock_.wall());
  watch_keys();
  if (before->config->bounds.connections != now_->config->bounds.connections) warn_of_few_descriptors(*now_->config);
  workers_->tell(adopting(now_), [this, &loop = loop_, before, after = now_, result] {
    boost::asio::post(loop, [this, before, after, result] {
      log_changes(*before, *after, result);
      shared_.logs.close_unused();
      ended_reload(result);
    });
  });
}

void GatewayProgram::ended_reload(const admin::ReloadResult& result) {
  taking_ = false;
  reloading_ = false;
  for (const auto& tell : std::exchange(told_, {}))
    if (tell) tell(result);
  if (!asked_.empty()) return begin_reload();
  for (const auto& rest : std::exchange(after_reload_, {})) rest();
}

struct GatewayProgram::Prepared {
  std::optional<observe::Logs::Next> logs;
  std::optional<Listeners::Next> listeners;
  std::optional<Certificates::Next> certificates;
  std::optional<AdminListener::Next> admin;
};

// All steps that can fail come first and change nothing. Then everything becomes active together.
bool GatewayProgram::take_ready(ReadyConfig ready, admin::ReloadResult& result) {
  const auto ending = [&] {
    if (draining_) add_mistake(result, {}, "this gateway is shutting down and takes no other configuration");
    return draining_;
  };
  if (ending()) return false;
  const auto& written = ready.config->upstreams;
  auto used = ready;
  auto sizes = sizes_;
  (void)sizes.keep(written);
  if (!sizes.empty()) {
    auto upstreams = written;
    sizes.apply(upstreams);
    used = with_upstreams(side_, ready, std::move(upstreams));
  }
  std::optional<PendingConfig> next;
  try {
    next = prepare_config(loop_, side_, used, now_.get(), keyring_.get());
  } catch (const std::exception& failure) {
    add_mistake(result, {}, failure.what());
    return false;
  }
  Prepared prepared;
  if (!await_new_sources(*next, result) || ending()) return false;  // a drain may have begun during the wait
  const auto& config = *next->active->config;
  if (!prepare(config, prepared, result)) return false;
  result.changed = changed_keys(*now_->config, config);
  result.anew = services::begun_anew(*now_->config, config);
  result.waiting = waiting_for_restart(*begun_with_, config);
  shared_.logs.use(std::move(*prepared.logs));
  result.listeners = workers_->listeners().use(std::move(*prepared.listeners), config.drain);
  certificates_.use(std::move(*prepared.certificates));
  if (prepared.admin) admin_->use(std::move(*prepared.admin));
  keep_sizes(written);
  // From here on nothing can fail. The counters are copied now, because no request has used the new limits yet.
  if (result.from == admin::ReloadFrom::candidate) carry_counters(*now_, config, shared_.memory, clock_.wall());
  activate(std::move(*next));
  use_candidate(ready.candidate);
  candidate_watch_.use(*now_, candidate_ && candidate_->by_file, result.from == admin::ReloadFrom::candidate);
  if (result.from == admin::ReloadFrom::file) file_ = ready.config;
  if (result.from == admin::ReloadFrom::file)
    kept_.use_file(std::move(ready));
  else if (result.from == admin::ReloadFrom::candidate)
    kept_.use_promoted(std::move(ready));
  else
    kept_.use_previous(std::move(ready));
  return true;
}

bool GatewayProgram::prepare(const config::Config& next, Prepared& prepared, admin::ReloadResult& result) {
  const auto fail = [&](const config::SourceLocation& place, std::string why) {
    // The place is right only for a file that was just read: the file of an older configuration may have changed since
    // then.
    add_mistake(result, result.from == admin::ReloadFrom::file ? place : config::SourceLocation{}, std::move(why));
    return false;
  };
  const auto& places = next.places;
  auto logs = shared_.logs.prepare(next.log);
  if (logs.has_error()) {
    const bool access = logs.error().which == observe::LogFailure::Which::access;
    return fail(access ? places.access_log : places.error_log, logs.error().why);
  }
  prepared.logs = std::move(*logs);
  auto& listeners = workers_->listeners();
  PassedSockets none;
  auto addresses = listeners.prepare(next.listen, none);
  if (addresses.has_error()) return fail(places.listen.at(addresses.error().index), addresses.error().why);
  prepared.listeners = std::move(*addresses);
  auto certificates = certificates_.prepare(
      next.listen, [this](const auto& options, const auto& texts) { return workers_->make_tls(options, texts); });
  if (certificates.has_error()) return fail(places.listen.at(certificates.error().index), certificates.error().why);
  prepared.listeners->use(std::move(certificates->tls));
  prepared.certificates = std::move(*certificates);
  if (admin_) {
    auto admin = admin_->prepare(next.admin);
    if (admin.has_error()) return fail(places.admin, admin.error());
    prepared.admin = std::move(*admin);
    if (const auto listening = admin_->listen(*prepared.admin); listening.has_error())
      return fail(places.admin, listening.error());
  }
  if (const auto listening = listeners.listen(*prepared.listeners); listening.has_error())
    return fail(places.listen.at(listening.error().index), listening.error().why);
  return true;
}

/// Waits for the keys from new addresses. If a new address is mistyped, the active configuration stays in use, because
/// without keys every token would be refused.
bool GatewayProgram::await_new_sources(PendingConfig& next, admin::ReloadResult& result) {
  std::set<std::string> known;
  for (const auto& report : keyring_->reports()) known.insert(report.source);
  const auto missing = [&](const keyring::SourceReport& report) {
    return report.keys == 0 && !report.fresh && !known.contains(report.source);
  };
  auto reports = next.keyring->reports();
  if (std::none_of(reports.begin(), reports.end(), missing)) return true;
  next.keyring->await_first(longest_fetch(*next.active->config));
  reports = next.keyring->reports();
  const auto still = std::find_if(reports.begin(), reports.end(), missing);
  if (still == reports.end()) {
    next.active = with_credentials(side_, *next.active, next.keyring->now());
    return true;
  }
  next.keyring->stop();
  const std::string why = still->trouble.empty() ? "it did not answer in time" : still->trouble;
  add_mistake(result, {}, "the keys of " + still->source + " cannot be fetched: " + why);
  return false;
}

}  // namespace headgate::server
