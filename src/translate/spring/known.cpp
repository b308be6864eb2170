// The tables of Spring Cloud Gateway's predicates and filters.

#include "known.hpp"

#include <array>
#include <vector>

namespace headgate::translate {
namespace {

constexpr std::string_view kNoTimes = "headgate's routes have no time conditions";
constexpr std::string_view kNothingLikeIt =
    "headgate has no equivalent; see \"request_headers\" and \"response_headers\"";

constexpr std::array kPredicates{
    ImportWord{.name = "Path", .becomes = "path, path_matches"},
    ImportWord{.name = "Host", .becomes = "host"},
    ImportWord{.name = "Header", .becomes = "headers"},
    ImportWord{.name = "Query", .becomes = "query"},
    ImportWord{.name = "Method", .becomes = "methods"},
    ImportWord{.name = "RemoteAddr", .becomes = "client_ip"},
    ImportWord{.name = "Weight", .becomes = "to"},
    ImportWord{"XForwardedRemoteAddr", Matter::closed,
               "name the proxies in front in \"trusted_proxies\" of \"identity\", and the addresses in \"client_ip\""},
    ImportWord{"After", Matter::closed, kNoTimes},
    ImportWord{"Before", Matter::closed, kNoTimes},
    ImportWord{"Between", Matter::closed, kNoTimes}};

/// The filters. Those that close their route change what a server receives or may do.
constexpr std::array kFilters{
    ImportWord{.name = "RequestRateLimiter", .becomes = "limits"},
    ImportWord{.name = "StripPrefix", .becomes = "rewrite"},
    ImportWord{.name = "PrefixPath", .becomes = "rewrite"},
    ImportWord{.name = "AddRequestHeader", .becomes = "request_headers"},
    ImportWord{.name = "SetRequestHeader", .becomes = "request_headers"},
    ImportWord{.name = "RemoveRequestHeader", .becomes = "request_headers"},
    ImportWord{.name = "AddResponseHeader", .becomes = "response_headers"},
    ImportWord{.name = "SetResponseHeader", .becomes = "response_headers"},
    ImportWord{.name = "RemoveResponseHeader", .becomes = "response_headers"},
    ImportWord{"PreserveHostHeader", Matter::aside,
               "headgate passes the client's Host on; \"host_header\" sends another"},
    ImportWord{.name = "SetRequestHostHeader", .becomes = "host_header"},
    ImportWord{.name = "SetPath", .becomes = "rewrite"},
    ImportWord{.name = "Retry", .becomes = "retry"},
    ImportWord{.name = "CircuitBreaker", .becomes = "circuit"},
    ImportWord{.name = "RedirectTo", .becomes = "redirect"},
    ImportWord{.name = "RequestSize", .becomes = "max_body"},
    ImportWord{"TokenRelay", Matter::closed,
               "headgate has no sign-in, and therefore no token to pass on: let \"jwt\" in \"identity\" verify tokens, "
               "or \"auth\" ask a service"},
    ImportWord{"RewritePath", Matter::closed, "headgate rewrites without regular expressions: write \"rewrite\"",
               "rewrite"},
    ImportWord{"RemoveRequestParameter", Matter::closed, "headgate does not change queries"},
    ImportWord{"RewriteRequestParameter", Matter::closed, "headgate does not change queries"},
    ImportWord{"ModifyRequestBody", Matter::closed, "headgate does not change bodies"},
    ImportWord{"ModifyResponseBody", Matter::closed, "headgate does not change bodies"},
    ImportWord{"RemoveJsonAttributesResponseBody", Matter::closed, "headgate does not change bodies"},
    ImportWord{"RequestHeaderToRequestUri", Matter::closed, "headgate does not choose servers by what a caller sends"},
    ImportWord{"SaveSession", Matter::lost, kNothingLikeIt},
    ImportWord{"DedupeResponseHeader", Matter::lost, kNothingLikeIt},
    ImportWord{"SecureHeaders", Matter::lost, kNothingLikeIt},
    ImportWord{"RewriteResponseHeader", Matter::lost, kNothingLikeIt},
    ImportWord{"MapRequestHeader", Matter::lost, kNothingLikeIt},
    ImportWord{"FallbackHeaders", Matter::lost, kNothingLikeIt},
    ImportWord{"AddRequestHeadersIfNotPresent", Matter::lost, kNothingLikeIt},
    ImportWord{"RewriteLocationResponseHeader", Matter::lost,
               "headgate undoes its own rewrites in addresses of responses: \"rewrite_answers\""},
    ImportWord{"AddRequestParameter", Matter::lost, "headgate does not change queries"},
    ImportWord{"SetStatus", Matter::lost, "headgate does not change the status of responses"},
    ImportWord{"CacheRequestBody", Matter::lost, "headgate holds bodies with \"buffer_request\""},
    ImportWord{"LocalResponseCache", Matter::lost, "headgate has no cache"},
    ImportWord{"RequestHeaderSize", Matter::lost, "write \"head_size\" in \"bounds\""}};

}  // namespace

std::span<const ImportWord> spring_predicates() noexcept { return kPredicates; }
std::span<const ImportWord> spring_filters() noexcept { return kFilters; }

std::span<const ImportWord> spring_words() {
  static const std::vector<ImportWord> kAll = [] {
    std::vector<ImportWord> out(kPredicates.begin(), kPredicates.end());
    out.insert(out.end(), kFilters.begin(), kFilters.end());
    return out;
  }();
  return kAll;
}

}  // namespace headgate::translate
