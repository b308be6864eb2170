// Builds the options of the listening addresses from the keys of the file.

#include "config/build.hpp"
#include "config/formats/formats.hpp"
#include "config/table.hpp"
#include "config/table_shapes.hpp"
#include "config/text/codes.hpp"
#include "config/values.hpp"

#include <chrono>
#include <map>
#include <utility>

namespace headgate::config {
namespace {

constexpr WordsUpTo<net::ListenProtocol::rate_limit_service> kListenProtocol({"http", "decision",
                                                                              "rate_limit_service"});
constexpr Shape kListenProtocolShape = choice(kListenProtocol);
constexpr WordsUpTo<net::AskingProxy::envoy> kAskingProxy({"clients", "nginx", "traefik", "caddy", "envoy"});
constexpr Shape kAskingProxyShape = choice(kAskingProxy);

constexpr Shape kSettleWithin{.form = Shape::Form::duration, .what = "a duration from 1s to 1d", .least = 1'000'000};
constexpr Duration kLongestReservation = std::chrono::hours(24);

constexpr Key kListenerKeys[] = {
    {"address", &kListenAddress, "", R"(":8080")",
     "Listening address: `:PORT` (all addresses), `IP:PORT` or `[IPV6]:PORT`", required},
    {"http2", &kBoolean, "", "true",
     "Whether clients may use HTTP/2: by ALPN with `tls`, otherwise by prior knowledge; never by `Upgrade`. Default: "
     "`true` with `tls`, otherwise `false`",
     into<&net::ListenOptions::http2>},
    {"proxy_protocol", &kBoolean, kOfOptions, "true",
     "Whether connections from `identity.trusted_proxies` begin with a PROXY protocol header, version 1 or 2. Nobody "
     "else may send one",
     into<&net::ListenOptions::proxy_protocol>},
    {"protocol", &kListenProtocolShape, kOfOptions, R"("decision")",
     "`http` answers requests; `decision` only decides about them for another proxy; see [decisions.md](decisions.md); "
     "`rate_limit_service` decides for Envoy; see [rate_limit_service.md](rate_limit_service.md)",
     into<&net::ListenOptions::protocol>},
    {"from", &kAskingProxyShape, kOfOptions, R"("nginx")",
     "With `protocol` `decision`: the proxy that asks, and so the fields in which it names the request of its client. "
     "It "
     "must be one of `identity.trusted_proxies`",
     into<&net::ListenOptions::from>},
    {"settle_within", &kSettleWithin, "", R"("5m")",
     "With `protocol` `decision`: decisions whose costs are known later are settled by a second call, `POST /settle`, "
     "and end by themselves after this time; see [decisions.md](decisions.md#settle-a-decision-afterwards)",
     into<&net::ListenOptions::settle_within>},
    {"redirect_to_https", &kRedirectToHttps, "false", "true",
     "Whether requests without TLS are redirected to `https://`; a number is the port there, if not 443"},
    {"tls", &kServerTlsShape, "",
     R"({ "certificate": "/etc/headgate/tls/fullchain.pem", "key": "/etc/headgate/tls/privkey.pem" })",
     "Certificates and TLS settings; clients then connect with `https://`"},
};
constexpr Section kListener{"listener", "listen", "A listening address with its options.", kListenerKeys};
constexpr Shape kListenerObject = section(kListener);
constexpr const Shape* kListenForms[] = {&kListenAddress, &kListenerObject};
constexpr Shape kListenOne = either("an address", kListenForms);
constexpr Shape kListenMany = list("a list of addresses", kListenOne, 1, 64);
constexpr const Shape* kListenAllForms[] = {&kListenAddress, &kListenerObject, &kListenMany};

void check_decision(Build& build, const Node& node, net::ListenOptions& options) {
  if (options.protocol == net::ListenProtocol::rate_limit_service) options.http2 = true;  // gRPC
  const bool decides = options.protocol == net::ListenProtocol::decision;
  if (const Node* within = find(&node, "settle_within")) {
    if (!decides)
      build.report.error_at_key(code::kConflict, *within, R"("settle_within" belongs to a listener for decisions)",
                                R"(add "protocol": "decision", or remove it)");
    else if (options.settle_within > kLongestReservation)
      build.report.error(code::kRange, *within, "a reservation cannot stay open for more than a day", R"(write "5m")");
  }
  const Node* from = find(&node, "from");
  if (decides && options.from == net::AskingProxy::none)
    return build.report.error_at_key(code::kMissing, *find(&node, "protocol"),
                                     "the proxy that asks for decisions is not known",
                                     R"(add "from": "nginx", or the proxy that you use)");
  if (!decides && options.from != net::AskingProxy::none)
    return build.report.error_at_key(code::kConflict, *from, R"("from" belongs to a listener for decisions)",
                                     R"(add "protocol": "decision", or remove it)");
  if (decides && options.https_port != 0)
    build.report.error_at_key(code::kConflict, *find(&node, "redirect_to_https"),
                              "a proxy that asks for decisions follows no redirect", "remove it");
}

void add_listener(Build& build, const Node& node, std::map<std::string, const Node*>& seen) {
  const Node* address = node.kind == Kind::object ? text_at(&node, "address") : &node;
  if (address == nullptr || address->kind != Kind::string) return;
  auto options = parse_listen(address->text);
  if (options.has_error()) return;
  const auto [first, fresh] = seen.emplace(options->host + ' ' + std::to_string(options->port), address);
  if (!fresh && options->port != 0) {
    build.report.error(code::kDuplicate, *address,
                       "this address is already in the list, at " + build.report.place(first->second->span.begin),
                       "remove one of the two");
  }
  if (node.kind == Kind::object) {
    std::optional<std::uint16_t> https_port;
    read_https_port(node, https_port);
    fill(&node, kListener, *options);
    options->https_port = https_port.value_or(0);
    check_decision(build, node, *options);
  }
  if (const Node* tls = find(&node, "tls")) build_listener_tls(build, *tls, options->tls.emplace());
  if (options->tls && (node.kind != Kind::object || find(&node, "http2") == nullptr)) options->http2 = true;
  if (options->tls && options->http2) options->tls->protocols.insert(options->tls->protocols.begin(), "h2");
  build.config.listen.push_back(std::move(*options));
  build.config.places.listen.push_back(place_of(build, *address));
}

}  // namespace

constexpr Shape kListen = either("an address or a list of addresses", kListenAllForms);

void build_listen(Build& build) {
  const Node* listen = find(&build.root, "listen");
  if (listen == nullptr) return;
  std::map<std::string, const Node*> seen;
  if (listen->kind != Kind::list) return add_listener(build, *listen, seen);
  for (const Node* each : listen->children) add_listener(build, *each, seen);
}

}  // namespace headgate::config
