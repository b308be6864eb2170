#include "headgate/admin/server_sizes.hpp"

#include "headgate/balance/table.hpp"

#include <algorithm>

namespace headgate::admin {
namespace {

/// Calls `what` for each server of this name; a server may be listed twice.
template <class Upstreams, class What>
void each_server(Upstreams& upstreams, std::string_view upstream, std::string_view server, What&& what) {
  for (auto& options : upstreams)
    if (options.name == upstream)
      for (auto& one : options.servers)
        if (one.text == server) what(one);
}

}  // namespace

void ServerSizes::set(const Upstreams& upstreams, const std::string& upstream, const std::string& server,
                      const WantedSize& size) {
  const std::pair name{upstream, server};
  if (!sizes_.contains(name))
    each_server(upstreams, upstream, server, [&](const auto& now) {
      sizes_[name] = {.written_weight = now.weight, .written_max_in_flight = now.max_in_flight};
    });
  const auto at = sizes_.find(name);
  if (at == sizes_.end()) return;  // A reload has removed the server.
  if (size.weight) at->second.weight = *size.weight;
  if (size.max_in_flight && at->second.written_max_in_flight > 0) at->second.max_in_flight = *size.max_in_flight;
}

std::vector<std::pair<std::string, std::string>> ServerSizes::keep(const Upstreams& written) {
  std::vector<std::pair<std::string, std::string>> out;
  std::erase_if(sizes_, [&](const auto& each) {
    const auto& name = each.first;
    const auto& size = each.second;
    bool same = false;
    each_server(written, name.first, name.second, [&](const auto& now) {
      same = now.weight == size.written_weight && now.max_in_flight == size.written_max_in_flight;
    });
    if (!same && (size.weight > 0 || size.max_in_flight > 0)) out.push_back(name);
    return !same;
  });
  return out;
}

void ServerSizes::apply(Upstreams& upstreams) const {
  for (const auto& each : sizes_) {
    const auto& size = each.second;
    each_server(upstreams, each.first.first, each.first.second, [&size](auto& server) {
      server.weight = size.weight > 0 ? size.weight : size.written_weight;
      server.max_in_flight = size.max_in_flight > 0 ? size.max_in_flight : size.written_max_in_flight;
    });
  }
}

std::vector<SetSize> ServerSizes::list() const {
  std::vector<SetSize> out;
  for (const auto& [name, size] : sizes_)
    if (size.weight > 0 || size.max_in_flight > 0)
      out.push_back({.upstream = name.first,
                     .server = name.second,
                     .weight = size.weight,
                     .max_in_flight = size.max_in_flight,
                     .written_weight = size.written_weight,
                     .written_max_in_flight = size.written_max_in_flight});
  return out;
}

std::string ServerSizes::restore(const Upstreams& written, const SetSize& size) {
  bool there = false;
  bool same = false;
  each_server(written, size.upstream, size.server, [&](const auto& now) {
    there = true;
    same = now.weight == size.written_weight && now.max_in_flight == size.written_max_in_flight;
  });
  const bool sane = size.weight <= balance::kMaxWeight && (size.max_in_flight == 0 || size.written_max_in_flight > 0);
  if (!sane) return "it cannot be read";
  if (!there) return "the configuration has no such server";
  if (!same) return "the configuration of this server changed";
  sizes_[{size.upstream, size.server}] = {.weight = size.weight,
                                          .max_in_flight = size.max_in_flight,
                                          .written_weight = size.written_weight,
                                          .written_max_in_flight = size.written_max_in_flight};
  return {};
}

bool ServerSizes::has(std::string_view upstream, std::string_view server) const {
  const auto at = sizes_.find({std::string(upstream), std::string(server)});
  return at != sizes_.end() && (at->second.weight > 0 || at->second.max_in_flight > 0);
}

}  // namespace headgate::admin
