#include "build.hpp"
#include "codes.hpp"
#include "formats.hpp"
#include "values.hpp"

#include <map>

namespace headgate::config {
namespace {

void add_servers(Build& build, const Node* written, upstream::Options& out) {
  std::map<std::string, const Node*> seen;
  for (const Node* each : texts(written)) {
    auto server = parse_server(each->text);
    if (server.has_error()) continue;
    const auto [first, fresh] = seen.emplace(server->text, each);
    if (!fresh) {
      build.report.warning(
          code::kDuplicate, *each,
          "this server already stands at " + build.report.place(first->second->span.begin) + ", so it gets two shares",
          "remove one of the two");
    }
    out.servers.push_back(std::move(*server));
  }
}

// A user or password written in the URL and beside it.
void read_login(Build& build, const Node& redis, const char* key, std::string& out) {
  const Node* node = text_at(&redis, key);
  if (node == nullptr) return;
  if (!out.empty()) {
    build.report.error_at_key(code::kConflict, *node, in_quotes(key) + " stands in \"url\" too", "keep one of the two");
  }
  out = node->text;
}

}  // namespace

void build_redis(Build& build) {
  const Node* redis = find(&build.root, "redis");
  if (redis == nullptr || redis->kind != Kind::object) return;
  auto& out = build.config.redis.emplace();
  if (const Node* url = text_at(redis, "url")) {
    if (const auto read = parse_redis_url(url->text); read.has_value()) {
      out.host = read->host;
      out.port = read->port;
      out.database = read->database;
      out.username = read->username;
      out.password = read->password;
    }
  }
  read_login(build, *redis, "username", out.username);
  read_login(build, *redis, "password", out.password);
  if (!out.username.empty() && out.password.empty()) {
    const Node* place = find(redis, "username") != nullptr ? find(redis, "username") : find(redis, "url");
    if (place->kind == Kind::string && find(redis, "password") == nullptr) {
      build.report.error(code::kConflict, *place, "a Redis user needs a password",
                         R"(add "password": "${REDIS_PASSWORD}")");
    }
  }
  read(redis, "timeout", out.timeout);
  read(redis, "key_prefix", out.key_prefix);
  read_number(redis, "instances", out.instances);
  read_number(redis, "max_in_flight", out.max_in_flight);
}

void build_upstreams(Build& build) {
  for (const Node* each : children(find(&build.root, "upstreams"), Kind::object)) {
    upstream::Options out;
    out.name = each->key;
    add_servers(build, each->kind == Kind::object ? find(each, "servers") : each, out);
    read(each, "connect_timeout", out.connect_timeout);
    read(each, "idle_timeout", out.idle_timeout);
    read_number(each, "max_idle", out.max_idle);
    build.config.upstreams.push_back(std::move(out));
    build.upstream_nodes.push_back(each);
  }
}

}  // namespace headgate::config
