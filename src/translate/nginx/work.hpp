#pragma once
// What the parts of the translation of nginx share.

#include "translate/draft/draft.hpp"
#include "translate/reading/nginx_syntax.hpp"

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace headgate::translate {

/// The directives that hold at a level: those of the level itself, in place of those of the level above, name by name.
class NginxScope {
 public:
  /// Takes in a level.
  void enter(const std::vector<Directive>& level);
  /// All of this name that hold. Those of "allow" are the list of "allow" and "deny".
  const std::vector<const Directive*>& all(std::string_view name) const;
  /// The last one, or null.
  const Directive* one(std::string_view name) const;
  /// Whether it is there and its first word is "on".
  bool on(std::string_view name) const;
  /// Those that may keep requests out, and that nothing translates.
  std::vector<const Directive*> untranslated() const;

 private:
  std::map<std::string, std::shared_ptr<const std::vector<const Directive*>>, std::less<>> directives_;
};

struct NginxZone {
  const Directive* directive = nullptr;
  std::string key;          ///< as written
  std::uint64_t count = 0;  ///< 0: of connections
  std::string unit;         ///< "second", "minute"
  bool used = false;
};

struct NginxUpstream {
  std::size_t index = 0;  ///< among the upstreams of the draft
  bool is_block = false;  ///< it was an "upstream" block, and no address
};

struct NginxWork {
  Draft& draft;
  std::map<std::string, NginxZone> zones;
  std::map<std::string, std::string> limits;       ///< by zone and how it is used: the limit's name, or "" if it is off
  std::map<std::string, NginxUpstream> upstreams;  ///< by what stands in proxy_pass, with its scheme
  std::map<std::string, const Directive*> maps;    ///< map and geo, by the variable that they make
  std::map<std::string, std::string> pages;        ///< by status: the file of the page
  std::set<std::string> said;                      ///< what is said once
  const Directive* proxies = nullptr;              ///< the first set_real_ip_from of those that are trusted
  bool address_known = true;                       ///< headgate reads the field in which they say the address
};

/// A time of nginx ("10", "5s", "1m30s", "100ms") in milliseconds.
std::optional<std::uint64_t> nginx_time(std::string_view text);
/// A size of nginx ("8m", "512k", "1g") in bytes.
std::optional<std::uint64_t> nginx_size(std::string_view text);

/// Remarks on the directives of a level that nothing translates.
void say_what_is_left(const std::vector<Directive>& level, std::vector<Remark>& remarks);

/// Notes the zones, maps and geos of a level.
void find_zones(NginxWork& work, const std::vector<Directive>& level);
/// The limits that hold in this scope are put into `route`.
void apply_limits(NginxWork& work, const NginxScope& scope, DraftEntry& route);
/// Zones that no route uses become limits.
void keep_unused_zones(NginxWork& work);

/// What a limit counts by.
struct NginxKey {
  std::string per;        ///< JSON; empty: it cannot be translated
  std::string if_absent;  ///< JSON; empty: a key is always there
  std::string exempt;     ///< JSON
  std::vector<Remark> remarks;
};
NginxKey nginx_key(const NginxWork& work, const std::string& key, const Spot& spot);

/// Translates the "upstream" blocks of a level.
void take_upstreams(NginxWork& work, const std::vector<Directive>& level);
/// The upstream that `proxy_pass` names, made if it is an address; empty: it cannot be translated, which is said in
/// `route`. `authority` gets what stands there: "backend" or "10.0.0.1:80"; `path` the path behind it; `is_block`
/// whether it is an "upstream".
std::string upstream_for(NginxWork& work, const Directive& proxy_pass, const NginxScope& scope, DraftEntry& route,
                         std::string& authority, std::string& path, bool& is_block);

/// The location of a server that takes this path: the exact one, else the longest that it begins with; or null.
const Directive* location_of(const Directive& server, std::string_view path);

/// The pages that "error_page" names in a server.
void take_error_pages(NginxWork& work, const Directive& server, const NginxScope& scope);
/// Those of all servers become those of the file.
void write_error_pages(NginxWork& work);

/// The auth service that "auth_request" names, which is a location of `server`; nothing if there is none.
void ask_service(NginxWork& work, const Directive& server, const NginxScope& scope, DraftEntry& route);
/// The field of the service's answer that "auth_request_set" gives a variable: "auth.x-user" for "user"; empty: none.
std::string said_by_service(const NginxScope& scope, std::string_view variable);

/// Whether it asks for names and passwords.
bool asks_password(const NginxScope& scope);
/// Whose passwords it takes; nothing if it asks for none.
void ask_password(NginxWork& work, const NginxScope& scope, DraftEntry& route);

/// A file as nginx finds it: `name` beside `file`.
std::string path_beside(const std::string& file, std::string_view name);

/// Translates the servers of the file.
void take_servers(NginxWork& work, const std::vector<const Directive*>& servers, const NginxScope& http);

/// The routes of one server for the hosts; an empty host is any.
void take_locations(NginxWork& work, const Directive& server, const NginxScope& scope,
                    const std::vector<std::string>& hosts, bool needs_rest);

/// Host and fields that servers get. `authority` is what proxy_pass names.
void set_request_fields(NginxWork& work, const NginxScope& scope, const std::string& authority, bool is_block,
                        DraftEntry& route);
/// Fields that clients get. `status` is that of a fixed answer, or 0: nginx adds most fields to good answers alone.
void set_answer_fields(const NginxScope& scope, unsigned status, DraftEntry& route);
/// The largest body, and how long a server may take.
void set_bounds(const NginxScope& scope, DraftEntry& route);

/// Which answers are compressed, by "gzip" and "brotli".
void set_compression(NginxWork& work, const NginxScope& scope, DraftEntry& route);

/// The status of a "return".
unsigned status_of(const Directive& directive);
/// What a "return" does, put into the route. `path` is that of the route, `host` its host or empty.
void answer(const Directive& directive, const NginxScope& scope, const std::string& path, const std::string& host,
            DraftEntry& route);

}  // namespace headgate::translate
