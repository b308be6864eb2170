// The features that other products have and headgate lacks, each with the name of the key that it would have.

#include "headgate/translate/translate.hpp"

#include <array>

namespace headgate::translate {
namespace {

constexpr std::array kLacks{
    // Changes of what servers receive.
    Lack{"replace_body", "headgate does not change bodies"},
    Lack{"replace_method", "headgate does not change methods"},
    Lack{"replace_path", "headgate rewrites without regular expressions"},
    Lack{"replace_path", "headgate rewrites by "},
    Lack{"replace_query", "headgate does not add a query"},
    Lack{"replace_query", "headgate does not change queries"},
    Lack{"translate_api", "headgate does not translate between the APIs of providers"},
    Lack{"fallback_models", "headgate does not send a call to another model"},
    Lack{"context_window", "headgate does not compare a call with its model's size"},
    Lack{"rename", "headgate does not rename fields"},
    Lack{"pass_fields", "headgate always passes on fields and bodies"},
    Lack{"decompress", "headgate only compresses responses"},
    Lack{"to_from", "headgate does not choose servers by what a caller sends"},
    Lack{"use_server", "headgate only chooses servers by "},
    Lack{"sticky", "headgate sets no cookie"},
    Lack{"discovery", "headgate uses no registry"},
    Lack{"stream", "headgate is an HTTP gateway"},
    Lack{"stream", "headgate speaks HTTP to servers, and not "},
    Lack{"handler", "headgate passes requests on to HTTP servers, and has no such answers"},
    Lack{"unix_socket", "headgate only listens on TCP"},
    Lack{"unix_socket", "headgate only connects over TCP"},
    // Changes of what clients receive.
    Lack{"metadata", "headgate adds no text of yours to the answers of descriptors"},
    Lack{"cache", "headgate has no cache"},
    Lack{"directory", "headgate serves no files"},
    Lack{"directory", "nginx serves files here; headgate serves none"},
    Lack{"max_rate", "headgate limits requests, not bytes per second"},
    Lack{"replace_answer", "headgate passes on the responses of servers"},
    Lack{"replace_answer", "headgate has error pages for its own answers, and passes on those of servers"},
    Lack{"replace_status", "headgate does not change the status of responses"},
    Lack{"replace_cookies", "headgate changes cookies of servers only to undo its own rewrites"},
    Lack{"decompress", "headgate does not decompress responses"},
    // Conditions of routes.
    Lack{"not", "headgate has no 'not' in routes"},
    Lack{"value_matches", "headgate compares whole values, without regular expressions"},
    Lack{"value_matches", "headgate matches values of descriptors only as a whole"},
    Lack{"value_matches", "headgate matches only whole values of a key"},
    Lack{"in_order", "headgate compares keys of descriptors without their order"},
    Lack{"hours", "headgate's routes have no time conditions"},
    // Access control.
    Lack{"any_of", "headgate's conditions must all hold"},
    Lack{"ask_with", "headgate only asks an auth service with GET"},
    Lack{"body_schema", "headgate does not validate bodies"},
    Lack{"crl", "headgate reads no revocation lists"},
    Lack{"firewall", "headgate does not search requests for attacks"},
    Lack{"introspection", "headgate asks no introspection endpoint"},
    Lack{"issue_tokens", "headgate issues no tokens"},
    Lack{"key_in_body", "headgate does not look for keys in bodies"},
    Lack{"key_password", "headgate reads keys without a password"},
    Lack{"ldap", "headgate asks no LDAP server"},
    Lack{"request_signatures", "headgate verifies no signatures of requests"},
    Lack{"sessions", "headgate keeps no sessions"},
    Lack{"sign_in", "headgate has no sign-in"},
    Lack{"signed_links", "headgate does not sign links"},
    // Code that users provide.
    Lack{"filters", "headgate has no filters"},
    Lack{"functions", "headgate calls no functions"},
    Lack{"modules", "headgate has no modules"},
    Lack{"plugins", "headgate has no plugins"},
    Lack{"programs", "headgate runs no programs"},
    Lack{"programs", "headgate runs no scripts"},
    Lack{"templates", "headgate does not evaluate templates"},
    Lack{"variables", "headgate has no variables"},
    Lack{"variables", "headgate has fixed upstreams, and no variables in their names"},
    Lack{"variables", "headgate does not count by variables of your own"},
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
