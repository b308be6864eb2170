#include "ready_config.hpp"

#include "headgate/core/read_file.hpp"
#include "headgate/usage/prices.hpp"

#include <algorithm>
#include <exception>
#include <stdexcept>
#include <utility>

namespace headgate::server {
namespace {

using TlsContexts = std::vector<std::shared_ptr<const net::TlsContext>>;

/// Reads the TLS files for servers. Upstreams with the same options share them.
TlsContexts read_tls(const std::vector<gateway::UpstreamOptions>& upstreams) {
  TlsContexts out;
  for (const auto& options : upstreams) {
    auto& context = out.emplace_back();
    if (!options.tls) continue;
    const auto same =
        std::find_if(out.begin(), out.end(), [&](const auto& one) { return one && one->options() == *options.tls; });
    if (same != out.end()) {
      context = *same;
      continue;
    }
    auto made = net::TlsContext::of_client(*options.tls);
    if (made.has_error()) throw std::runtime_error("upstream " + options.name + ": " + made.error());
    context = std::move(*made);
  }
  return out;
}

gateway::Sharers sharers_of(const config::Config& config) {
  return config.redis ? gateway::Sharers(config.redis->instances, fleet_of_process()) : gateway::Sharers();
}

std::shared_ptr<const usage::Prices> read_prices(const std::string& file) {
  const auto text = read_file(file, usage::kMaxPriceFile);
  if (text.has_error()) throw std::runtime_error("the price file " + file + " cannot be read: " + text.error().text());
  auto prices = usage::Prices::parse(*text);
  if (prices.has_error()) throw std::runtime_error("the price file " + file + ':' + to_text(prices.error()));
  return std::make_shared<const usage::Prices>(std::move(*prices));
}

void add_failure(ReadAgainConfig& out, const std::exception& failure) {
  out.mistakes.emplace_back().message = failure.what();
}

/// Compiles the configuration without everything that has no effect for a candidate: the answers to callers and their
/// consequences, and all metrics except those of limits.
std::shared_ptr<const gateway::CompiledConfig> compile_beside(const SideThread& side, const config::Config& written,
                                                              const config::Config& live) {
  auto path = written.gateway;
  path.shedding.loop_lag = Duration(0);
  auto identity = written.identity;
  identity.api_key = live.identity.api_key;
  identity.jwt = live.identity.jwt;
  auto limits = written.limits;
  for (auto& limit : limits) {
    limit.appointments.reset();
    limit.notify_at.clear();
    limit.bill = false;
  }
  return side.freed_here(
      new const gateway::CompiledConfig(path, identity, std::move(limits), written.upstreams, sharers_of(written)));
}

}  // namespace

const std::shared_ptr<gateway::FleetSize>& fleet_of_process() {
  static const auto fleet = std::make_shared<gateway::FleetSize>();
  return fleet;
}

ReadyCandidate make_candidate(const SideThread& side, std::shared_ptr<const config::Config> written,
                              const config::Config& live) {
  ReadyCandidate out;
  out.compiled = compile_beside(side, *written, live);
  const auto& prices = written->identity.price_file;
  if (!prices.empty() && prices != live.identity.price_file) out.prices = read_prices(prices);
  out.written = std::move(written);
  return out;
}

ReadyConfig make_ready(const SideThread& side, config::Config config) {
  const auto sharers = sharers_of(config);
  ReadyConfig out;
  out.compiled = side.freed_here(
      new const gateway::CompiledConfig(config.gateway, config.identity, config.limits, config.upstreams, sharers));
  out.upstream_tls = read_tls(config.upstreams);
  if (config.candidate) {
    out.candidate = make_candidate(side, config.candidate, config);
    out.candidate->by_file = true;
    config.candidate.reset();  // kept apart from the configuration, because an operator may drop it
  }
  config.gateway.routes = {};  // the compiled configuration has routes of its own
  out.config = side.freed_here(new const config::Config(std::move(config)));
  return out;
}

ReadyConfig with_files_of_now(const ReadyConfig& before) {
  auto out = before;
  out.upstream_tls = read_tls(before.config->upstreams);
  return out;
}

ReadyConfig with_upstreams(const SideThread& side, const ReadyConfig& before,
                           std::vector<gateway::UpstreamOptions> upstreams) {
  auto out = before;
  auto config = *before.config;
  config.upstreams = std::move(upstreams);
  out.config = side.freed_here(new const config::Config(std::move(config)));
  return out;
}

namespace {

bool names_another(const config::Config& now, const config::Config* before) {
  return before == nullptr || now.named_candidate != before->named_candidate;
}

/// Gives `live` the candidate that is set now, compiled again for `live`.
void keep_candidate(const SideThread& side, const BesideUntilNow& beside, ReadyConfig& live) {
  live.candidate = beside.candidate;
  if (beside.candidate) live.candidate->compiled = compile_beside(side, *beside.candidate->written, *live.config);
}

}  // namespace

ReadAgainConfig read_ready(const SideThread& side, const config::ReadAgain& read_again, const BesideUntilNow& beside) {
  ReadAgainConfig out;
  try {
    auto read = read_again();
    out.file = std::move(read.file);
    out.mistakes = std::move(read.mistakes);
    out.watched = std::move(read.watched);
    out.read = read.config.has_value();
    if (read.config) {
      const bool another = names_another(*read.config, beside.file.get());
      if (!another) read.config->candidate.reset();
      out.ready = make_ready(side, std::move(*read.config));
      if (!another) keep_candidate(side, beside, *out.ready);
    }
  } catch (const std::exception& failure) {
    add_failure(out, failure);
  }
  return out;
}

ReadAgainConfig ready_to_promote(const SideThread& side, const config::Config& written) {
  ReadAgainConfig out;
  out.file = written.file;
  out.read = true;
  try {
    out.ready = make_ready(side, written);
  } catch (const std::exception& failure) {
    add_failure(out, failure);
  }
  return out;
}

ReadAgainConfig ready_again(const SideThread& side, const ReadyConfig& before, const BesideUntilNow& beside) {
  ReadAgainConfig out;
  out.file = before.config->file;
  out.read = true;
  try {
    out.ready = with_files_of_now(before);
    keep_candidate(side, beside, *out.ready);
  } catch (const std::exception& failure) {
    add_failure(out, failure);
  }
  return out;
}

}  // namespace headgate::server
