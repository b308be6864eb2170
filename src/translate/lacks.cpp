// What other products have and headgate has not, with the key that a file would have for it.

#include "headgate/translate/translate.hpp"

#include <array>

namespace headgate::translate {
namespace {

constexpr std::array kLacks{
    Lack{"cache", "headgate has no cache"},
    Lack{"filters", "headgate has no filters"},
    Lack{"modules", "headgate has no modules"},
    Lack{"plugins", "headgate has no plugins"},
    Lack{"variables", "headgate has no variables"},
    Lack{"templates", "headgate knows no templates"},
    Lack{"crl", "headgate reads no revocation lists"},
    Lack{"directory", "headgate serves no files"},
    Lack{"directory", "nginx serves files here; headgate serves none"},
    Lack{"max_rate", "headgate limits requests, not bytes a second"},
    Lack{"replace_body", "headgate does not change bodies"},
    Lack{"replace_method", "headgate does not change methods"},
    Lack{"add_query", "headgate adds no query"},
    Lack{"sticky", "headgate sets no cookie"},
    Lack{"signed_links", "headgate does not sign links"},
    Lack{"firewall", "headgate does not search requests for attacks"},
    Lack{"unix_socket", "headgate listens on TCP alone"},
    Lack{"unix_socket", "headgate connects over TCP alone"},
};

}  // namespace

std::span<const Lack> all_lacks() noexcept { return kLacks; }

std::string_view lacking_key(const Remark& remark) noexcept {
  if (remark.matter != Matter::lost && remark.matter != Matter::closed) return {};
  for (const auto& each : kLacks)
    if (remark.why.starts_with(each.why)) return each.key;
  return {};
}

}  // namespace headgate::translate
