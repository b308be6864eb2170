#include "meaning_servers.hpp"

#include "headgate/balance/share_window.hpp"
#include "headgate/core/literals.hpp"

#include <algorithm>
#include <vector>

namespace headgate::config {
namespace {

std::string percent_of(std::uint32_t parts) {
  return std::to_string(std::uint64_t{parts} * 100 / balance::ShareWindow::kWhole) + '%';
}

std::string ejection_of(const std::string& names, const balance::EjectOptions& eject) {
  if (!eject.on) return "\nUpstream " + names + ": a server that fails keeps its requests (\"eject\" is off).\n";
  return "\nUpstream " + names + ": a server gets no requests for " + to_text(eject.time) + " or longer after " +
         std::to_string(eject.in_a_row) + " failures in a row,\n  " + percent_of(eject.share) + " failures within " +
         to_text(eject.of_last) + ", " + to_text(eject.silent) + " without an answer, or " +
         std::to_string(eject.slower) + " times the latency of the others; never all servers.\n";
}

}  // namespace

std::string servers_in_words(const Config& config) {
  std::vector<std::pair<balance::EjectOptions, std::string>> groups;
  for (const auto& upstream : config.upstreams) {
    if (upstream.servers.size() < 2) continue;
    const auto same =
        std::find_if(groups.begin(), groups.end(), [&](const auto& each) { return each.first == upstream.eject; });
    if (same == groups.end())
      groups.emplace_back(upstream.eject, upstream.name);
    else
      same->second += ", " + upstream.name;
  }
  std::string out;
  for (const auto& [eject, names] : groups) out += ejection_of(names, eject);
  for (const auto& upstream : config.upstreams) {
    if (!upstream.circuit) continue;
    const auto& circuit = *upstream.circuit;
    out += "\nUpstream " + upstream.name + " gets no requests for " + to_text(circuit.try_again) + " if " +
           percent_of(circuit.open_at) + " of at least " + std::to_string(circuit.at_least) + " fail within " +
           to_text(circuit.of_last) + "; they are refused with 503.\n";
  }
  return out;
}

}  // namespace headgate::config
