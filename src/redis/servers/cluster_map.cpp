// The part of a cluster that follows its map: nodes, owners of slots, and health.
#include "cluster.hpp"

#include "headgate/observe/event.hpp"

#include <algorithm>
#include <utility>

namespace headgate::redis {
namespace {

// number of keys to try: sixteen for each slot, so that a key is found even for a node that owns a single slot
constexpr int kMaxProbeKeys = 1 << 18;

void add_once(std::vector<RedisNode>& all, const RedisNode& node) {
  if (std::find(all.begin(), all.end(), node) == all.end()) all.push_back(node);
}

}  // namespace

bool Cluster::found(const Reply& reply, const RedisNode& asked) {
  const auto ranges = read_slots(reply.elements, asked);
  if (!ranges || ranges->empty()) return false;
  adopt(*ranges);
  std::vector<RedisNode> who;
  for (const auto& range : *ranges) add_once(who, range.master);
  for (const auto& range : *ranges)
    for (const auto& replica : range.replicas) add_once(who, replica);
  for (const auto& seed : setup_->options.nodes) add_once(who, seed);
  discovery_->candidates(std::move(who));
  mapped_ = true;
  changed();
  wake();
  return true;
}

void Cluster::nobody(const std::string& reason) {
  if (mapped_) return;  // the known nodes report their own health
  hopeless_ = true;
  static_cast<void>(reason);  // discovery has logged it
  health_.store(RedisHealth::down, std::memory_order_relaxed);
  wake();
}

void Cluster::adopt(const std::vector<SlotRange>& ranges) {
  for (auto& member : members_) member.owner = false;
  owner_of_.fill(kNobody);
  for (const auto& range : ranges) {
    const std::uint16_t index = member(range.master);
    members_[index].owner = true;
    std::fill(owner_of_.begin() + range.first, owner_of_.begin() + range.last + 1, index);
  }
  forget_others();
  choose_probes();
}

/// Probes each owner with a key in one of its own slots. A node would redirect a probe for another slot, and the
/// redirect would not show whether the node can decide.
void Cluster::choose_probes() {
  const auto owner_of = [&](const std::string& key) {
    return owner_of_[slot_of_key(setup_->options.key_prefix, key, key_)];
  };
  std::vector<bool> has(members_.size());
  std::size_t lacking = 0;
  for (std::size_t i = 0; i < members_.size(); ++i) {
    has[i] = !members_[i].owner || owner_of(members_[i].node_client->probed_with()) == i;
    lacking += has[i] ? 0 : 1;
  }
  for (int number = 0; lacking > 0 && number < kMaxProbeKeys; ++number) {
    auto key = std::to_string(number);
    const auto owner = owner_of(key);
    if (owner == kNobody || has[owner]) continue;
    members_[owner].node_client->probe_with(std::move(key));
    has[owner] = true;
    --lacking;
  }
}

/// Retires nodes without slots. A node with active calls stays, because a node that is about to receive slots owns none
/// at first.
void Cluster::forget_others() {
  const auto stays = [](const Member& member) { return member.owner || member.node_client->in_flight() > 0; };
  std::vector<std::uint16_t> place(members_.size(), kNobody);
  std::vector<Member> kept;
  kept.reserve(members_.size());
  for (std::size_t i = 0; i < members_.size(); ++i) {
    if (stays(members_[i])) {
      place[i] = static_cast<std::uint16_t>(kept.size());
      kept.push_back(std::move(members_[i]));
    } else {
      observe::event(observe::LogLevel::info, "redis_node_left", {}, {{"server", members_[i].stats->name}});
      node_statistics_.remove(members_[i].stats);
      members_[i].node_client->retire();
    }
  }
  members_ = std::move(kept);
  for (auto& owner : owner_of_)
    if (owner != kNobody) owner = place[owner];
}

std::uint16_t Cluster::member(const RedisNode& node) {
  for (std::size_t i = 0; i < members_.size(); ++i)
    if (members_[i].node == node) return static_cast<std::uint16_t>(i);
  auto stats = node_statistics_.add(name_of(node));
  auto node_client = std::make_shared<NodeClient>(loop_, setup_, stats, [this] { changed(); });
  node_client->aim(node, stats);
  members_.push_back({node, std::move(stats), std::move(node_client)});
  return static_cast<std::uint16_t>(members_.size() - 1);
}

std::vector<Servers::Part> Cluster::parts() const {
  std::vector<Part> out;
  if (!mapped_) return out;
  std::vector<bool> seen(members_.size());
  for (std::size_t slot = 0; slot < kSlots; ++slot) {
    const auto owner = owner_of_[slot];
    const auto lowest = static_cast<std::uint16_t>(slot);
    if (owner != kNobody) {
      if (!seen[owner]) out.push_back({.slot = lowest, .name = name_of(members_[owner].node), .vacant = false});
      seen[owner] = true;
      continue;
    }
    while (slot + 1 < kSlots && owner_of_[slot + 1] == kNobody) ++slot;
    out.push_back(
        {.slot = lowest, .name = "slots " + std::to_string(lowest) + '-' + std::to_string(slot), .vacant = true});
  }
  return out;
}

Task<Result<bool>> Cluster::ask_part(ScriptQuestion& question, const Part& part) {
  const auto owner = owner_of_[part.slot];
  const bool still = owner != kNobody && name_of(members_[owner].node) == part.name;
  if (!still) co_return Result<bool>(boost::system::in_place_error, Errc::unavailable);
  auto call = NodeClient::ask(members_[owner].node_client, question);
  co_return co_await call;
}

void Cluster::changed() {
  if (stopped_ || !mapped_) return;
  RedisHealth all = RedisHealth::up;
  for (const auto& member : members_) {
    if (!member.owner) continue;
    recovering_until_ = std::max(recovering_until_, member.node_client->recovering_until());
    if (member.node_client->health() == RedisHealth::down) all = RedisHealth::down;
    if (member.node_client->health() == RedisHealth::trying && all == RedisHealth::up) all = RedisHealth::trying;
  }
  health_.store(all, std::memory_order_relaxed);
  discovery_->well(all == RedisHealth::up);
}

}  // namespace headgate::redis
