#include "ready_config.hpp"

#include <algorithm>
#include <exception>
#include <stdexcept>
#include <utility>

namespace headgate::server {
namespace {

using TlsContexts = std::vector<std::shared_ptr<const net::TlsContext>>;

/// Reads the files of TLS to servers. Upstreams with the same options share what was read.
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

void add_failure(ReadAgainConfig& out, const std::exception& failure) {
  out.mistakes.emplace_back().message = failure.what();
}

}  // namespace

ReadyConfig make_ready(const SideThread& side, config::Config config) {
  const auto instances = config.redis ? config.redis->instances : 1;
  ReadyConfig out;
  out.compiled = side.freed_here(
      new const gateway::CompiledConfig(config.gateway, config.identity, config.limits, config.upstreams, instances));
  out.upstream_tls = read_tls(config.upstreams);
  config.gateway.routes = {};  // the compiled configuration has its own
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

ReadAgainConfig read_ready(const SideThread& side, const config::ReadAgain& read_again) {
  ReadAgainConfig out;
  try {
    auto read = read_again();
    out.file = std::move(read.file);
    out.mistakes = std::move(read.mistakes);
    out.watched = std::move(read.watched);
    out.read = read.config.has_value();
    if (read.config) out.ready = make_ready(side, std::move(*read.config));
  } catch (const std::exception& failure) {
    add_failure(out, failure);
  }
  return out;
}

ReadAgainConfig ready_again(const ReadyConfig& before) {
  ReadAgainConfig out;
  out.file = before.config->file;
  out.read = true;
  try {
    out.ready = with_files_of_now(before);
  } catch (const std::exception& failure) {
    add_failure(out, failure);
  }
  return out;
}

}  // namespace headgate::server
