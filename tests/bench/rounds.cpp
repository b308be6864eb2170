#include "rounds.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace headgate::bench {

namespace {

/// A proxy with another answer did other work: the row would compare different things.
void check(const Tally& tally, const Peer& peer, const Row& row) {
  const auto& wanted = row.work == Work::refuse ? tally.refused : tally.ok;
  const auto others = tally.ok + tally.refused + tally.failed - wanted;
  // The first requests of each key may pass before it is rejected, and again when the minute is over.
  const auto tolerated = row.work == Work::refuse ? wanted / 100 : 0;
  const bool as_meant = tally.resumed == (row.unit == Unit::resumption && peer.tls ? tally.opened : 0);
  if (wanted > 0 && tally.failed == 0 && others <= tolerated && as_meant) return;
  throw std::runtime_error(peer.name + " in row \"" + row.name + "\": " + std::to_string(tally.ok) +
                           " answers with 200, " + std::to_string(tally.refused) + " with 429, " +
                           std::to_string(tally.failed) + " others or none; " + std::to_string(tally.resumed) + " of " +
                           std::to_string(tally.opened) + " connections resumed a session; " + tally.why);
}

Calling calling(const Peer& peer, const Row& row, const Plan& plan) {
  Calling out{.connections = row.streams > 1 ? plan.shared_connections : plan.connections,
              .streams = row.streams,
              .grpc = row.work == Work::grpc};
  if (peer.tls) out.secrecy = row.unit == Unit::resumption ? Secrecy::resumed : Secrecy::full;
  if (row.unit == Unit::request) return out;
  out.requests_each = 1;
  out.anew = true;
  return out;
}

double turn(Traffic& traffic, const Peer& peer, const Row& row, const Plan& plan) {
  traffic.start(peer.port, calling(peer, row, plan),
                requests_of(row.work == Work::refuse ? 64 : plan.keys,
                            row.work == Work::gzip ? "\r\nAccept-Encoding: gzip" : ""));
  traffic.run_for(plan.warm_up);
  const auto before = traffic.tally();
  const auto cpu = peer.process->cpu_time();
  traffic.run_for(plan.turn);
  const auto used = peer.process->cpu_time() - cpu;
  auto tally = traffic.tally();
  traffic.stop();
  tally.ok -= before.ok;
  tally.refused -= before.refused;
  tally.opened -= before.opened;
  tally.resumed -= before.resumed;
  check(tally, peer, row);
  return std::chrono::duration<double, std::micro>(used).count() / static_cast<double>(tally.ok + tally.refused);
}

}  // namespace

std::vector<std::vector<double>> measure(Traffic& traffic, const std::vector<Peer>& peers, const Row& row,
                                         const Plan& plan) {
  traffic.answer_with(row.body);
  std::vector<std::vector<double>> costs(peers.size());
  for (unsigned round = 0; round < plan.rounds; ++round) {
    for (std::size_t i = 0; i < peers.size(); ++i) {
      // Every peer comes first, second and so on equally often. The direction changes, so that no peer always follows
      // the same one.
      const auto step = round % 2 == 0 ? i : peers.size() - 1 - i;
      const auto which = (step + round / 2) % peers.size();
      costs[which].push_back(turn(traffic, peers[which], row, plan));
    }
  }
  return costs;
}

double quantile(std::vector<double> values, double share) {
  std::sort(values.begin(), values.end());
  const double place = share * static_cast<double>(values.size() - 1);
  const auto below = static_cast<std::size_t>(std::floor(place));
  const auto above = std::min(below + 1, values.size() - 1);
  return values[below] + (values[above] - values[below]) * (place - static_cast<double>(below));
}

Ratio ratio(const std::vector<double>& peer, const std::vector<double>& base) {
  std::vector<double> shares;
  for (std::size_t i = 0; i < peer.size(); ++i) shares.push_back(peer[i] / base[i]);
  return {.low = quantile(shares, 0.25), .middle = quantile(shares, 0.5), .high = quantile(shares, 0.75)};
}

double idle_connection_bytes(Traffic& traffic, const Peer& peer, const Calling& calling, unsigned connections) {
  using namespace std::chrono_literals;
  constexpr unsigned kLot =
      64;  // opened and answered together, so that memory for requests under way is needed for few at once
  const auto open = [&](unsigned count) {
    for (unsigned opened = 0; opened < count; opened += kLot) {
      auto lot = calling;
      lot.connections = kLot;
      lot.requests_each = 1;
      traffic.start(peer.port, lot, requests_of(1));
      for (int i = 0; i < 1000 && traffic.tally().ok + traffic.tally().failed < kLot; ++i) traffic.run_for(1ms);
      if (traffic.tally().ok != kLot) throw std::runtime_error(peer.name + " did not answer every connection once");
    }
  };
  open(kLot);  // what it needs once, whatever the number of connections
  const auto before = peer.process->resident();
  traffic.stop();
  open(connections);
  const auto after = peer.process->resident();
  traffic.stop();
  traffic.run_for(200ms);
  return (static_cast<double>(after) - static_cast<double>(before)) / (connections - kLot);
}

double open_stream_bytes(Traffic& traffic, const Peer& peer, Calling calling, unsigned connections, unsigned streams) {
  using namespace std::chrono_literals;
  const auto wait_for = [&](const std::uint64_t& count, std::uint64_t wanted) {
    for (int i = 0; i < 5000 && count < wanted && traffic.tally().failed == 0; ++i) traffic.run_for(2ms);
    if (count != wanted)
      throw std::runtime_error(peer.name + " has handed on " + std::to_string(count) + " of " + std::to_string(wanted) +
                               " requests: " + traffic.tally().why);
  };
  calling.connections = connections;
  calling.requests_each = 1;
  calling.streams = 1;
  traffic.start(peer.port, calling, {});
  wait_for(traffic.tally().ok, connections);
  const auto before = peer.process->resident();
  traffic.be_silent(true);
  traffic.open_more(streams);
  const auto all = std::uint64_t{streams} * connections;
  wait_for(traffic.tally().held, all);
  const auto after = peer.process->resident();
  traffic.be_silent(false);
  traffic.stop();
  traffic.run_for(200ms);
  return (static_cast<double>(after) - static_cast<double>(before)) / static_cast<double>(all);
}

}  // namespace headgate::bench
