#include "limit_keys.hpp"

#include "headgate/core/text.hpp"
#include "headgate/gateway/key_source.hpp"
#include "headgate/identity/client_address.hpp"
#include "headgate/identity/network.hpp"
#include "headgate/limit/balance.hpp"
#include "headgate/services/written_key.hpp"

#include <boost/asio/ip/address.hpp>

#include <algorithm>
#include <array>
#include <utility>

namespace headgate::admin {
namespace {

constexpr std::size_t kMaxKey = 256;

AdminAnswer wrong_key(std::string why) { return {.status = 400, .body = std::move(why)}; }

/// Reads one part of a key as the limit counts it. The error says why the part is invalid.
Result<std::string, AdminAnswer> read_part(const config::Config& config, const limit::Per& per,
                                           const std::string& written) {
  const auto fail = [](std::string why) {
    return Result<std::string, AdminAnswer>(boost::system::in_place_error, wrong_key(std::move(why)));
  };
  if (per.source->word == "total" && written != "total")
    return fail("This limit has one counter for everybody: its key is \"total\".");
  if (per.source->word != "client_ip") return written;
  error_code ec;
  const auto slash = written.find('/');
  const auto address = boost::asio::ip::make_address(written.substr(0, slash), ec);
  if (ec) return fail("This limit counts by client address, and the key is not an address.");
  std::array<char, 64> buffer{};
  std::string key(identity::client_ip_key(address, config.identity.ipv6_prefix, buffer));
  if (slash != std::string::npos && !key.ends_with(written.substr(slash)))
    return fail("This limit counts single addresses, and blocks of " + std::to_string(config.identity.ipv6_prefix) +
                " bits of IPv6; no other block can be named.");
  return key;
}

/// Reads a key with all of its parts. A key that is too long for a counter is written as its digest, which begins with
/// '~' and has no parts.
Result<std::string, AdminAnswer> read_parts(const config::Config& config, const std::vector<limit::Per>& per,
                                            const std::string& written) {
  if (per.size() == 1) return read_part(config, per.front(), written);
  if (written.starts_with('~')) return written;
  std::string key;
  std::size_t at = 0;
  for (std::size_t i = 0; i < per.size(); ++i) {
    const auto end = written.find('|', at);
    if ((end == std::string::npos) != (i + 1 == per.size()))
      return {boost::system::in_place_error, wrong_key("A key of this limit has " + std::to_string(per.size()) +
                                                       " parts, joined by \"|\": " + services::key_words(per) + ".")};
    auto part = read_part(config, per[i], written.substr(at, end - at));
    if (part.has_error()) return part;
    key.append(i == 0 ? "" : "|").append(*part);
    at = end + 1;
  }
  return key;
}

}  // namespace

bool counts_by(const limit::Limit& limit, std::string_view word) {
  return limit.per.size() == 1 && limit.per[0].source->word == word;
}

Result<std::string, AdminAnswer> read_key(const config::Config& config, const limit::Limit& limit,
                                          const std::string& written) {
  if (written.empty() || written.size() > kMaxKey)
    return {boost::system::in_place_error, wrong_key("A key has 1 to 256 bytes.")};
  const auto& instead = limit.if_absent.instead;
  for (std::size_t i = 0; i < instead.size(); ++i) {
    const auto prefix = services::key_words(instead[i]) + '=';
    if (!written.starts_with(prefix)) continue;
    auto key = read_parts(config, instead[i], written.substr(prefix.size()));
    if (key.has_value()) key->insert(0, limit::IfAbsent::kMarks[i]);
    return key;
  }
  return read_parts(config, limit.per, written);
}

bool exempts(const config::Config& config, const limit::Limit& limit, std::string_view key) {
  error_code ec;
  const auto address = boost::asio::ip::make_address(std::string(key.substr(0, key.find('/'))), ec);
  const bool by_address = !ec && counts_by(limit, "client_ip");
  return std::any_of(config.gateway.exemptions.begin(), config.gateway.exemptions.end(), [&](const auto& exemption) {
    if (exemption.limit != limit.name) return false;
    const auto& owners = exemption.api_keys;
    return (by_address && identity::contains(exemption.addresses, address)) ||
           (counts_by(limit, "api_key") && std::find(owners.begin(), owners.end(), key) != owners.end());
  });
}

const gateway::CompiledLimit* compiled_limit(const gateway::CompiledConfig& compiled, std::string_view name) {
  for (const auto& each : compiled.limits())
    if (each->limit.name == name) return each.get();
  return nullptr;
}

bool is_a_balance(const limit::Limit& limit) {
  const auto& rules = limit.tiers.front().rules;
  return !rules.empty() && limit::is_balance(rules.front());
}

AdminAnswer no_reset_of_balance() {
  return {.status = 409,
          .body = "This limit is a balance, which is never reset: change it with POST /api/v1/balances."};
}

AdminAnswer no_such_limit(const config::Config& config) {
  std::vector<std::string> names;
  names.reserve(config.limits.size());
  for (const auto& limit : config.limits) names.push_back('"' + limit.name + '"');
  constexpr std::size_t kShown = 20;
  if (names.empty()) return {.status = 404, .body = "There is no limit here."};
  const auto more = names.size() > kShown ? names.size() - kShown : 0;
  names.resize(names.size() - more);
  return {.status = 404,
          .body = "No limit has this name. Known limits: " + joined(names, ", ") +
                  (more > 0 ? " and " + std::to_string(more) + " more." : ".")};
}

}  // namespace headgate::admin
