// How servers are looked after: health checks, how many requests they may have, when their names are looked up.

#include "config/build.hpp"
#include "config/formats/formats.hpp"
#include "config/formats/health_formats.hpp"
#include "config/text/codes.hpp"
#include "config/values.hpp"

#include <boost/asio/ip/address.hpp>

#include <algorithm>

namespace headgate::config {
namespace {

std::vector<upstream::StatusRange> read_expected(const Node* list) {
  std::vector<upstream::StatusRange> out;
  for (const Node* each : children(list, Kind::list)) {
    if (each->kind == Kind::string) {
      if (const auto range = parse_status_range(each->text); range.has_value()) out.push_back(*range);
    } else if (each->kind == Kind::number) {
      unsigned status = 0;
      const char* const end = each->text.data() + each->text.size();
      if (std::from_chars(each->text.data(), end, status).ptr == end) out.push_back({status, status});
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

void build_checks(Build& build, const Node& upstream, upstream::Options& out) {
  const Node* written = find(&upstream, "health");
  if (written == nullptr || written->kind != Kind::object) return;
  auto& health = out.health.emplace();
  read(written, "path", health.path);
  read(written, "host", health.host);
  if (auto expected = read_expected(find(written, "expect")); !expected.empty()) health.expect = std::move(expected);
  read(written, "every", health.every);
  read(written, "timeout", health.timeout);
  read_number(written, "down_after", health.rule.down_after);
  read_number(written, "up_after", health.rule.up_after);
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

void build_places(Build& build, const Node& upstream, upstream::Options& out) {
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
  gateway::ServerQueue queue{.upstream = out.name};
  if (written != nullptr && written->kind == Kind::object) {
    queue.length = 100;
    read_number(written, "length", queue.length);
    read(written, "wait", queue.wait);
    const auto free = std::find_if(out.servers.begin(), out.servers.end(), unbounded);
    if (free != out.servers.end())
      no_effect(build, *written, " while " + free->text + " may have any number of requests",
                R"(write "max_in_flight" beside "servers", for all of them)");
  }
  build.config.gateway.server_queues.push_back(std::move(queue));
}

void build_names(Build& build, const Node& upstream, upstream::Options& out) {
  read(&upstream, "resolve_every", out.resolve_every);
  const Node* written = find(&upstream, "resolve_every");
  const auto address = [](const auto& server) { return is_address(server.host); };
  if (written != nullptr && !out.servers.empty() && std::all_of(out.servers.begin(), out.servers.end(), address))
    no_effect(build, *written, ": all servers are addresses, and none is a name");
}

}  // namespace

void build_care(Build& build, const Node& upstream, upstream::Options& out) {
  read(&upstream, "connection_lifetime", out.connection_lifetime);
  build_checks(build, upstream, out);
  build_places(build, upstream, out);
  build_names(build, upstream, out);
}

}  // namespace headgate::config
