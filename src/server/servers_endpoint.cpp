#include "servers_endpoint.hpp"

#include "ban_json.hpp"

#include <nlohmann/json.hpp>

#include <utility>

namespace headgate::server {
namespace {

using OrderedRows = nlohmann::ordered_json;

OrderedRows json_of(const balance::ServerReport& server) {
  OrderedRows out = {{"server", server.server}, {"in", server.out == 0}};
  auto why = OrderedRows::array();
  if ((server.out & balance::kEjected) != 0) why.push_back("ejected");
  if ((server.out & balance::kUnhealthy) != 0) why.push_back("unhealthy");
  if ((server.out & balance::kDrained) != 0) why.push_back("drained");
  if ((server.out & balance::kDown) != 0) why.push_back("down");
  if (!why.empty()) out["out"] = std::move(why);
  if (server.reason) out["reason"] = balance::to_text(*server.reason);
  // Without a change it is in since the start.
  if (server.since > Duration(0))
    out["seconds"] = std::chrono::duration_cast<std::chrono::seconds>(server.since).count();
  out["in_flight"] = server.in_flight;
  return out;
}

std::string_view word_of(balance::CircuitState state) {
  switch (state) {
    case balance::CircuitState::open:
      return "open";
    case balance::CircuitState::half_open:
      return "half_open";
    case balance::CircuitState::closed:
      break;
  }
  return "closed";
}

}  // namespace

AdminEndpoint servers_endpoint(std::function<std::vector<UpstreamReport>()> ask) {
  const auto answer = [ask = std::move(ask)](const AdminCall&) {
    auto upstreams = OrderedRows::array();
    for (const auto& report : ask()) {
      OrderedRows row = {{"upstream", report.upstream}};
      if (report.watch.circuit) row["circuit"] = word_of(*report.watch.circuit);
      row["servers"] = OrderedRows::array();
      for (const auto& server : report.watch.servers) row["servers"].push_back(json_of(server));
      upstreams.push_back(std::move(row));
    }
    return AdminAnswer{.body = text_of({{"upstreams", std::move(upstreams)}}), .type = AdminAnswer::kJson};
  };
  return {.method = "GET",
          .path = "/api/v1/servers",
          .answer = answer,
          .about = {.summary = "Which servers get requests, and why others do not", .answer = "Servers"}};
}

}  // namespace headgate::server
