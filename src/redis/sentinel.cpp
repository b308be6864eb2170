#include "sentinel.hpp"

#include "headgate/observe/event.hpp"

#include <charconv>
#include <utility>

namespace headgate::redis {
namespace {

using namespace std::chrono_literals;

/// Host, which may be a name, and port.
std::optional<Node> read_master(const Reply& reply) {
  if (reply.kind != Reply::Kind::array || reply.elements.size() != 3) return std::nullopt;
  const std::string& port = reply.elements[2].text;
  Node node{reply.elements[1].text, 0};
  const auto [end, ec] = std::from_chars(port.data(), port.data() + port.size(), node.port);
  if (ec != std::errc() || end != port.data() + port.size() || node.port == 0 || node.host.empty()) return std::nullopt;
  return node;
}

Discovery::Question question(const Options& options) {
  return {.words = {"SENTINEL", "GET-MASTER-ADDR-BY-NAME", options.master},
          .username = options.sentinel_username,
          .password = options.sentinel_password,
          .calm = 1s};
}

}  // namespace

Sentinel::Sentinel(boost::asio::io_context& loop, std::shared_ptr<const Setup> setup)
    : setup_(std::move(setup)),
      stats_(roster_.add(setup_->options.master)),
      decider_(std::make_shared<Decider>(loop, setup_, stats_, [this] { changed(); })),
      discovery_(
          std::make_shared<Discovery>(loop, setup_, question(setup_->options), "sentinels/" + setup_->options.master)),
      switches_(std::make_shared<Switches>(loop, setup_)) {}

void Sentinel::start() {
  discovery_->start(setup_->options.nodes, shared_from_this());
  // Who told it is asked, and asked first from then on: others may not know of it yet.
  switches_->start(setup_->options.nodes, [this](const Node& by) { discovery_->ask(by); });
}

Task<Result<bool>> Sentinel::decide(std::span<const limit::Ask> asks, std::span<limit::Verdict> verdicts) {
  return Decider::decide(decider_, asks, verdicts);
}

bool Sentinel::found(const Reply& reply, const Node& asked) {
  auto master = read_master(reply);
  if (!master) return false;
  if (master_ == master) return true;
  const std::string known = master_ ? name_of(*master_) : std::string();
  observe::event(observe::LogLevel::info, "redis_master", {},
                 {{"server", name_of(*master)},
                  {"named_by", name_of(asked)},
                  master_ ? observe::EventField("instead_of", known) : observe::EventField()});
  const auto before = std::exchange(stats_, roster_.add(name_of(*master)));
  roster_.remove(before);
  master_ = std::move(master);
  decider_->aim(*master_, stats_);
  return true;
}

void Sentinel::nobody(const std::string& reason) {
  // A master that is known is left by its own word only, not because nobody is there to confirm it.
  if (!master_) decider_->unreachable("no Sentinel names a master; the last one asked, " + reason);
}

void Sentinel::changed() {
  health_.store(decider_->health(), std::memory_order_relaxed);
  discovery_->well(decider_->health() == Health::up);
}

void Sentinel::stop() {
  switches_->stop();
  discovery_->stop();
  decider_->stop();
  health_.store(Health::down, std::memory_order_relaxed);
}

}  // namespace headgate::redis
