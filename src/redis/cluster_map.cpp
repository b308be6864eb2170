// How a cluster follows its map: which nodes there are, which slot is whose, and whether all is well.
#include "cluster.hpp"

#include "headgate/observe/event.hpp"

#include <algorithm>
#include <utility>

namespace headgate::redis {
namespace {

constexpr int kMostProbeSubjects = 1 << 18;  // sixteen for each slot: enough to meet an owner of a single one

void add_once(std::vector<Node>& all, const Node& node) {
  if (std::find(all.begin(), all.end(), node) == all.end()) all.push_back(node);
}

}  // namespace

bool Cluster::found(const Reply& reply, const Node& asked) {
  const auto ranges = read_slots(reply.elements, asked);
  if (!ranges || ranges->empty()) return false;
  adopt(*ranges);
  std::vector<Node> who;
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
  if (mapped_) return;  // the nodes that are known speak for themselves
  hopeless_ = true;
  static_cast<void>(reason);  // discovery has told the log
  health_.store(Health::down, std::memory_order_relaxed);
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

/// Each owner is probed in a slot of its own: it would send us on from another one, and not show whether it decides.
void Cluster::choose_probes() {
  const auto owner_of = [&](const std::string& subject) {
    return owner_of_[slot_of_subject(setup_->options.key_prefix, subject, key_)];
  };
  std::vector<bool> has(members_.size());
  std::size_t lacking = 0;
  for (std::size_t i = 0; i < members_.size(); ++i) {
    has[i] = !members_[i].owner || owner_of(members_[i].decider->probed_with()) == i;
    lacking += has[i] ? 0 : 1;
  }
  for (int number = 0; lacking > 0 && number < kMostProbeSubjects; ++number) {
    auto subject = std::to_string(number);
    const auto owner = owner_of(subject);
    if (owner == kNobody || has[owner]) continue;
    members_[owner].decider->probe_with(std::move(subject));
    has[owner] = true;
    --lacking;
  }
}

/// Nodes without slots, but for those a call has been sent to just now: a node that slots are moved to owns none at
/// first.
void Cluster::forget_others() {
  const auto stays = [](const Member& member) { return member.owner || member.decider->in_flight() > 0; };
  std::vector<std::uint16_t> place(members_.size(), kNobody);
  std::vector<Member> kept;
  kept.reserve(members_.size());
  for (std::size_t i = 0; i < members_.size(); ++i) {
    if (stays(members_[i])) {
      place[i] = static_cast<std::uint16_t>(kept.size());
      kept.push_back(std::move(members_[i]));
    } else {
      observe::event(observe::LogLevel::info, "redis_node_left", {}, {{"server", members_[i].stats->name}});
      roster_.remove(members_[i].stats);
      members_[i].decider->retire();
    }
  }
  members_ = std::move(kept);
  for (auto& owner : owner_of_)
    if (owner != kNobody) owner = place[owner];
}

std::uint16_t Cluster::member(const Node& node) {
  for (std::size_t i = 0; i < members_.size(); ++i)
    if (members_[i].node == node) return static_cast<std::uint16_t>(i);
  auto stats = roster_.add(name_of(node));
  auto decider = std::make_shared<Decider>(loop_, setup_, stats, [this] { changed(); });
  decider->aim(node, stats);
  members_.push_back({node, std::move(stats), std::move(decider)});
  return static_cast<std::uint16_t>(members_.size() - 1);
}

void Cluster::changed() {
  if (stopped_ || !mapped_) return;
  Health all = Health::up;
  for (const auto& member : members_) {
    if (!member.owner) continue;
    way_back_until_ = std::max(way_back_until_, member.decider->way_back_until());
    if (member.decider->health() == Health::down) all = Health::down;
    if (member.decider->health() == Health::trying && all == Health::up) all = Health::trying;
  }
  health_.store(all, std::memory_order_relaxed);
  discovery_->well(all == Health::up);
}

}  // namespace headgate::redis
