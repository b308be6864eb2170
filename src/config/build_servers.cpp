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
      build.report.warning(code::kDuplicate, *each,
                           "this server is already listed at " + build.report.place(first->second->span.begin) +
                               ", so it gets a double share of the requests",
                           "remove one of the two");
    }
    out.servers.push_back(std::move(*server));
  }
}

}  // namespace

void build_upstreams(Build& build) {
  for (const Node* each : children(find(&build.root, "upstreams"), Kind::object)) {
    upstream::Options out;
    out.name = each->key;
    add_servers(build, each->kind == Kind::object ? find(each, "servers") : each, out);
    read(each, "connect_timeout", out.connect_timeout);
    read(each, "idle_timeout", out.idle_timeout);
    read_number(each, "max_idle", out.max_idle);
    read_size(each, "head_size", out.head_bytes);
    build.config.upstreams.push_back(std::move(out));
    build.upstream_nodes.push_back(each);
  }
}

}  // namespace headgate::config
