// Translates a whole nginx configuration: its "http" block, or a fragment of one.

#include "translate/draft/json.hpp"
#include "translate/nginx/work.hpp"
#include "translate/products.hpp"

#include <iterator>
#include <utility>

namespace headgate::translate {
namespace {

/// Sets the client timeouts, which headgate has once for the whole process.
void take_timeouts(const NginxScope& http, Draft& draft) {
  const auto put = [&](const char* directive, const char* key) {
    const auto* const found = http.one(directive);
    const auto time = found == nullptr ? std::nullopt : nginx_time(found->word(0));
    if (time && *time > 0) draft.timeouts.set(key, milliseconds(*time));
  };
  put("client_header_timeout", "head");
  put("client_body_timeout", "body");
  put("send_timeout", "write");
  put("keepalive_timeout", "idle");
}

/// Writes nginx's defaults where the file has no value, because its author relied on them.
void take_defaults(const NginxScope& http, Draft& draft) {
  if (http.one("proxy_read_timeout") == nullptr) {
    draft.all_routes.comments.emplace_back("nginx waits a minute for a response by default (headgate: 30s).");
    draft.all_routes.set("timeout", json_text("1m"));
  }
}

}  // namespace

void take_nginx(const std::vector<ReadFile>& inputs, SourceFiles& files, Draft& draft) {
  std::vector<Directive> all;
  std::size_t count = 0;
  for (const auto& input : inputs) {
    auto directives = read_nginx(input.text, input.name, count);
    follow_includes(directives, input.name, files, count);
    std::move(directives.begin(), directives.end(), std::back_inserter(all));
  }
  // A fragment has the contents of "http" at its top level.
  std::vector<Directive> http;
  std::vector<Directive> outside;
  for (auto& each : all) {
    if (each.name == "http" && each.has_block)
      std::move(each.block.begin(), each.block.end(), std::back_inserter(http));
    else if (each.name == "events" && each.has_block)
      std::move(each.block.begin(), each.block.end(), std::back_inserter(outside));
    else
      http.push_back(std::move(each));
  }
  NginxWork work{.draft = draft, .zones = {}, .limits = {}, .upstreams = {}, .maps = {}, .pages = {}, .said = {}};
  for (const auto& each : http)
    if (each.name == "pid") put_pid_file(draft, std::string(each.word(0)), each.spot, each.text());
  say_what_is_left(outside, draft.remarks);
  say_what_is_left(http, draft.remarks);
  find_zones(work, http);
  NginxScope scope;
  scope.enter(http);
  take_upstreams(work, http);
  std::vector<const Directive*> servers;
  // A file that a server includes has locations outside of any "server" block.
  Directive loose{.name = "server", .words = {}, .spot = {}, .has_block = true, .block = {}};
  for (auto& each : http) {
    if (each.name == "server" && each.has_block) servers.push_back(&each);
    if (each.name == "location" && each.has_block) {
      if (loose.block.empty()) loose.spot = each.spot;
      loose.block.push_back(std::move(each));
      each = Directive{.name = "location", .words = {}, .spot = loose.spot, .has_block = false, .block = {}};
    }
  }
  if (!loose.block.empty()) {
    draft.say(Matter::differs, loose.spot, "location",
              "it is outside of any server, so its routes apply to every host");
    loose.block.push_back({.name = "listen", .words = {"8080"}, .spot = loose.spot, .has_block = false, .block = {}});
    servers.push_back(&loose);
  }
  take_timeouts(scope, draft);
  if (!servers.empty()) take_defaults(scope, draft);
  take_servers(work, servers, scope);
  write_error_pages(work);
  keep_unused_zones(work);
}

}  // namespace headgate::translate
