#pragma once
// Shared parts of the HAProxy importer.

#include "translate/draft/addresses.hpp"
#include "translate/draft/draft.hpp"
#include "translate/reading/haproxy_syntax.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace headgate::translate {

/// A test of a request. One matching value is enough.
struct HaproxyTest {
  enum class Kind : std::uint8_t {
    path_prefix,
    path,
    path_matches,  ///< `values` are expressions for "path_matches"
    host,
    method,
    header,        ///< `name` is the field name
    request_rate,  ///< the requests beyond the first `number` that `counter` counts
    connections,
    connection_rate,
    over_tls,
    source,  ///< address of the connection
    always,
    other,  ///< any test that cannot be translated
  };
  Kind kind = Kind::other;
  bool negated = false;
  bool approximate = false;  ///< whether HAProxy matches more requests than a route would
  std::string name;
  std::vector<std::string> values;
  std::uint64_t number = 0;
  std::string counter;  ///< "0" for sc0, or "src" for src_http_req_rate
  std::string table;    ///< table in src_http_req_rate(table)
  std::string text;
};

/// Tests that must all match.
using HaproxyTests = std::vector<HaproxyTest>;

/// A frontend, backend or listen section. Its lines begin with those of its defaults.
struct HaproxyProxy {
  const HaproxySection* section = nullptr;
  std::vector<const HaproxyLine*> lines;
  std::size_t own = 0;                                                ///< index of the section's own first line
  std::map<std::string, std::vector<HaproxyTest>, std::less<>> acls;  ///< alternatives by the name of the acl
};

struct HaproxyWork {
  Draft& draft;
  std::map<std::string, HaproxyProxy> proxies;   ///< by name
  std::map<std::string, std::string> upstreams;  ///< name of the upstream by backend; "" if the upstream is off
  std::map<std::string, std::string> limits;     ///< names of limits by the lines that define them
  std::set<std::string> said;
};

/// Converts a time of HAProxy, such as "5s", "500" or "1m", to milliseconds.
std::optional<std::uint64_t> haproxy_time(std::string_view text);

/// Returns the remark for a line that is not translated, or nothing if another part reads the line.
std::optional<Remark> haproxy_remark(const HaproxyLine& line);

/// Reads the acls of a proxy.
void find_acls(HaproxyProxy& proxy);
/// Returns the condition after "if" as alternatives of tests that must all match. Returns an empty list without a
/// condition.
std::vector<HaproxyTests> conditions_of(const HaproxyProxy& proxy, const HaproxyLine& line);

/// Returns the upstream of a backend, and creates it at the first call. Returns an empty text if there is none.
std::string haproxy_upstream(HaproxyWork& work, const std::string& backend);

/// Returns the last line of the proxy that begins with these words, or null.
const HaproxyLine* last_line(const HaproxyProxy& proxy, std::string_view first, std::string_view second = {});

/// A limit that a rule defines, for all routes of the proxy or with a condition.
struct HaproxyLimit {
  std::string name;
  HaproxyTests when;  ///< further tests that must match
  const HaproxyLine* line = nullptr;
};
std::vector<HaproxyLimit> haproxy_limits(HaproxyWork& work, const HaproxyProxy& proxy);
/// Returns whether a rule defines a limit with at least one of its conditions, or sets what is counted.
bool is_limit_rule(const HaproxyProxy& proxy, const HaproxyLine& line);

/// Help for a rule that refuses requests and cannot be translated, so that its requests are closed.
inline constexpr std::string_view kWriteProtection =
    "write what protects these routes: \"require\", \"basic\", \"auth\" or \"addresses\"; a field that anybody can "
    "write is "
    "no proof";
/// Returns whether an action of a rule never refuses a request.
bool haproxy_goes_on(std::string_view action);
/// Returns whether a line refuses requests, or may refuse them under its conditions.
bool haproxy_refuses(const HaproxyLine& line);
/// Returns the conditions under which a rule refuses or answers requests, without the conditions that haproxy_limits()
/// handles.
std::vector<HaproxyTests> haproxy_refusals(const HaproxyProxy& proxy, const HaproxyLine& line);

/// Returns the rules about addresses from which a proxy refuses every request. Reads only rules that refuse by "src"
/// alone, and adds their lines to `taken`.
std::vector<AddressRule> haproxy_addresses(HaproxyWork& work, const HaproxyProxy& proxy,
                                           std::set<const HaproxyLine*>& taken);

/// Sets the header fields that the rules of a proxy change.
void haproxy_fields(const HaproxyProxy& proxy, DraftEntry& route);

/// Sets "compress" from the proxy's compression.
void haproxy_compression(HaproxyWork& work, const HaproxyProxy& proxy, DraftEntry& route);

/// Adds the listeners of a "bind".
void haproxy_listener(HaproxyWork& work, const HaproxyProxy& proxy, const HaproxyLine& line);

/// Adds the routes and listeners of a frontend or listen section.
void take_frontend(HaproxyWork& work, const HaproxyProxy& proxy);

}  // namespace headgate::translate
