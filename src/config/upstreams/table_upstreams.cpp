// Upstreams and their servers.

#include "config/table_shapes.hpp"

#include "headgate/balance/table.hpp"

namespace headgate::config {
namespace {

constexpr Shape kServer = text("a server's URL", check_server);
constexpr Shape kWeight = integer(1, balance::kMaxWeight);
constexpr Shape kPlacesOfServer = integer(1, 10'000'000);
constexpr Key kServerKeys[] = {
    {"url", &kServer, "", R"("http://api-1:9001")", "`http://host[:port]`, or `https://host[:port]`", required},
    {"weight", &kWeight, "1", "3", "Its share of the requests, relative to the weights of the other servers"},
    {"backup", &kBoolean, "false", "true", "Whether it gets requests only while no other server may be chosen"},
    {"max_in_flight", &kPlacesOfServer, "", "50", "As `max_in_flight` of the upstream, for this server"},
};
constexpr Section kServerSection{"server", "upstreams.<name>.servers[]", "One server: a URL, or an object.",
                                 kServerKeys};
constexpr Shape kServerObject = section(kServerSection);
constexpr const Shape* kServerForms[] = {&kServer, &kServerObject};
constexpr Shape kServerShape = either("a server's URL or an object", kServerForms);
constexpr Shape kServers = list("a list of servers", kServerShape, 1, 1024);
constexpr Shape kBalancePer = text("what tells requests apart", check_per);
constexpr Shape kBalancePers = list("a list of that", kBalancePer, 1, 8);
constexpr const Shape* kBalancePerForms[] = {&kBalancePer, &kBalancePers};
constexpr Shape kBalancePerOrPers{.form = Form::either,
                                  .what = "what tells requests apart, or a list of that",
                                  .registered = per_words,
                                  .forms = kBalancePerForms};
constexpr Shape kPolicy{.form = Form::choice, .what = "a policy", .registered = policy_names};
constexpr Key kBalanceKeys[] = {
    {"policy", &kPolicy, "", R"("consistent_hash")", "Which server gets a request: {words}", required},
    {"per", &kBalancePerOrPers, "", R"("header:X-User")",
     "For `consistent_hash`: requests with the same value of this go to the same server: {words}, or a list of these"},
};
constexpr Section kBalance{"balance", "upstreams.<name>.balance",
                           "Which server gets a request: a policy, or an object.", kBalanceKeys};
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
constexpr Key kUpstreamKeys[] = {
    {"servers", &kServers, "", R"(["http://api-1:9001", "http://api-2:9001"])",
     "Its servers, `http://host[:port]` each, or `https://host[:port]` each, or objects", required},
    {"balance", &kBalanceShape, "", R"("least_in_flight")",
     "Which of them gets a request, a policy or an object; default: `round_robin`, one after the other"},
    {"slow_start", &kDuration, "", R"("30s")",
     "How long a server that comes back, or is new after a reload, gets less than its share: a tenth at first, then "
     "more and more; default: it gets its share at once"},
    {"tls", &kUpstreamTlsShape, "", R"({ "ca": "/etc/headgate/ca.pem" })",
     "For servers with `https://`: whom to trust, and how the gateway shows who it is"},
    {"connect_timeout", &kDuration, "1s", R"("1s")",
     "How long connecting to one server may take, with name resolution and the TLS handshake"},
    {"idle_timeout", &kDuration, "30s", R"("30s")", "How long an idle connection stays open"},
    {"connection_lifetime", &kDuration, "", R"("10m")",
     "How long a connection is used; then it is closed when its exchange has ended, up to a tenth earlier, so that not "
     "all end at once; default: any time"},
    {"resolve_every", &kInterval, "30s", R"("30s")",
     "How often the names of servers are looked up, in the background; all addresses that are found are used"},
    {"health", &kHealthShape, "", R"({ "path": "/healthz", "every": "5s" })",
     "Checks whether each server answers; default: none"},
    {"max_in_flight", &kPlacesOfServer, "", "50",
     "Maximum number of requests that each server has at the same time, of all workers of this gateway, from the "
     "choice of the server to the end of the answer; others go to another server; default: any number"},
    {"queue", &kServerQueueShape, "", R"({ "length": 100, "wait": "1s" })",
     "With `max_in_flight`: what happens to requests that find no server with a free place"},
    {"max_idle", &kMaxIdle, "64", "64", "Connections a worker keeps open to each server"},
    {"head_size", &kAnswerHeadSize, "64KiB", R"("16KiB")",
     "Status line and fields of an answer, at most 64KiB; 502 beyond"},
    {"concurrency", &kConcurrencyShape, "", R"({ "adaptive": true, "reserved": "20%" })",
     "How many requests it may have at the same time"},
    {"eject", &kEjectShape, "", R"({ "time": "10s" })",
     "When a server gets no requests because it fails; on by default for at least two servers, or `\"off\"`"},
    {"circuit", &kCircuitShape, "", R"({ "open_at": "50%" })",
     "When all requests are refused because most of them fail; default: never"},
    {"retry", &kRetryShape, "", R"({ "attempts": 3 })",
     "When a request that failed is sent again; default: only if it was not sent, or its connection was kept open and "
     "was closed meanwhile"},
};
constexpr Section kUpstream{"upstream", "upstreams.<name>", "Where requests go: a URL, or an object with these keys.",
                            kUpstreamKeys};
constexpr Shape kUpstreamObject = section(kUpstream);
constexpr const Shape* kUpstreamForms[] = {&kServer, &kUpstreamObject};
constexpr Shape kUpstreamShape = either("a URL or an object", kUpstreamForms);

}  // namespace

constexpr Shape kUpstreams = map("an object of upstreams by name", kUpstreamShape);

}  // namespace headgate::config
