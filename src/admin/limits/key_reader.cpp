#include "key_reader.hpp"

#include "headgate/gateway/key_source.hpp"
#include "headgate/identity/network.hpp"
#include "headgate/observe/key_id.hpp"
#include "headgate/services/written_key.hpp"

#include <boost/asio/ip/address.hpp>

#include <algorithm>
#include <charconv>
#include <utility>
#include <variant>

namespace headgate::admin {
namespace {

using ReadKey = Result<std::string, AdminAnswer>;

bool is_address(const std::vector<limit::Per>& per) {
  return per.size() == 1 && per.front().source->word == "client_ip";
}

/// Returns the key of a block of addresses that can be suspended; empty if the text is not such a block.
std::optional<std::string> block_in(const std::string& written) {
  if (written.find('/') == std::string::npos) return std::nullopt;
  const auto network = identity::parse_network(written);
  if (network.has_error()) return std::nullopt;
  return std::visit([](const auto& block) { return identity::block_of(block.address(), block.prefix_length()); },
                    *network);
}

/// Returns the mistake in a text with a slash that is not a valid block; "" if the block is valid, or if the text has
/// no slash.
std::string wrong_block(const std::string& written) {
  if (written.find('/') == std::string::npos) return {};
  const auto network = identity::parse_network(written);
  return network.has_error() ? network.error() + '.' : std::string();
}

}  // namespace

bool is_key_id(std::string_view text) noexcept {
  constexpr std::size_t kDigits = 16;
  return text.size() == 2 + kDigits && text.starts_with("k_") &&
         text.find_first_not_of("0123456789abcdef", 2) == std::string_view::npos;
}

bool is_block(const limit::Limit& limit, std::string_view key) {
  const auto& instead = limit.if_absent.instead;
  for (std::size_t i = 0; i < instead.size(); ++i)
    if (key.starts_with(limit::IfAbsent::kMarks[i]))
      return is_address(instead[i]) && key.find('/') != std::string_view::npos;
  return is_address(limit.per) && key.find('/') != std::string_view::npos;
}

std::optional<limit::BanTable::Found> suspension_of(const limit::BanTable& bans, const limit::Limit& limit,
                                                    std::string_view name, std::string_view key, Instant now) {
  auto found = bans.find(name, key, now);
  if (found || !bans.operated()) return found;
  const auto mark = !key.empty() && static_cast<unsigned char>(key.front()) <= limit::IfAbsent::kMaxInstead ? 1U : 0U;
  if (mark == 0 && !is_address(limit.per)) return std::nullopt;
  const auto slash = key.find('/');
  error_code ec;
  const auto address = boost::asio::ip::make_address(std::string(key.substr(mark, slash - mark)), ec);
  if (ec) return std::nullopt;
  unsigned most = 128;
  if (slash != std::string_view::npos) std::from_chars(key.data() + slash + 1, key.data() + key.size(), most);
  bans.blocks().any_of(address.is_v4(), [&](unsigned length) {
    if (length <= most)
      found = bans.find(name, std::string(key.substr(0, mark)) + identity::block_of(address, length), now);
    return found.has_value();
  });
  return found;
}

std::optional<std::string> KeyReader::behind(const std::string& limit, std::string_view id) const {
  const auto is = [&](std::string_view key) { return logs_.key_id(key) == id; };
  if (auto found = top_.find(limit, is)) return found;
  const auto now = headgate::now();
  for (const auto& ban : bans_.list(now))
    if (ban.limit == limit && is(ban.key)) return ban.key;
  for (const auto& each : overrides_.list(now))
    if (each.limit == limit && is(each.key)) return each.key;
  return std::nullopt;
}

ReadKey KeyReader::read(const config::Config& config, const limit::Limit& limit, const std::string& written) const {
  if (!is_key_id(written)) return read_key(config, limit, written);
  const auto base = limit.name.substr(0, limit.name.rfind('@'));
  auto key = behind(limit.name, written);
  if (!key && base != limit.name) key = behind(base, written);
  if (key) return std::move(*key);
  return ReadKey(boost::system::in_place_error,
                 AdminAnswer{.status = 404,
                             .body = "\"" + written +
                                     "\" stands for a caller that this gateway does not know under this limit, or not "
                                     "any more. It knows those that `headgate top` lists, of the last hour, those that "
                                     "are suspended, and those with an override. Write the key itself."});
}

ReadKey KeyReader::read_for_suspension(const config::Config& config, const limit::Limit& limit,
                                       const std::string& written) const {
  const auto fail = [](std::string why) {
    return ReadKey(boost::system::in_place_error, AdminAnswer{.status = 400, .body = std::move(why)});
  };
  if (is_address(limit.per)) {
    if (auto block = block_in(written)) return std::move(*block);
    if (auto why = wrong_block(written); !why.empty() && written.find('=') == std::string::npos) {
      // The text may be a single address, which is counted by the block that contains it.
      auto key = read(config, limit, written);
      return key.has_value() ? std::move(key) : fail(std::move(why));
    }
  }
  const auto& instead = limit.if_absent.instead;
  constexpr std::string_view kPrefix = "client_ip=";
  for (std::size_t i = 0; i < instead.size(); ++i) {
    if (!is_address(instead[i]) || !written.starts_with(kPrefix)) continue;
    if (const auto block = block_in(written.substr(kPrefix.size())))
      return std::string(limit::IfAbsent::kMarks[i]) + *block;
  }
  return read(config, limit, written);
}

std::string KeyReader::named(const limit::Limit& limit, std::string_view key, const std::string& written) {
  return is_key_id(written) ? written : services::written_key(limit, key);
}

}  // namespace headgate::admin
