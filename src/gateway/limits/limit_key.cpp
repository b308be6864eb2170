#include "limit_key.hpp"

#include "headgate/gateway/key_source.hpp"
#include "headgate/identity/sha256.hpp"

namespace headgate::gateway {
namespace {

constexpr std::size_t kMaxKey = 256;

std::string_view value_of(Exchange& x, const limit::Per& per) { return per.source->value(x, per.name); }

/// Escapes '|' and '%' in one of several values, so that ("a|b", "c") and ("a", "b|c") are different keys.
std::string_view part(TextArena& arena, std::string_view value) {
  if (value.find_first_of("|%") == std::string_view::npos) return value;
  std::string out;
  for (const char c : value) {
    if (c == '|')
      out += "%7C";
    else if (c == '%')
      out += "%25";
    else
      out += c;
  }
  return arena.join({out});
}

}  // namespace

std::string_view digest_text(TextArena& arena, const identity::Sha256& digest) {
  return arena.join({identity::as_text(identity::digest_text(digest))});
}

const limit::Per* first_absent(Exchange& x, const std::vector<limit::Per>& per) {
  for (const auto& each : per)
    if (value_of(x, each).empty()) return &each;
  return nullptr;
}

std::optional<std::string_view> key_of(Exchange& x, const std::vector<limit::Per>& per) {
  std::string_view key;
  for (std::size_t i = 0; i < per.size(); ++i) {
    const auto value = value_of(x, per[i]);
    if (value.empty()) return std::nullopt;
    if (per.size() == 1) {
      key = value;
    } else {
      key = i == 0 ? part(x.text, value) : x.text.join({key, "|", part(x.text, value)});
    }
  }
  return key.size() <= kMaxKey ? key : digest_text(x.text, identity::sha256(key));
}

Hash line_of(Exchange& x) {
  const auto* const upstream = x.route->upstream_options;
  const auto key = upstream == nullptr || upstream->queue_per.empty() ? std::nullopt : key_of(x, upstream->queue_per);
  return key ? keyed_hash(*key, 1) : keyed_hash(x.caller.ip_key, 0);
}

std::optional<std::uint64_t> server_key(Exchange& x) {
  if (x.route->balance_per == nullptr) return std::nullopt;
  const auto key = key_of(x, *x.route->balance_per);
  if (!key) return std::nullopt;
  return stable_hash(*key);
}

}  // namespace headgate::gateway
