// What other products have and headgate has not, with the key that a file would have for it.

#include "headgate/translate/translate.hpp"

#include <array>

namespace headgate::translate {
namespace {

constexpr std::array kLacks{
    // What servers get.
    Lack{"replace_body", "headgate does not change bodies"},
    Lack{"replace_body", "headgate changes no bodies"},
    Lack{"replace_method", "headgate does not change methods"},
    Lack{"replace_method", "headgate changes no methods"},
    Lack{"replace_path", "headgate rewrites without regular expressions"},
    Lack{"replace_path", "headgate rewrites by "},
    Lack{"replace_query", "headgate adds no query"},
    Lack{"replace_query", "headgate changes no queries"},
    Lack{"rename", "headgate renames no fields"},
    Lack{"pass_fields", "headgate passes on fields and bodies"},
    Lack{"decompress", "headgate compresses answers alone"},
    Lack{"to_from", "headgate chooses no server by what a caller sends"},
    Lack{"use_server", "headgate chooses servers by "},
    Lack{"sticky", "headgate sets no cookie"},
    Lack{"discovery", "headgate asks no registry"},
    Lack{"stream", "headgate is an HTTP gateway"},
    Lack{"stream", "headgate speaks HTTP to servers, and not "},
    Lack{"handler", "headgate passes requests on to HTTP servers, and has no such answers"},
    Lack{"unix_socket", "headgate listens on TCP alone"},
    Lack{"unix_socket", "headgate connects over TCP alone"},
    // What clients get.
    Lack{"cache", "headgate has no cache"},
    Lack{"directory", "headgate serves no files"},
    Lack{"directory", "nginx serves files here; headgate serves none"},
    Lack{"max_rate", "headgate limits requests, not bytes a second"},
    Lack{"replace_answer", "headgate passes on what servers answer"},
    Lack{"replace_answer", "headgate has pages of its own for its own answers, and passes on those of servers"},
    Lack{"replace_status", "headgate changes no statuses of servers"},
    Lack{"replace_cookies", "headgate turns back the cookies of servers by itself, and not otherwise"},
    Lack{"decompress", "headgate passes on what servers compress"},
    // Which requests a route is for.
    Lack{"not", "headgate has no 'not' in routes"},
    Lack{"value_matches", "headgate compares whole values, without regular expressions"},
    Lack{"hours", "headgate's routes know no times"},
    // Who may use it.
    Lack{"any_of", "headgate's conditions must all hold"},
    Lack{"ask_with", "headgate asks an auth service by GET"},
    Lack{"body_schema", "headgate looks at no bodies"},
    Lack{"crl", "headgate reads no revocation lists"},
    Lack{"firewall", "headgate does not search requests for attacks"},
    Lack{"introspection", "headgate asks no introspection endpoint"},
    Lack{"issue_tokens", "headgate issues no tokens"},
    Lack{"key_in_body", "headgate looks for no keys in bodies"},
    Lack{"key_password", "headgate reads keys without a password"},
    Lack{"ldap", "headgate asks no LDAP server"},
    Lack{"request_signatures", "headgate verifies no signatures of requests"},
    Lack{"sessions", "headgate keeps no sessions"},
    Lack{"sign_in", "headgate signs nobody in"},
    Lack{"signed_links", "headgate does not sign links"},
    // Programs.
    Lack{"filters", "headgate has no filters"},
    Lack{"functions", "headgate calls no functions"},
    Lack{"modules", "headgate has no modules"},
    Lack{"plugins", "headgate has no plugins"},
    Lack{"programs", "headgate runs no programs"},
    Lack{"programs", "headgate runs no scripts"},
    Lack{"templates", "headgate knows no templates"},
    Lack{"variables", "headgate has no variables"},
    Lack{"variables", "headgate has fixed upstreams, and no variables in their names"},
    Lack{"variables", "headgate counts by no variable of your own"},
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
