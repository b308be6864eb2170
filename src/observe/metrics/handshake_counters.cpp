#include "headgate/observe/handshake_counters.hpp"

#include "headgate/observe/counters.hpp"
#include "headgate/observe/families/callers.hpp"
#include "headgate/observe/families/connections.hpp"
#include "headgate/observe/families/upstreams.hpp"

#include <algorithm>
#include <array>

namespace headgate::observe {
namespace {

constexpr std::array<std::string_view, 6> kResults{"full", "resumed", "failed", "timed_out", "refused", "plain_http"};
constexpr std::array<std::string_view, 3> kVersions{"-", "1.2", "1.3"};

LabelValues spell_handshake(CounterTable::Key key) {
  if (key == CounterTable::kRest) return {"_OTHER", "_OTHER"};
  return {std::string(kResults[(key - 1) / kVersions.size()]), std::string(kVersions[(key - 1) % kVersions.size()])};
}

}  // namespace

HandshakeCounters::HandshakeCounters(Registry& registry, Writer writer)
    : table_(registry.table(writer, family::tls_handshakes, {}, spell_handshake)) {}

void HandshakeCounters::count(HandshakeResult result, std::string_view version) const noexcept {
  const auto found = std::find(kVersions.begin(), kVersions.end(), version);
  const auto place = found == kVersions.end() ? 0 : found - kVersions.begin();
  table_.add(static_cast<CounterTable::Key>(static_cast<std::size_t>(result) * kVersions.size() +
                                            // The keys begin at 1, because 0 is kRest.
                                            static_cast<std::size_t>(place) + 1));
}

ListenerCounters listener_counters(Registry& registry, Writer worker, std::string_view listener) {
  const std::string name(listener);
  std::array<Counter*, kHttp2Ends.size()> ended{};
  for (std::size_t i = 0; i < kHttp2Ends.size(); ++i)
    ended[i] = &registry.counter(worker, family::http2_ended, {name, std::string(kHttp2Ends[i])});
  return {.open = &registry.level(worker, family::connections_open, {name}),
          .accepted = &registry.counter(worker, family::connections_made, {name, "accepted"}),
          .refused = &registry.counter(worker, family::connections_made, {name, "refused"}),
          .http2_ended = ended};
}

UpstreamHandshakeCounters upstream_handshake_counters(Registry& registry, Writer worker, std::string_view upstream) {
  static constexpr WordsOf<ServerHandshake> kResults({"full", "resumed", "untrusted", "timed_out", "failed"});
  UpstreamHandshakeCounters counters{};
  for (std::size_t i = 0; i < kCountOf<ServerHandshake>; ++i)
    counters[i] =
        &registry.counter(worker, family::upstream_handshakes, {std::string(upstream), std::string(kResults[i])});
  return counters;
}

}  // namespace headgate::observe
