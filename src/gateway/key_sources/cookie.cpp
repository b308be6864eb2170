#include "gateway/limits/limit_key.hpp"

#include "headgate/gateway/key_source.hpp"
#include "headgate/http/named_values.hpp"
#include "headgate/http/url.hpp"
#include "headgate/identity/sha256.hpp"

namespace headgate::gateway::key_source {
namespace {

/// Returns the digest of the value as PHP and Node read it: an invalid escape is kept as it is. A server that decodes
/// no escapes sees different spellings as different values. It does no harm that these values share a counter.
identity::Sha256 digest_of(std::string_view value) {
  if (value.find('%') == value.npos) return identity::sha256(value);
  return identity::sha256(http::percent_decoded(value));
}

}  // namespace

extern const KeySource cookie;
const KeySource cookie{.word = "cookie:",
                       .example = "cookie:session",
                       .name = {.placeholder = "<name>",
                                .what = "cookie",
                                .help = R"(write the cookie's name after the colon, as in "cookie:session")",
                                .read =
                                    [](std::string_view written) {
                                      return http::is_token(written) ? std::optional(std::string(written))
                                                                     : std::nullopt;
                                    }},
                       .needs = Needs::cookie,
                       .noun = [](std::string_view name) { return "value of cookie " + std::string(name); },
                       .missing = "A cookie that requests are counted by is missing.",
                       // A session cookie is as valuable as a password, so only its digest is used. `identify` refuses
                       // a request with two such cookies.
                       .value =
                           [](Exchange& x, std::string_view name) {
                             const auto found = http::cookie_of(x.request.fields, name);
                             if (found.twice || found.value.empty()) return std::string_view{};
                             return digest_text(x.text, digest_of(found.value));
                           }};

}  // namespace headgate::gateway::key_source
