#include "limit_keys.hpp"

#include "headgate/gateway/key_source.hpp"
#include "headgate/identity/client_address.hpp"
#include "headgate/identity/network.hpp"

#include <boost/asio/ip/address.hpp>

#include <algorithm>
#include <array>
#include <utility>

namespace headgate::server {
namespace {

constexpr std::size_t kMaxKey = 256;

bool counts_by(const limit::Limit& limit, std::string_view word) {
  return limit.per.size() == 1 && limit.per[0].source->word == word;
}

}  // namespace

Result<std::string, AdminAnswer> read_key(const config::Config& config, const limit::Limit& limit,
                                          const std::string& written) {
  using Made = Result<std::string, AdminAnswer>;
  const auto fail = [](std::string why) {
    return Made(boost::system::in_place_error, AdminAnswer{.status = 400, .body = std::move(why)});
  };
  if (written.empty() || written.size() > kMaxKey) return fail("A key has 1 to 256 bytes.");
  if (!counts_by(limit, "client_ip")) return written;
  error_code ec;
  const auto slash = written.find('/');
  const auto address = boost::asio::ip::make_address(written.substr(0, slash), ec);
  if (ec) return fail("This limit counts by client address, and the key is none.");
  std::array<char, 64> buffer{};
  std::string key(identity::client_ip_key(address, config.identity.ipv6_prefix, buffer));
  if (slash != std::string::npos && !key.ends_with(written.substr(slash)))
    return fail("This limit counts single addresses, and blocks of " + std::to_string(config.identity.ipv6_prefix) +
                " bits of IPv6; no other block can be named.");
  return key;
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
    if (each->limit.name == name && !each->share.is_partial()) return each.get();
  return nullptr;
}

}  // namespace headgate::server
