#include "headgate/observe/handshake_counters.hpp"

#include "headgate/observe/families/callers.hpp"

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
                                            static_cast<std::size_t>(place) + 1));  // + 1: no key is kRest
}

}  // namespace headgate::observe
