// What servers may have that an operator gave them at run time.

#include "gateway_program.hpp"
#include "server/workers.hpp"

#include "headgate/observe/event.hpp"

#include <utility>

namespace headgate::server {

std::vector<admin::WatchedUpstream> watched_upstreams(const services::ActiveConfig& active,
                                                      const admin::ServerSizes& sizes) {
  std::vector<admin::WatchedUpstream> out;
  for (std::size_t i = 0; i < active.watches.size(); ++i) {
    const auto& options = active.config->upstreams[i];
    auto& row = out.emplace_back(admin::WatchedUpstream{options.name, active.watches[i], {}});
    for (const auto& server : options.servers)
      row.sizes.push_back({.weight = server.weight,
                           .max_in_flight = server.max_in_flight,
                           .backup = server.backup,
                           .set_by_operator = sizes.has(options.name, server.text)});
  }
  return out;
}

void GatewayProgram::use_size(const std::string& upstream, const std::string& server, const admin::WantedSize& size) {
  if (workers_ == nullptr) return;
  // The configuration that a reload takes at the moment has the sizes of its beginning.
  if (taking_) return after_reload_.push_back([this, upstream, server, size] { use_size(upstream, server, size); });
  sizes_.set(now_->config->upstreams, upstream, server, size);
  use_sizes();
  workers_->tell([next = now_](WorkerService& service) { static_cast<GatewayService&>(service).adopt(next); });
}

void GatewayProgram::use_sizes() {
  auto upstreams = now_->config->upstreams;
  sizes_.apply(upstreams);
  now_ = with_servers(side_, *now_, std::move(upstreams));
  use_places(*now_);
  shared_.board.use_upstreams(watched_upstreams(*now_, sizes_));
  shared_.operators.use_same(now_);
  server_watch_.adopt(now_);
  server_care_.adopt(now_);  // what looks after servers must write into the watches that are in force
}

void GatewayProgram::keep_sizes(const admin::ServerSizes::Upstreams& written) {
  for (const auto& [upstream, server] : sizes_.keep(written))
    observe::event(observe::LogLevel::info, "server_size_ended",
                   "the configuration says something else of this server now, so what was set at run time ends",
                   {{"upstream", upstream}, {"server", server}});
}

}  // namespace headgate::server
