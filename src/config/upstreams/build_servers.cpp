#include "build_servers_that_fail.hpp"
#include "config/build.hpp"
#include "config/formats/formats.hpp"
#include "config/text/codes.hpp"
#include "config/tls/build_client_tls.hpp"
#include "config/values.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <vector>

namespace headgate::config {
namespace {

constexpr ClientTlsTexts kServersTlsTexts{.accepted = "any server that answers is accepted, and learns every request",
                                          .name = "upstream"};

const char* scheme(bool tls) { return tls ? "https://" : "http://"; }

/// The texts and objects of a list, or the one text in place of a list.
std::vector<const Node*> members(const Node* written) {
  if (written == nullptr || written->kind != Kind::list) return texts(written);
  std::vector<const Node*> out;
  std::copy_if(written->children.begin(), written->children.end(), std::back_inserter(out),
               [](const Node* child) { return child->kind == Kind::string || child->kind == Kind::object; });
  return out;
}

/// Adds the servers that can be read. Returns the first of them; null if there is none.
const Node* add_servers(Build& build, const Node* written, upstream::Options& out) {
  std::map<std::string, const Node*> seen;
  const Node* begin = nullptr;
  for (const Node* member : members(written)) {
    const Node* each = member->kind == Kind::object ? text_at(member, "url") : member;
    if (each == nullptr) continue;
    auto url = parse_server(each->text);
    if (url.has_error()) continue;
    if (member != each) {
      read_number(member, "weight", url->server.weight);
      read(member, "backup", url->server.backup);
      read_number(member, "max_in_flight", url->server.max_in_flight);
    }
    if (begin == nullptr) {
      begin = each;
      if (url->tls) out.tls.emplace();
    } else if (url->tls != out.tls.has_value()) {
      build.report.error(code::kConflict, *each,
                         std::string(scheme(url->tls)) + " here, but " + scheme(!url->tls) + " at " +
                             build.report.place(begin->span.begin) +
                             ": the servers of one upstream all use TLS, or none of them does",
                         "give this server an upstream of its own");
    }
    const auto [first, fresh] = seen.emplace(url->server.text, each);
    if (!fresh) {
      build.report.warning(code::kDuplicate, *each,
                           "this server is already listed at " + build.report.place(first->second->span.begin) +
                               ", so it gets a double share of the requests",
                           "remove one of the two");
    }
    out.servers.push_back(std::move(url->server));
  }
  if (!out.servers.empty() && std::ranges::all_of(out.servers, &upstream::ServerOptions::backup)) {
    build.report.error(code::kConflict, *begin, "all servers of this upstream are backups, so none of them is one",
                       "remove \"backup\" from the servers that get the requests first");
  }
  return begin;
}

void add_tls(Build& build, const Node& upstream, const Node* first_server, upstream::Options& out) {
  const Node* written = find(&upstream, "tls");
  if (written == nullptr || written->kind != Kind::object) return;
  if (first_server != nullptr && !out.tls) {
    build.report.error_at_key(code::kConflict, *written, "the servers have http://, which does not use TLS",
                              "write \"https://...\", or remove \"tls\"");
  }
  build_client_tls(build.report, *written, out.tls ? *out.tls : out.tls.emplace(), kServersTlsTexts);
}

}  // namespace

void build_upstreams(Build& build) {
  for (const Node* each : children(find(&build.root, "upstreams"), Kind::object)) {
    upstream::Options out;
    out.name = each->key;
    const bool object = each->kind == Kind::object;
    const Node* first_server = add_servers(build, object ? find(each, "servers") : each, out);
    if (object) add_tls(build, *each, first_server, out);
    read(each, "connect_timeout", out.connect_timeout);
    read(each, "idle_timeout", out.idle_timeout);
    read(each, "slow_start", out.slow_start);
    read_number(each, "max_idle", out.max_idle);
    read_size(each, "head_size", out.head_bytes);
    if (object) build_servers_that_fail(build, *each, out);
    build_care(build, *each, out);
    build.config.upstreams.push_back(std::move(out));
    build.upstream_nodes.push_back(each);
  }
}

}  // namespace headgate::config
