#include "config/build.hpp"
#include "config/words.hpp"

#include "headgate/core/literals.hpp"
#include "headgate/observe/grpc_status.hpp"
#include "headgate/upstream/retry_budget.hpp"

#include <algorithm>
#include <iterator>
#include <string_view>
#include <vector>

namespace headgate::config {
namespace {

std::string percent(std::uint32_t share) { return std::to_string(share / (gateway::kWholeShare / 100)) + '%'; }

std::string either(const std::vector<std::string>& words) {
  std::string out;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i > 0) out += i + 1 == words.size() ? " or " : ", ";
    out += words[i];
  }
  return out;
}

std::string of_retries(const gateway::UpstreamOptions& upstream) {
  const auto& retry = *upstream.retry;
  std::vector<std::string> words;
  if (retry.on_connect_error) words.emplace_back("no server can be connected to");
  if (retry.on_timeout) words.push_back("its answer takes longer than " + to_text(*retry.timeout_each));
  if (retry.on_closed) words.emplace_back("its server closes the connection before it answers");
  std::vector<std::string> statuses;
  for (const auto status : retry.statuses) statuses.push_back(std::to_string(status));
  if (!statuses.empty()) words.push_back("the answer is " + either(statuses));
  std::vector<std::string> grpc;
  for (std::size_t i = 0; i < observe::kGrpcStatusNames.size(); ++i)
    if ((retry.grpc_statuses >> i & 1U) != 0) grpc.emplace_back(observe::kGrpcStatusNames[i]);
  if (!grpc.empty()) words.push_back("a call of gRPC ends with " + either(grpc) + " before any message");
  return "\nA request to upstream " + upstream.name + " is sent again, up to " + std::to_string(retry.attempts) +
         " times in all, if " + either(words) +
         ":\n  to another server if there is one, and only if that does no harm: nothing was sent yet, or the method "
         "is "
         "idempotent and the body is held\n  for " +
         percent(retry.budget) + " of the requests within 10s, and " + std::to_string(upstream::RetryWindow::kFloor) +
         " a second beside that\n";
}

std::string of_route(const gateway::RouteOptions& route) {
  std::string out;
  if (route.held_body > 0)
    out += "\nRoute " + route.name + " reads bodies of up to " + std::to_string(route.held_body) +
           " bytes before a server is chosen; larger ones are passed on as they come.\n";
  if (route.auth) {
    out += "\nRoute " + route.name + " asks " + route.auth->url + " about each request";
    if (route.auth->remember > Duration(0))
      out += ", and lets an admission count for " + to_text(route.auth->remember) + " where the same would be asked";
    out += ".\n  While it does not answer within " + to_text(route.auth->timeout) +
           (route.auth->if_down == gateway::AuthIfDown::allow ? ", everybody gets in.\n" : ", nobody gets in.\n");
  }
  if (route.basic)
    out += "\nRoute " + route.name + " asks for a name and a password, for \"" + route.basic->realm +
           "\"; its file may change while this runs.\n";
  if (route.mirror)
    out += "\nRoute " + route.name + " sends a copy of " +
           (route.mirror->share == gateway::kWholeShare ? "each request"
                                                        : percent(route.mirror->share) + " of its requests") +
           " to upstream " + route.mirror->to + ", whose answers nobody gets.\n";
  return out;
}

bool has_places(const upstream::ServerGroupOptions& upstream) {
  const auto bounded = [](const auto& server) { return server.max_in_flight > 0; };
  return upstream.concurrency || std::any_of(upstream.servers.begin(), upstream.servers.end(), bounded);
}

/// Returns whether bodies of the route's requests are streamed to the server.
bool streams_bodies(const gateway::RouteOptions& route) {
  static constexpr std::string_view kWithBody[] = {"POST", "PUT", "PATCH"};
  const auto has_body = [](const auto& method) {
    return std::find(std::begin(kWithBody), std::end(kWithBody), method) != std::end(kWithBody);
  };
  return !route.respond && route.held_body == 0 &&
         (route.methods.empty() || std::any_of(route.methods.begin(), route.methods.end(), has_body));
}

/// Returns advice about slow uploads, which hold a place while others wait for one.
std::string of_slow_bodies(const Config& config, const upstream::ServerGroupOptions& upstream) {
  constexpr std::size_t kNamed = 3;
  std::vector<std::string> names;
  std::size_t more = 0;
  for (const auto& route : config.gateway.routes) {
    if (!streams_bodies(route) || !goes_to(route, upstream.name)) continue;
    if (names.size() < kNamed)
      names.push_back(route.name);
    else
      ++more;
  }
  if (names.empty()) return {};
  if (more > 0) names.push_back(std::to_string(more) + " more");
  std::string who;
  for (std::size_t i = 0; i < names.size(); ++i)
    who += (i == 0 ? "" : i + 1 == names.size() ? " and " : ", ") + names[i];
  return "\nBodies of requests of route" + std::string(names.size() > 1 ? "s " : " ") + who +
         " hold a place at upstream " + upstream.name +
         " while they arrive.\n  With \"buffer_request\": \"64KiB\" there it reads bodies of that size first, so a "
         "slow "
         "upload takes no place\n";
}

}  // namespace

std::string delivery_in_words(const Config& config) {
  std::string out;
  for (const auto& upstream : config.upstreams)
    if (upstream.http2)
      out += "\nThe servers of upstream " + upstream.name + " are asked over HTTP/2, " +
             (upstream.tls ? "on which they must agree (ALPN)" : "which they must expect (prior knowledge)") + ".\n";
  for (const auto& upstream : config.upstreams)
    if (has_places(upstream)) out += of_slow_bodies(config, upstream);
  for (const auto& upstream : config.upstreams)
    if (upstream.retry) out += of_retries(upstream);
  for (const auto& route : config.gateway.routes) out += of_route(route);
  return out;
}

}  // namespace headgate::config
