#include "gateway_program.hpp"

#include "workers.hpp"

#include "headgate/keyring/keyring.hpp"
#include "headgate/observe/event.hpp"

#include <algorithm>
#include <set>
#include <string>
#include <utility>

namespace headgate::server {
namespace {

/// How long the slowest fetch of keys may take; 0 if no keys are fetched.
Duration longest_fetch(const config::Config& config) {
  Duration longest{0};
  if (!config.identity.jwt) return longest;
  for (const auto& issuer : config.identity.jwt->issuers)
    if (!issuer.keys.jwks_url.empty()) longest = std::max(longest, issuer.keys.fetch_timeout);
  return longest;
}

/// Gives `next` to every service, between two of its steps.
std::function<void(Service&)> adopting(std::shared_ptr<const ActiveConfig> next) {
  return [next = std::move(next)](Service& service) { static_cast<GatewayService&>(service).adopt(next); };
}

}  // namespace

GatewayProgram::GatewayProgram(boost::asio::io_context& loop, const config::Config& config, const ReadAgain& read_again,
                               Shared& shared)
    : loop_(loop),
      read_again_(read_again),
      shared_(shared),
      counters_(shared.registry),
      certificates_(loop, shared.registry) {
  activate(prepare_config(loop_, config, nullptr));
  begun_with_ = now_->config;
  counters_.started(headgate::now());
}

void GatewayProgram::activate(PendingConfig next) {
  if (keyring_) keyring_->stop();
  keyring_ = std::move(next.keyring);
  now_ = std::move(next.active);
  shared_.board.use_limits(now_->config->limits);
  shared_.board.use_rooms(now_->config->gateway.rooms);
  shared_.board.use_keyring(keyring_);
  shared_.bans->adopt(now_->config);
}

void GatewayProgram::await_keys() {
  watch_keys();
  const auto longest = longest_fetch(*now_->config);
  if (longest > Duration(0)) keyring_->await_first(longest);
}

void GatewayProgram::watch_keys() {
  keyring_->start([this](std::shared_ptr<const identity::Credentials> credentials) {
    now_ = with_credentials(loop_, *now_, std::move(credentials));
    if (workers_) workers_->tell(adopting(now_));
  });
}

std::unique_ptr<Service> GatewayProgram::make_service(upstream::Environment environment) {
  return std::make_unique<GatewayService>(now_, shared_, made_++, environment);
}

Result<void, std::string> GatewayProgram::listening(Workers& workers) {
  return certificates_.open(now_->config->listen,
                            [&workers](std::size_t listener, const auto& options, const auto& texts) {
                              return workers.use_tls(listener, options, texts);
                            });
}

void GatewayProgram::started(Workers& workers) {
  certificates_.start();
  workers_ = &workers;
  shared_.board.begin_serving();
}

void GatewayProgram::reload() {
  auto next = reload_config(loop_, read_again_, *keyring_);
  if (!next || !await_new_sources(*next)) return counters_.refused();
  const auto before = now_;
  activate(std::move(*next));
  counters_.applied(headgate::now());
  watch_keys();
  if (!workers_) return;
  certificates_.adopt(now_->config->listen);
  workers_->tell(adopting(now_),
                 [before, after = now_, begun_with = begun_with_] { log_changes(*before, *after, *begun_with); });
}

/// A new address of keys may be mistyped. Then the active configuration stays in use, because without keys
/// every token would be refused.
bool GatewayProgram::await_new_sources(PendingConfig& next) {
  std::set<std::string> known;
  for (const auto& report : keyring_->reports()) known.insert(report.source);
  const auto missing = [&](const keyring::SourceReport& report) {
    return report.keys == 0 && !report.fresh && !known.contains(report.source);
  };
  auto reports = next.keyring->reports();
  if (std::none_of(reports.begin(), reports.end(), missing)) return true;
  next.keyring->start([&](std::shared_ptr<const identity::Credentials> credentials) {
    next.active = with_credentials(loop_, *next.active, std::move(credentials));
  });
  next.keyring->await_first(longest_fetch(*next.active->config));
  reports = next.keyring->reports();
  const auto still = std::find_if(reports.begin(), reports.end(), missing);
  if (still == reports.end()) return true;
  next.keyring->stop();
  const std::string_view why = still->trouble.empty() ? "it did not answer in time" : std::string_view(still->trouble);
  observe::event(observe::LogLevel::error, "config_refused",
                 "no keys can be fetched; the active configuration stays in use",
                 {{"source", still->source}, {"reason", why}});
  return false;
}

void GatewayProgram::ended() {
  workers_ = nullptr;
  certificates_.stop();
  keyring_->stop();
  shared_.bans->stop();
}

}  // namespace headgate::server
