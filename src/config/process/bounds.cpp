// The timeouts of each phase, and the bounds on what one caller can make the gateway keep in memory.

#include "config/build.hpp"
#include "config/formats/formats.hpp"
#include "config/table.hpp"
#include "config/table_shapes.hpp"
#include "config/text/codes.hpp"
#include "config/values.hpp"

#include "headgate/identity/network.hpp"
#include "headgate/session/options.hpp"

namespace headgate::config {
namespace {

constexpr Key kTimeoutsKeys[] = {
    {"handshake", &kDuration, kOfOptions, R"("10s")", "From a new connection to the end of its TLS handshake",
     into<&session::Timeouts::handshake>},
    {"idle", &kDuration, kOfOptions, R"("1m")", "Idle time of a kept-alive client connection without a request",
     into<&session::Timeouts::idle>},
    {"head", &kDuration, kOfOptions, R"("10s")", "From the first byte of a request to the end of its head",
     into<&session::Timeouts::head>},
    {"body", &kDuration, kOfOptions, R"("10s")",
     "Maximum pause within a request body. For answer bodies see `between_bytes` of the route",
     into<&session::Timeouts::body>},
    {"write", &kDuration, kOfOptions, R"("10s")", "Maximum time in which the peer accepts no byte",
     into<&session::Timeouts::write>},
    {"tunnel", &kDuration, kOfOptions, R"("10m")", "Idle time of a tunnel (WebSocket) in both directions",
     into<&session::Timeouts::tunnel>},
};
constexpr Section kTimeouts{"timeouts", "timeouts",
                            "Timeouts of client connections, one per phase; none spans a whole request.",
                            kTimeoutsKeys};
constexpr Shape kHeadSize = size(1'024, 60UL * 1'024);
constexpr Shape kHeadFields = integer(8, 10'000);
constexpr Shape kTargetSize = size(64, 60UL * 1'024);
constexpr Shape kConnections = integer(1, 10'000'000);
constexpr Shape kHandshakes = integer(1, 1'000'000);
constexpr Shape kConnectionRate{.form = Shape::Form::rate, .what = "a rate"};
constexpr Shape kExemptNetwork = text("an address block", check_network);
constexpr Shape kExemptAddresses = list("a list of address blocks", kExemptNetwork, 0, 1024);
constexpr Shape kBuffered = size(1UL << 20, std::uint64_t{1} << 53);
constexpr Key kBoundsKeys[] = {
    {"head_size", &kHeadSize, kOfOptions, R"("16KiB")", "Request line and fields, at most 60KiB; 431 beyond",
     into<&session::Bounds::head, &http::HeadBounds::bytes>},
    {"head_fields", &kHeadFields, kOfOptions, "100", "Number of fields in a request; 431 beyond",
     into<&session::Bounds::head, &http::HeadBounds::fields>},
    {"target_size", &kTargetSize, kOfOptions, R"("8KiB")", "Path and query of a request; 414 beyond",
     into<&session::Bounds::head, &http::HeadBounds::target_bytes>},
    {"connections", &kConnections, kOfOptions, "10000",
     "Client connections of all workers. Beyond it, a new connection replaces the longest idle one of the address with "
     "the most connections; trusted proxies and `exempt` addresses are last. If none is idle, it gets 503, or is "
     "closed if it uses TLS",
     into<&session::Bounds::connections>},
    {"handshakes", &kHandshakes, kOfOptions, "1000", "Concurrent TLS handshakes per worker; further ones wait",
     into<&session::Bounds::handshakes>},
    {"handshakes_per_address", &kHandshakes, kOfOptions, "100",
     "TLS handshakes per worker and client address (IPv6: per /64 block), in progress or waiting; further connections "
     "are closed. Trusted proxies may have more",
     into<&session::Bounds::handshakes_per_address>},
    {"connections_per_address", &kConnections, "", "100",
     "Connections per client address (IPv6: per block of `identity.ipv6_prefix`); further ones are closed before TLS. "
     "Default: unlimited",
     into<&session::Bounds::connections_per_address>},
    {"connection_rate", &kConnectionRate, "", R"("50/second")",
     "New connections per client address, as a token bucket; further ones are closed. Default: unlimited"},
    {"exempt", &kExemptAddresses, "[]", R"(["10.0.0.0/8"])",
     "Addresses without the two bounds above. `identity.trusted_proxies` never have these bounds; the address in a "
     "PROXY header does"},
    {"buffered", &kBuffered, "", R"("256MiB")",
     "Bytes in the buffers of all connections; beyond it, new requests get 503 with `Retry-After`. Default: unlimited",
     into<&session::Bounds::buffered>},
};
constexpr Section kBounds{"bounds", "bounds", "Bounds on what callers can make the gateway hold.", kBoundsKeys};

void build_connection_rate(Build& build, const Node* bounds) {
  auto& out = build.config.bounds;
  for (const Node* each : texts(find(bounds, "exempt")))
    if (const auto network = identity::parse_network(each->text); network.has_value()) out.exempt.push_back(*network);
  const Node* written = text_at(bounds, "connection_rate");
  const auto rate = written == nullptr ? parse_rate("1/second") : parse_rate(written->text);
  if (written == nullptr || rate.has_error()) return;
  constexpr std::uint64_t kMaxCount = 1'000'000;
  if (rate->month || rate->period > std::chrono::hours(1) || rate->count > kMaxCount)
    return build.report.error(code::kRange, *written,
                              "a rate of connections has a period of at most an hour, and at most 1000000 in it",
                              R"(write it by a shorter period, as in "50/second")");
  out.connection_rate = {static_cast<std::uint32_t>(rate->count), rate->period};
}

}  // namespace

constexpr Shape kTimeoutsShape = section(kTimeouts);
constexpr Shape kBoundsShape = section(kBounds);

void build_bounds(Build& build) {
  const Node* bounds = find(&build.root, "bounds");
  auto& out = build.config.bounds;
  out.ipv6_prefix = build.config.identity.ipv6_prefix;
  build_connection_rate(build, bounds);
  // The path of requests needs these bounds, too: for writes to servers, held bodies and the heads of requests.
  auto& path = build.config.gateway;
  path.write_timeout = build.config.timeouts.write;
  path.tunnel_timeout = build.config.timeouts.tunnel;
  path.head_bounds = out.head;
  path.buffered = out.buffered;
  if (out.head.target_bytes <= out.head.bytes) return;
  const Node* target = find(bounds, "target_size");
  const Node* head = find(bounds, "head_size");
  const Node* written = target != nullptr ? target : head;
  if (written == nullptr || written->kind != Kind::string) return;
  build.report.error(code::kConflict, *written,
                     "\"target_size\" (" + size_text(out.head.target_bytes) + ") is larger than \"head_size\" (" +
                         size_text(out.head.bytes) + "), which includes the target",
                     "raise \"head_size\" or lower \"target_size\"");
}

}  // namespace headgate::config
