#include "single.hpp"

namespace headgate::redis {

Single::Single(boost::asio::io_context& loop, const std::shared_ptr<const Setup>& setup)
    : stats_(node_statistics_.add(name_of(setup->options.nodes.front()))),
      node_client_(std::make_shared<NodeClient>(loop, setup, stats_, nullptr)) {
  node_client_->aim(setup->options.nodes.front(), stats_);
}

Single::~Single() { stop(); }

Task<Result<bool>> Single::decide(std::span<const limit::Check> checks, std::span<limit::Decision> decisions) {
  return NodeClient::decide(node_client_, checks, decisions);
}

Task<Result<bool>> Single::ask(ScriptQuestion& question, std::string_view) {
  return NodeClient::ask(node_client_, question);
}

std::vector<Servers::Part> Single::parts() const { return {{.slot = 0, .name = stats_->name, .vacant = false}}; }

Task<Result<bool>> Single::ask_part(ScriptQuestion& question, const Part&) {
  return NodeClient::ask(node_client_, question);
}

RedisHealth Single::health() const noexcept { return stats_->health.load(std::memory_order_relaxed); }

void Single::stop() { node_client_->stop(); }

}  // namespace headgate::redis
