#include "admin/endpoint_groups.hpp"
#include "request_rows.hpp"

#include "headgate/identity/client_address.hpp"
#include "headgate/services/ban_json.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <map>
#include <string>
#include <utility>

namespace headgate::admin {
namespace {

using CallJson = nlohmann::ordered_json;
using gateway::RequestUnderWay;
using session::AddressUse;
using session::ConnectionCall;
using Found = ConnectionCalls::Found;
using What = ConnectionCall::What;

constexpr std::size_t kUsualRows = 100;
constexpr std::size_t kMaxRows = 1000;

/// Rounded to milliseconds.
double seconds_in(Duration time) {
  constexpr double kMillion = 1e6;
  constexpr double kThousand = 1e3;
  return std::round(static_cast<double>(time.count()) / kMillion * kThousand) / kThousand;
}

AdminAnswer refused_call(unsigned status, std::string why) { return {.status = status, .body = std::move(why)}; }

AdminAnswer too_many_calls() {
  return refused_call(503, "Too many calls about connections are under way, or this gateway is shutting down.");
}

AdminAnswer wrong_limit() {
  return refused_call(400, "\"limit\" is a number from 1 to " + std::to_string(kMaxRows) + '.');
}

/// Reads an address in the form in which calls list it: an IPv6 address may be followed by the length of its block.
/// Empty if the text is not an address.
std::optional<boost::asio::ip::address> address_in(std::string text, unsigned ipv6_prefix) {
  const auto slash = std::min(text.find('/'), text.size());
  const auto length = text.substr(slash);
  text.resize(slash);
  error_code ec;
  auto out = boost::asio::ip::make_address(text, ec);
  if (ec) return std::nullopt;
  if (out.is_v6() && out.to_v6().is_v4_mapped())
    out = boost::asio::ip::make_address_v4(boost::asio::ip::v4_mapped, out.to_v6());
  const bool fits = length.empty() || (out.is_v6() ? length == '/' + std::to_string(ipv6_prefix) : length == "/32");
  return fits ? std::optional(out) : std::nullopt;
}

AdminAnswer wrong_address(unsigned ipv6_prefix) {
  return refused_call(400, "Write an address as it is listed: 192.0.2.7, or a block of IPv6 as 2001:db8::/" +
                               std::to_string(ipv6_prefix) + '.');
}

void add_workers(const Found& found, CallJson& out) {
  out["workers"] = found.workers;
  out["answered"] = found.parts.size();
}

AdminAnswer answer_with(const CallJson& out) { return {.body = services::text_of(out), .type = AdminAnswer::kJson}; }

AdminAnswer told_addresses(const Found& found, std::size_t most, std::uint32_t bound) {
  std::map<std::string, AddressUse> all;
  std::uint64_t open = 0;
  for (const auto& part : found.parts) {
    for (const auto& [address, use] : part.addresses) {
      auto& sum = all[address];
      sum.open += use.open;
      sum.idle += use.idle;
      sum.requests += use.requests;
      sum.oldest = std::max(sum.oldest, use.oldest);
      open += use.open;
    }
  }
  std::vector<std::pair<std::string, AddressUse>> rows(all.begin(), all.end());
  const auto shown = std::min(most, rows.size());
  std::partial_sort(rows.begin(), rows.begin() + static_cast<std::ptrdiff_t>(shown), rows.end(),
                    [](const auto& one, const auto& other) {
                      return one.second.open != other.second.open ? one.second.open > other.second.open
                                                                  : one.first < other.first;
                    });
  CallJson out;
  add_workers(found, out);
  out["open"] = open;
  out["bound"] = bound;
  out["addresses"] = rows.size();
  out["left_out"] = rows.size() - shown;
  out["connections"] = CallJson::array();
  rows.resize(shown);
  constexpr double kTenThousand = 1e4;
  for (const auto& [address, use] : rows)
    out["connections"].push_back({{"address", address},
                                  {"open", use.open},
                                  {"idle", use.idle},
                                  {"requests", use.requests},
                                  {"oldest_seconds", seconds_in(use.oldest)},
                                  {"share", std::round(use.open * kTenThousand / bound) / kTenThousand}});
  return answer_with(out);
}

CallJson json_of_request(const RequestUnderWay& request, const std::vector<std::string>& callers,
                         const observe::Logs& logs) {
  CallJson out = {{"id", request.name.text()},
                  {"seconds", seconds_in(request.age)},
                  {"state", request.state},
                  {"protocol", request.protocol},
                  {"method", caller_text(request.method)},
                  {"host", caller_text(request.host)},
                  {"path", caller_text(request.path)},
                  {"route", request.route},
                  {"address", request.address.to_string()}};
  if (!request.upstream.empty()) out["upstream"] = request.upstream;
  if (!request.server.empty()) out["server"] = request.server;
  if (!request.limit.empty()) {
    out["limit"] = request.limit;
    out["key_id"] = logs.key_id(request.key);
  }
  for (std::size_t i = 0; i < std::min(callers.size(), request.callers.size()); ++i)
    if (!request.callers[i].empty()) out["caller"][callers[i]] = caller_text(request.callers[i]);
  out["received_bytes"] = request.received;
  out["sent_bytes"] = request.sent;
  return out;
}

AdminAnswer told_requests(Found found, std::size_t most, const std::vector<std::string>& callers,
                          const observe::Logs& logs) {
  std::vector<RequestUnderWay> rows;
  std::uint64_t matching = 0;
  for (auto& part : found.parts) {
    matching += part.matching;
    std::move(part.requests.begin(), part.requests.end(), std::back_inserter(rows));
  }
  std::sort(rows.begin(), rows.end(), gateway::began_before);
  if (rows.size() > most) rows.resize(most);
  CallJson out;
  add_workers(found, out);
  out["matching"] = matching;
  out["left_out"] = matching - rows.size();
  out["requests"] = CallJson::array();
  for (const auto& row : rows) out["requests"].push_back(json_of_request(row, callers, logs));
  return answer_with(out);
}

std::string silence_of(const Found& found) {
  return std::to_string(found.workers - found.parts.size()) + " of " + std::to_string(found.workers) +
         " workers did not answer within a second";
}

AdminAnswer told_end(const Found& found, const std::vector<std::string>& callers, const observe::Logs& logs) {
  for (const auto& part : found.parts) {
    if (part.requests.empty()) continue;
    const auto& request = part.requests.front();
    auto out = json_of_request(request, callers, logs);
    out["client"] = part.answered > 0 ? "answered" : "closed";
    auto answer = answer_with(out);
    answer.target = "route=" + request.route + " address=" + request.address.to_string();
    return answer;
  }
  if (found.parts.size() < found.workers)
    return refused_call(503, silence_of(found) + ", and the others lack this request.");
  return refused_call(404, "No such request is under way: it has ended, or another process serves it.");
}

AdminAnswer told_end_of_address(const Found& found, const std::string& address) {
  std::uint64_t answered = 0;
  std::uint64_t broken_off = 0;
  std::uint64_t closed = 0;
  for (const auto& part : found.parts) {
    answered += part.answered;
    broken_off += part.broken_off;
    closed += part.closed;
  }
  CallJson out = {{"address", address}};
  add_workers(found, out);
  out["requests_answered"] = answered;
  out["requests_broken_off"] = broken_off;
  out["connections_closed"] = closed;
  auto answer = answer_with(out);
  answer.target = "ended=" + std::to_string(answered + broken_off + closed) +
                  " answered=" + std::to_string(found.parts.size()) + '/' + std::to_string(found.workers);
  return answer;
}

/// The data that the endpoints use.
struct Uses {
  ConnectionCalls& calls;
  const OperatorBoard& operators;
  const observe::Logs& logs;

