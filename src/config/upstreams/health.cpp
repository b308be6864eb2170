// Health checks of servers, their bounds of requests, and the look-ups of their names.

#include "config/build.hpp"
#include "config/formats/formats.hpp"
#include "config/table_shapes.hpp"
#include "config/text/codes.hpp"
#include "config/values.hpp"
#include "config/words.hpp"

#include "headgate/core/literals.hpp"
#include "headgate/core/whole_number.hpp"

#include <boost/asio/ip/address.hpp>

#include <algorithm>

namespace headgate::config {
namespace {

constexpr Shape kHealthPath = text("a path", check_health_path);
constexpr Shape kHealthHost = text("a host", check_health_host);
constexpr Shape kCheckedStatus = integer(100, 599);
constexpr Shape kCheckedStatuses = text("a range of statuses", check_status_range);
constexpr const Shape* kExpectForms[] = {&kCheckedStatus, &kCheckedStatuses};
constexpr Shape kExpectOne = either("a status or a range of them", kExpectForms);
constexpr Shape kExpect = list("a list of statuses and ranges", kExpectOne, 1, 64);
constexpr Shape kRun = integer(1, 1'000);
constexpr Key kHealthKeys[] = {
    {"path", &kHealthPath, "", R"("/healthz")",
     "Path and query of a GET request on a connection of its own. Default: a check only connects, with the TLS "
     "handshake for `https://`",
     into<&upstream::HealthOptions::path>},
    {"host", &kHealthHost, "", R"("api.internal")", "`Host` of the request. Default: the server",
     into<&upstream::HealthOptions::host>},
    {"expect", &kExpect, R"(["200-299"])", R"([200, "300-399"])",
     "Statuses that pass: numbers, and ranges such as `200-299`"},
    {"every", &kInterval, kOfOptions, R"("5s")",
     "Interval between checks of a server, varied by a tenth so that checks spread",
     into<&upstream::HealthOptions::every>},
    {"timeout", &kDuration, kOfOptions, R"("1s")", "Maximum duration of a check, including the connection",
     into<&upstream::HealthOptions::timeout>},
    {"down_after", &kRun, kOfOptions, "3",
     "Consecutive failed checks that take a server out of rotation; the first check of a server decides alone",
     into<&upstream::HealthOptions::rule, &balance::HealthRule::down_after>},
    {"up_after", &kRun, kOfOptions, "2", "Consecutive passed checks that bring it back",
     into<&upstream::HealthOptions::rule, &balance::HealthRule::up_after>},
};
constexpr Shape kServerQueueLength = integer(1, 1'000'000);
constexpr Key kServerQueueKeys[] = {
    {"length", &kServerQueueLength, "100", "100", "Maximum number of waiting requests, of all workers together",
     into<&gateway::ServerQueue::length>},
    {"wait", &kDuration, kOfOptions, R"("1s")",
     "Longest wait. Requests with an earlier route `timeout` or `X-Request-Deadline` wait less",
     into<&gateway::ServerQueue::wait>},
};

}  // namespace

constexpr Section kHealthSection{"health", "upstreams.<name>.health",
                                 "Background checks of servers; see [servers.md](servers.md).", kHealthKeys};
constexpr Section kServerQueueSection{"server_queue", "upstreams.<name>.queue",
                                      "With `max_in_flight`: requests that wait for a free server, by priority and in "
                                      "turn by address. Default: they are refused at once.",
                                      kServerQueueKeys};

namespace {

std::vector<upstream::StatusRange> read_expected(const Node* list) {
  std::vector<upstream::StatusRange> out;
  for (const Node* each : children(list, Kind::list)) {
    if (each->kind == Kind::string) {
      if (const auto range = parse_status_range(each->text); range.has_value()) out.push_back(*range);
    } else if (each->kind == Kind::number) {
      if (const auto status = whole_number<unsigned>(each->text)) out.push_back({*status, *status});
    }
  }
  return out;
}

void no_effect(Build& build, const Node& written, const std::string& why, std::string help = "remove it") {
  build.report.warning_at_key(code::kNoEffect, written, in_quotes(written.key) + " has no effect" + why,
                              std::move(help));
}

bool is_address(const std::string& host) {
  error_code ec;
  boost::asio::ip::make_address(host, ec);
  return !ec;
}

void build_checks(Build& build, const Node& upstream, upstream::ServerGroupOptions& out) {
  const Node* written = find(&upstream, "health");
  if (!out.health) return;
  auto& health = *out.health;
  if (auto expected = read_expected(find(written, "expect")); !expected.empty()) health.expect = std::move(expected);
  if (health.path.empty())
    for (const char* key : {"host", "expect"})
      if (const Node* each = find(written, key))
        no_effect(build, *each, " without \"path\": a check only connects", R"(add "path": "/healthz")");
  if (health.timeout > health.every) {
    const Node* where = find(written, "timeout");
    if (where == nullptr) where = find(written, "every");
    build.report.warning(code::kNoEffect, *where,
                         "a check may take " + to_text(health.timeout) + ", longer than \"every\" (" +
                             to_text(health.every) + "), and two checks of a server never overlap",
                         "raise \"every\" or lower \"timeout\"");
  }
}

void build_places(Build& build, const Node& upstream, gateway::UpstreamOptions& out) {
  std::uint32_t most = 0;
  read_number(&upstream, "max_in_flight", most);
  for (auto& server : out.servers)
    if (server.max_in_flight == 0) server.max_in_flight = most;
  const auto unbounded = [](const auto& server) { return server.max_in_flight == 0; };
  const Node* written = find(&upstream, "queue");
  if (std::all_of(out.servers.begin(), out.servers.end(), unbounded)) {
    if (written != nullptr && !out.servers.empty())
      no_effect(build, *written, " without \"max_in_flight\"", R"(add "max_in_flight": 50)");
    return;
  }
  auto& queue = out.server_queue.emplace();
  if (written != nullptr && written->kind == Kind::object) {
    queue.length = 100;
    fill(written, kServerQueueSection, queue);
    const auto free = std::find_if(out.servers.begin(), out.servers.end(), unbounded);
    if (free != out.servers.end())
      no_effect(build, *written, " while " + free->text + " may have any number of requests",
                R"(write "max_in_flight" beside "servers", for all of them)");
  }
}

void build_names(Build& build, const Node& upstream, upstream::ServerGroupOptions& out) {
  const Node* written = find(&upstream, "resolve_every");
  const auto address = [](const auto& server) { return is_address(server.host); };
  if (written != nullptr && !out.servers.empty() && std::all_of(out.servers.begin(), out.servers.end(), address))
    no_effect(build, *written, ": all servers are addresses, and none is a name");
}

}  // namespace

void build_care(Build& build, const Node& upstream, gateway::UpstreamOptions& out) {
  build_checks(build, upstream, out);
  build_places(build, upstream, out);
  build_names(build, upstream, out);
}

namespace {

std::string statuses(const std::vector<upstream::StatusRange>& ranges) {
  std::string out;
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    out += i == 0 ? "" : i + 1 == ranges.size() ? " or " : ", ";
    out += std::to_string(ranges[i].least);
    if (ranges[i].most != ranges[i].least) out += " to " + std::to_string(ranges[i].most);
  }
  return out;
}

/// Returns "one failed check takes", or "3 failed checks in a row take".
std::string checks(std::uint32_t count, const char* how, const std::string& verb) {
  return count == 1 ? std::string("one ") + how + " check " + verb + 's'
                    : std::to_string(count) + ' ' + how + " checks in a row " + verb;
}

std::string health_of(const upstream::ServerGroupOptions& upstream) {
  const auto& health = *upstream.health;
  std::string out = "  every " + to_text(health.every) + " each server ";
  out += health.path.empty() ? "is connected to" : "is asked for " + health.path;
  out += ", and must " + (health.path.empty() ? std::string("accept") : "answer with " + statuses(health.expect)) +
         " within " + to_text(health.timeout) + '\n';
  return out + "  " + checks(health.rule.down_after, "failed", "take") + " it out of rotation, " +
         checks(health.rule.up_after, "passed", "bring") +
         " it back; it is up until its first check, which decides alone\n";
}

std::string bounds_of(const gateway::UpstreamOptions& upstream) {
  std::uint64_t all = 0;
  std::string out;
  for (const auto& server : upstream.servers) {
    all += server.max_in_flight;
    if (server.max_in_flight > 0)
      out += (out.empty() ? "" : ", ") + server.text + " at most " + std::to_string(server.max_in_flight);
  }
  if (all == 0) return {};
  out = "  requests at the same time: " + out + '\n';
  const auto& queue = *upstream.server_queue;
  out += queue.length == 0 ? "  a request that finds no free place is refused with 503\n"
                           : "  up to " + std::to_string(queue.length) + " requests wait for a free place, at most " +
                                 to_text(queue.wait) + "; others are refused with 503\n";
  return out;
}

}  // namespace

std::string care_in_words(const Config& config) {
  std::string out;
  for (const auto& upstream : config.upstreams) {
    auto lines = upstream.health ? health_of(upstream) : std::string();
    lines += bounds_of(upstream);
    if (!lines.empty()) out += "\nThe servers of upstream " + upstream.name + ":\n" + lines;
  }
  return out;
}

}  // namespace headgate::config
