#include "sentinel.hpp"

#include "headgate/core/whole_number.hpp"
#include "headgate/observe/event.hpp"

#include <utility>

namespace headgate::redis {
namespace {

using namespace std::chrono_literals;

/// Parses a host (an address or a name) and a port.
std::optional<RedisNode> read_master(const Reply& reply) {
  if (reply.kind != Reply::Kind::array || reply.elements.size() != 3) return std::nullopt;
  const auto& host = reply.elements[1].text;
  const auto port = whole_number<std::uint16_t>(reply.elements[2].text, 1);
  if (!port || host.empty()) return std::nullopt;
  return RedisNode{host, *port};
}

Discovery::Question question(const RedisOptions& options) {
  return {.words = {"SENTINEL", "GET-MASTER-ADDR-BY-NAME", options.master},
          .username = options.sentinel_username,
          .password = options.sentinel_password,
          .calm = 1s};
}

}  // namespace

Sentinel::Sentinel(boost::asio::io_context& loop, std::shared_ptr<const Setup> setup)
    : setup_(std::move(setup)),
      stats_(node_statistics_.add(setup_->options.master)),
      node_client_(std::make_shared<NodeClient>(loop, setup_, stats_, [this] { changed(); })),
      discovery_(
          std::make_shared<Discovery>(loop, setup_, question(setup_->options), "sentinels/" + setup_->options.master)),
      switches_(std::make_shared<Switches>(loop, setup_)) {}

void Sentinel::start() {
  discovery_->start(setup_->options.nodes, shared_from_this());
  // A Sentinel that announces a switch is queried at once, and from then on before the others, because these may not
  // know of the switch yet.
  switches_->start(setup_->options.nodes, [this](const RedisNode& by) { discovery_->check(by); });
}

Task<Result<bool>> Sentinel::decide(std::span<const limit::Check> checks, std::span<limit::Decision> decisions) {
  return NodeClient::decide(node_client_, checks, decisions);
}

Task<Result<bool>> Sentinel::ask(ScriptQuestion& question, std::string_view) {
  return NodeClient::ask(node_client_, question);
}

std::vector<Servers::Part> Sentinel::parts() const {
  if (!master_) return {};
  return {{.slot = 0, .name = name_of(*master_), .vacant = false}};
}

Task<Result<bool>> Sentinel::ask_part(ScriptQuestion& question, const Part& part) {
  const bool still = master_ && name_of(*master_) == part.name;
  if (!still) co_return Result<bool>(boost::system::in_place_error, Errc::unavailable);
  auto call = NodeClient::ask(node_client_, question);
  co_return co_await call;
}

bool Sentinel::found(const Reply& reply, const RedisNode& asked) {
  auto master = read_master(reply);
  if (!master) return false;
  if (master_ == master) return true;
  const std::string known = master_ ? name_of(*master_) : std::string();
  observe::event(observe::LogLevel::info, "redis_master", {},
                 {{"server", name_of(*master)},
                  {"named_by", name_of(asked)},
                  master_ ? observe::EventField("instead_of", known) : observe::EventField()});
  const auto before = std::exchange(stats_, node_statistics_.add(name_of(*master)));
  node_statistics_.remove(before);
  master_ = std::move(master);
  node_client_->aim(*master_, stats_);
  return true;
}

void Sentinel::nobody(const std::string& reason) {
  // A known master stays in use although no Sentinel confirms it: the gateway leaves a master only if the master itself
  // demands it.
  if (!master_) node_client_->unreachable("no Sentinel names a master; the last one asked, " + reason);
}

void Sentinel::changed() {
  health_.store(node_client_->health(), std::memory_order_relaxed);
  discovery_->well(node_client_->health() == RedisHealth::up);
}

void Sentinel::stop() {
  switches_->stop();
  discovery_->stop();
  node_client_->stop();
  health_.store(RedisHealth::down, std::memory_order_relaxed);
}

}  // namespace headgate::redis
