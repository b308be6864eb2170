#include "meaning_delivery.hpp"

#include "headgate/core/literals.hpp"
#include "headgate/upstream/retry_budget.hpp"

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

std::string of_retries(const gateway::UpstreamRetry& each) {
  const auto& retry = each.retry;
  std::vector<std::string> words;
  if (retry.on_connect_error) words.emplace_back("no server can be connected to");
  if (retry.on_timeout) words.push_back("its answer takes longer than " + to_text(*retry.timeout_each));
  if (retry.on_closed) words.emplace_back("its server closes the connection before it answers");
  std::vector<std::string> statuses;
  for (const auto status : retry.statuses) statuses.push_back(std::to_string(status));
  if (!statuses.empty()) words.push_back("the answer is " + either(statuses));
  return "\nA request to upstream " + each.upstream + " is sent again, up to " + std::to_string(retry.attempts) +
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
  if (route.mirror)
    out += "\nRoute " + route.name + " sends a copy of " +
           (route.mirror->share == gateway::kWholeShare ? "each request"
                                                        : percent(route.mirror->share) + " of its requests") +
           " to upstream " + route.mirror->to + ", whose answers nobody gets.\n";
  return out;
}

}  // namespace

std::string delivery_in_words(const Config& config) {
  std::string out;
  for (const auto& each : config.gateway.retries) out += of_retries(each);
  for (const auto& route : config.gateway.routes) out += of_route(route);
  return out;
}

}  // namespace headgate::config
