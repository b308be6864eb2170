// Upstreams and their servers.

#include "config/build.hpp"
#include "config/formats/formats.hpp"
#include "config/table_shapes.hpp"
#include "config/text/codes.hpp"
#include "config/tls/client.hpp"
#include "config/values.hpp"

#include "headgate/balance/table.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <vector>

namespace headgate::config {
namespace {

constexpr Shape kServer = text("a server's URL", check_server);
constexpr Shape kWeight = integer(1, balance::kMaxWeight);
constexpr Shape kPlacesOfServer = integer(1, 10'000'000);
constexpr Key kServerKeys[] = {
    {"url", &kServer, "", R"("http://api-1:9001")",
     "`http://host[:port]` or `https://host[:port]`, optionally with a path that is put before each request's path",
     required},
    {"weight", &kWeight, kOfOptions, "3", "Share of the requests relative to other servers' weights",
     into<&upstream::ServerOptions::weight>},
    {"backup", &kBoolean, kOfOptions, "true", "Whether the server is used only while no other can be",
     into<&upstream::ServerOptions::backup>},
    {"max_in_flight", &kPlacesOfServer, "", "50", "Like `max_in_flight` of the upstream, for this server",
     into<&upstream::ServerOptions::max_in_flight>},
};
constexpr Section kServerSection{"server", "upstreams.<name>.servers[]", "One server: a URL, or an object.",
                                 kServerKeys};
constexpr Shape kServerObject = section(kServerSection);
constexpr const Shape* kServerForms[] = {&kServer, &kServerObject};
constexpr Shape kServerShape = either("a server's URL or an object", kServerForms);
constexpr Shape kServers = list("a list of servers", kServerShape, 1, 1024);
constexpr Shape kBalancePer = text("a key", check_per);
constexpr Shape kBalancePers = list("a list of keys", kBalancePer, 1, 8);
constexpr const Shape* kBalancePerForms[] = {&kBalancePer, &kBalancePers};
constexpr Shape kBalancePerOrPers{.form = Shape::Form::either,
                                  .what = "a key, or a list of them",
                                  .registered = per_words,
                                  .forms = kBalancePerForms};
constexpr Shape kPolicy{.form = Shape::Form::choice, .what = "a policy", .registered = policy_names};
constexpr Key kBalanceKeys[] = {
    {"policy", &kPolicy, "", R"("consistent_hash")",
     "How a server is chosen; see [servers.md](servers.md#choosing-a-server)", required},
    {"per", &kBalancePerOrPers, "", R"("header:X-User")",
     "For `consistent_hash`: requests with the same value of this key go to the same server; keys as for "
     "`limits.<name>.per`"},
};
constexpr Section kBalance{"balance", "upstreams.<name>.balance", "How a server is chosen: a policy, or an object.",
                           kBalanceKeys};
constexpr Shape kBalanceObject = section(kBalance);
constexpr const Shape* kBalanceForms[] = {&kPolicy, &kBalanceObject};
constexpr Shape kBalanceShape = either("a policy or an object", kBalanceForms);
constexpr Shape kMaxIdle = integer(0, 65'535);
constexpr Shape kAnswerHeadSize = size(1'024, 64UL * 1'024);
constexpr Shape kConcurrencyShape = section(kConcurrencySection);
constexpr Shape kUpstreamTlsShape = section(kUpstreamTlsSection);
constexpr Shape kRetryShape = section(kRetrySection);
constexpr Shape kHealthShape = section(kHealthSection);
constexpr Shape kServerQueueShape = section(kServerQueueSection);
constexpr std::string_view kProtocols[] = {"http1", "http2"};
constexpr Shape kProtocol = choice(kProtocols);
constexpr Key kUpstreamKeys[] = {
    {"servers", &kServers, "", R"(["http://api-1:9001", "http://api-2:9001"])",
     "Servers: URLs (`http://host[:port]` or `https://host[:port]`) or objects. A path, as in `http://host/base`, is "
     "put before each request's path and must be the same for all",
     required},
    {"balance", &kBalanceShape, "", R"("least_in_flight")", "How a server is chosen. Default: `round_robin`"},
    {"slow_start", &kDuration, "", R"("30s")",
     "Time in which a returning or new server grows from a tenth of its share to all of it. Default: full share at "
     "once",
     into<&upstream::ServerGroupOptions::slow_start>},
    {"tls", &kUpstreamTlsShape, "", R"({ "ca": "/etc/headgate/ca.pem" })",
     "TLS to servers with `https://`: trusted authorities and the gateway's certificate"},
    {"protocol", &kProtocol, "http1", R"("http2")",
     "`http1` is HTTP/1.1; `http2` is HTTP/2, by ALPN for `https://` and by prior knowledge for `http://`"},
    {"connect_timeout", &kDuration, kOfOptions, R"("1s")",
     "Maximum time to connect to a server, with name resolution and TLS handshake",
     into<&upstream::ServerGroupOptions::connect_timeout>},
    {"idle_timeout", &kDuration, kOfOptions, R"("30s")", "How long an idle connection stays open",
     into<&upstream::ServerGroupOptions::idle_timeout>},
    {"connection_lifetime", &kDuration, "", R"("10m")",
     "Age at which a connection is closed after its exchange, up to a tenth earlier so that closes spread. Default: "
     "unlimited",
     into<&upstream::ServerGroupOptions::connection_lifetime>},
    {"resolve_every", &kInterval, kOfOptions, R"("30s")",
     "Interval between lookups of server names in the background; all addresses found are used",
     into<&upstream::ServerGroupOptions::resolve_every>},
    {"health", &kHealthShape, "", R"({ "path": "/healthz", "every": "5s" })",
     "Checks whether each server answers. Default: none", into<&upstream::ServerGroupOptions::health>},
    {"max_in_flight", &kPlacesOfServer, "", "50",
     "Maximum number of concurrent requests per server, of all workers of this gateway; others go to another server. "
     "Default: unlimited"},
    {"queue", &kServerQueueShape, "", R"({ "length": 100, "wait": "1s" })",
     "With `max_in_flight`: queue for requests that find no free server"},
    {"max_idle", &kMaxIdle, kOfOptions, "64", "Connections that a worker keeps open to each server",
     into<&upstream::ServerGroupOptions::max_idle>},
    {"head_size", &kAnswerHeadSize, kOfOptions, R"("16KiB")",
     "Status line and fields of an answer, at most 64KiB; 502 beyond", into<&upstream::ServerGroupOptions::head_bytes>},
    {"concurrency", &kConcurrencyShape, "", R"({ "adaptive": true, "reserved": "20%" })",
     "Maximum number of concurrent requests to the upstream"},
    {"eject", &kEjectShape, "", R"({ "time": "10s" })",
     R"(When a failing server gets no requests; `"off"` disables it. Default: on for at least two servers)",
     into<&upstream::ServerGroupOptions::eject>},
    {"circuit", &kCircuitShape, "", R"({ "open_at": "50%" })",
     "When all requests are refused because most fail. Default: never", into<&upstream::ServerGroupOptions::circuit>},
    {"retry", &kRetryShape, "", R"({ "attempts": 3 })",
     "When failed requests are sent again. Default: if not sent at all, or if a kept-alive connection was closed "
     "meanwhile",
     into<&gateway::UpstreamOptions::retry>},
};
constexpr Section kUpstream{"upstream", "upstreams.<name>",
                            "Where requests go: a URL, a list of servers, or an object with these keys.",
                            kUpstreamKeys};
constexpr Shape kUpstreamObject = section(kUpstream);
constexpr const Shape* kUpstreamForms[] = {&kServer, &kUpstreamObject, &kServers};
constexpr Shape kUpstreamShape = either("a URL, an object or a list of servers", kUpstreamForms);

}  // namespace

constexpr Shape kUpstreams = map("an object of upstreams by name", kUpstreamShape);

namespace {

constexpr ClientTlsTexts kServersTlsTexts{.accepted = "any server that answers is accepted, and learns every request",
                                          .name = "upstream"};

const char* scheme(bool tls) { return tls ? "https://" : "http://"; }

/// Returns the texts and objects of a list, or the one text in place of a list.
std::vector<const Node*> members(const Node* written) {
  if (written == nullptr || written->kind != Kind::list) return texts(written);
  std::vector<const Node*> out;
  std::copy_if(written->children.begin(), written->children.end(), std::back_inserter(out),
               [](const Node* child) { return child->kind == Kind::string || child->kind == Kind::object; });
  return out;
}

/// Adds the servers whose texts are valid. Returns the node of the first one; null if there is none.
const Node* add_servers(Build& build, const Node* written, gateway::UpstreamOptions& out) {
  std::map<std::string, const Node*> seen;
  const Node* begin = nullptr;
  for (const Node* member : members(written)) {
    const Node* each = member->kind == Kind::object ? text_at(member, "url") : member;
    if (each == nullptr) continue;
    auto url = parse_server(each->text);
    if (url.has_error()) continue;
    fill(member, kServerSection, url->server);
    if (begin == nullptr) {
      begin = each;
      if (url->tls) out.tls.emplace();
      out.base = url->base;
    } else if (url->base != out.base) {
      build.report.error(code::kConflict, *each,
                         "the path of this URL differs from that of the one at " +
                             build.report.place(begin->span.begin) +
                             ": all servers of one upstream get the same requests",
                         "give this server an upstream of its own");
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
    build.report.error(code::kConflict, *begin, "all servers of this upstream are backups, so they back up nothing",
                       "remove \"backup\" from the servers that get the requests first");
  }
  return begin;
}

void add_tls(Build& build, const Node& upstream, const Node* first_server, upstream::ServerGroupOptions& out) {
  const Node* written = find(&upstream, "tls");
  if (written == nullptr || written->kind != Kind::object) return;
  if (first_server != nullptr && !out.tls) {
    build.report.error_at_key(code::kConflict, *written, "the servers have http://, which does not use TLS",
                              "write \"https://...\", or remove \"tls\"");
  }
  build_client_tls(build.report, *written, out.tls ? *out.tls : out.tls.emplace(), kServersTlsTexts);
}

void add_protocol(Build& build, const Node& upstream, upstream::ServerGroupOptions& out) {
  const Node* written = text_at(&upstream, "protocol");
  out.http2 = written != nullptr && written->text == kProtocols[1];
  if (!out.http2) return;
  if (out.tls) out.tls->protocol = "h2";
  if (const Node* health = find(&upstream, "health"))
    build.report.error_at_key(code::kConflict, *health, "the servers speak HTTP/2, and health checks speak HTTP/1.1",
                              "remove \"health\": \"eject\" takes servers out that fail");
}

}  // namespace

void build_upstreams(Build& build) {
  for (const Node* each : children(find(&build.root, "upstreams"), Kind::object)) {
    gateway::UpstreamOptions out;
    out.name = each->key;
    fill<upstream::ServerGroupOptions>(each, kUpstream, out);
    fill(each, kUpstream, out);
    const bool object = each->kind == Kind::object;
    const Node* first_server = add_servers(build, object ? find(each, "servers") : each, out);
    if (object) add_tls(build, *each, first_server, out);
    if (object) build_servers_that_fail(build, *each, out);
    if (object) add_protocol(build, *each, out);
    build_care(build, *each, out);
    build.config.upstreams.push_back(std::move(out));
    build.upstream_nodes.push_back(each);
  }
}

}  // namespace headgate::config
