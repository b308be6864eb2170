#pragma once
// What the parts of the translation of HAProxy share.

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

/// One test of a request. Several values: one of them is enough.
struct HaproxyTest {
  enum class Kind : std::uint8_t {
    path_prefix,
    path,
    path_matches,  ///< `values` are expressions as "path_matches" has them
    host,
    method,
    header,        ///< `name` is the field
    request_rate,  ///< `number` requests may pass, of the counter `counter`
    connections,
    connection_rate,
    over_tls,
    source,  ///< the address that connects
    always,
    other,  ///< cannot be translated
  };
  Kind kind = Kind::other;
  bool negated = false;
  bool approximate = false;  ///< HAProxy finds more requests by it than a route does
  std::string name;
  std::vector<std::string> values;
  std::uint64_t number = 0;
  std::string counter;  ///< "0" of sc0, or "src" of src_http_req_rate
  std::string table;    ///< of src_http_req_rate(table)
  std::string text;
};

/// All tests must hold.
using HaproxyTests = std::vector<HaproxyTest>;

/// A proxy: frontend, backend or listen, with the lines of its defaults before its own.
struct HaproxyProxy {
  const HaproxySection* section = nullptr;
  std::vector<const HaproxyLine*> lines;
  std::size_t own = 0;                                                ///< where its own lines begin
  std::map<std::string, std::vector<HaproxyTest>, std::less<>> acls;  ///< by name; one of several is enough
};

struct HaproxyWork {
  Draft& draft;
  std::map<std::string, HaproxyProxy> proxies;   ///< by name
  std::map<std::string, std::string> upstreams;  ///< by a backend's name: the upstream's, or "" if it is off
  std::map<std::string, std::string> limits;     ///< by what they are made of
  std::set<std::string> said;
};

/// A time of HAProxy ("5s", "500", "1m") in milliseconds.
std::optional<std::uint64_t> haproxy_time(std::string_view text);

/// Why a line is not translated; nothing if another part reads it.
std::optional<Remark> haproxy_remark(const HaproxyLine& line);

/// The acls of a proxy.
void find_acls(HaproxyProxy& proxy);
/// What stands behind "if": alternatives, each of tests that must all hold. Empty if there is no condition.
std::vector<HaproxyTests> conditions_of(const HaproxyProxy& proxy, const HaproxyLine& line);

/// The upstream of a backend, made when it is asked for first. Empty: none.
std::string haproxy_upstream(HaproxyWork& work, const std::string& backend);

/// The last line of the proxy that begins so, or null.
const HaproxyLine* last_line(const HaproxyProxy& proxy, std::string_view first, std::string_view second = {});

/// The limits that rules of a proxy make for all of its routes, and those with a condition, by the rule.
struct HaproxyLimit {
  std::string name;
  HaproxyTests when;  ///< further tests
  const HaproxyLine* line = nullptr;
};
std::vector<HaproxyLimit> haproxy_limits(HaproxyWork& work, const HaproxyProxy& proxy);
/// Whether a rule is one of those, with one of its conditions at least, or says what is counted.
bool is_limit_rule(const HaproxyProxy& proxy, const HaproxyLine& line);

/// Whether a line refuses requests, or may do so; its conditions say which.
bool haproxy_refuses(const HaproxyLine& line);
/// The conditions for which such a line, or one that answers itself, takes requests, without those that are limits:
/// haproxy_limits() has them.
std::vector<HaproxyTests> haproxy_refusals(const HaproxyProxy& proxy, const HaproxyLine& line);

/// From which addresses all requests of a proxy are refused: by rules that refuse and whose condition is of "src"
/// alone. Their lines come into `taken`.
std::vector<AddressRule> haproxy_addresses(HaproxyWork& work, const HaproxyProxy& proxy,
                                           std::set<const HaproxyLine*>& taken);

/// Changes of fields that a proxy's rules make.
void haproxy_fields(const HaproxyProxy& proxy, DraftEntry& route);

/// Which answers a proxy compresses.
void haproxy_compression(HaproxyWork& work, const HaproxyProxy& proxy, DraftEntry& route);

/// Adds the listeners of a "bind".
void haproxy_listener(HaproxyWork& work, const HaproxyProxy& proxy, const HaproxyLine& line);

/// The routes and listeners of a frontend or listen.
void take_frontend(HaproxyWork& work, const HaproxyProxy& proxy);

}  // namespace headgate::translate