  session::Bounds bounds() const {
    const auto now = operators.now();
    return now.active ? now.active->config->bounds : session::Bounds();
  }
  std::vector<std::string> callers() const {
    const auto now = operators.now();
    return now.active ? now.active->config->log.callers : std::vector<std::string>();
  }
};

void list_addresses(const Uses& uses, const AdminCall& call, const AdminEndpoint::Give& give) {
  const auto most = limit_asked(call, kUsualRows, kMaxRows);
  if (!most) return give(wrong_limit());
  const auto bound = uses.bounds().connections;
  if (!uses.calls.ask({.what = What::addresses},
                      [give, most, bound](const Found& found) { give(told_addresses(found, *most, bound)); }))
    give(too_many_calls());
}

void list_requests(const Uses& uses, const AdminCall& call, const AdminEndpoint::Give& give) {
  const auto most = limit_asked(call, kUsualRows, kMaxRows);
  if (!most) return give(wrong_limit());
  ConnectionCall::Wanted wanted{.what = What::requests, .most = *most};
  wanted.route = call.asked("route");
  wanted.server = call.asked("server");
  if (const auto address = call.asked("address")) {
    const auto prefix = uses.bounds().ipv6_prefix;
    wanted.address = address_in(*address, prefix);
    if (!wanted.address) return give(wrong_address(prefix));
  }
  wanted.callers = uses.callers();
  const auto tell = [give, most, callers = wanted.callers, &logs = uses.logs](Found found) {
    give(told_requests(std::move(found), *most, callers, logs));
  };
  if (!uses.calls.ask(std::move(wanted), tell)) give(too_many_calls());
}

void end_request(const Uses& uses, const AdminCall& call, const AdminEndpoint::Give& give) {
  const auto name = gateway::RequestName::read(call.parameter("id"));
  if (!name) return give(refused_call(400, "An id looks like 0-2f-1a2b3c, as GET /api/v1/requests lists it."));
  ConnectionCall::Wanted wanted{.what = What::end_request, .name = *name, .callers = uses.callers()};
  const auto tell = [give, callers = wanted.callers, &logs = uses.logs](const Found& found) {
    give(told_end(found, callers, logs));
  };
  if (!uses.calls.ask(std::move(wanted), tell)) give(too_many_calls());
}

void end_address(const Uses& uses, const AdminCall& call, const AdminEndpoint::Give& give) {
  const std::string text(call.parameter("address"));
  const auto prefix = uses.bounds().ipv6_prefix;
  const auto address = address_in(text, prefix);
  if (!address) return give(wrong_address(prefix));
  std::array<char, 64> room{};
  const std::string charged(identity::client_ip_key(*address, prefix, room));
  if (!uses.calls.ask({.what = What::end_address, .address = address},
                      [give, charged](const Found& found) { give(told_end_of_address(found, charged)); }))
    give(too_many_calls());
}

}  // namespace

std::vector<AdminEndpoint> connection_endpoints(ConnectionCalls& calls, const OperatorBoard& operators,
                                                const observe::Logs& logs) {
  const Uses uses{calls, operators, logs};
  const auto by = [uses](auto* answer) {
    return [uses, answer](const AdminCall& call, const AdminEndpoint::Give& give) { answer(uses, call, give); };
  };
  const AdminAbout::Parameter limit{"limit", "how many rows, at most 1000; 100 if it is not there"};
  return {{.method = "GET",
           .path = "/api/v1/connections",
           .answer_later = by(&list_addresses),
           .about = {.summary = "The client connections of each address, those with the most first",
                     .answer = "Connections",
                     .query = {limit}}},
          {.method = "DELETE",
           .path = "/api/v1/connections/{address}",
           .answer_later = by(&end_address),
           .about = {.summary = "Close the connections of an address, of IPv6 of its block, and end their requests",
                     .answer = "EndedConnections"}},
          {.method = "GET",
           .path = "/api/v1/requests",
           .answer_later = by(&list_requests),
           .about = {.summary = "The requests under way, the oldest first",
                     .answer = "Requests",
                     .query = {limit,
                               {"route", "only those of this route"},
                               {"server", "only those at this server"},
                               {"address", "only those of this address"}}}},
          {.method = "DELETE",
           .path = "/api/v1/requests/{id}",
           .answer_later = by(&end_request),
           .about = {.summary = "End a request that is under way", .answer = "EndedRequest"}}};
}

}  // namespace headgate::admin
