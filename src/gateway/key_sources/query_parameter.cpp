// A parameter of the query, such as an API key of a server. Only a digest of its value goes to Redis and to logs.

#include "gateway/limits/limit_key.hpp"

#include "headgate/core/text.hpp"
#include "headgate/gateway/exchange.hpp"
#include "headgate/gateway/key_source.hpp"
#include "headgate/http/named_values.hpp"
#include "headgate/http/url.hpp"
#include "headgate/identity/sha256.hpp"

#include <algorithm>

namespace headgate::gateway::key_source {
namespace {

constexpr std::size_t kLongestParameter = 128;

/// Returns the digest of the value as servers read it: "%41" is "A", and "+" is a space to some of them. A server may
/// see two spellings as different values, but both share a counter. Otherwise, callers could choose their counter by
/// the spelling.
identity::Sha256 digest_of_parameter(std::string_view value) {
  if (value.find_first_of("%+") == value.npos) return identity::sha256(value);
  auto plain = http::percent_decoded(value);
  std::replace(plain.begin(), plain.end(), '+', ' ');
  return identity::sha256(plain);
}

/// Returns whether the name has only characters that need no escape in a query, so that no other spelling means the
/// same.
bool is_parameter_name(std::string_view name) noexcept {
  return !name.empty() && name.size() <= kLongestParameter && all_alnum(name, "-_.~");
}

}  // namespace

extern const KeySource query_parameter;
const KeySource query_parameter{
    .word = "query:",
    .example = "query:api_key",
    .name = {.placeholder = "<name>",
             .what = "query parameter",
             .help = R"(write the parameter's name after the colon, as in "query:api_key")",
             .read =
                 [](std::string_view written) {
                   return is_parameter_name(written) ? std::optional(std::string(written)) : std::nullopt;
                 }},
    .needs = Needs::part,
    .noun = [](std::string_view name) { return "value of query parameter " + std::string(name); },
    .missing = "A query parameter that requests are counted by is missing.",
    // Servers differ in which of two parameters with one name they use, so a request with two has no value. Some
    // servers also read ";" as "&", and find other parameters.
    .value =
        [](Exchange& x, std::string_view name) {
          if (x.request.query.find(';') != std::string_view::npos) return std::string_view{};
          const auto found = http::query_parameter(x.request.query, name);
          if (found.twice || found.value.empty()) return std::string_view{};
          return digest_text(x.text, digest_of_parameter(found.value));
        }};

}  // namespace headgate::gateway::key_source
