#pragma once
// Shared parts of the nginx importer.

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

/// The directives that apply at a level of nesting. A directive of the level itself replaces those of the same name
/// from the level above.
class NginxScope {
 public:
  /// Adds the directives of a nested level.
  void enter(const std::vector<Directive>& level);
  /// Returns all directives of this name that apply. "allow" returns the common list of "allow" and "deny".
  const std::vector<const Directive*>& all(std::string_view name) const;
  /// Returns the last directive of this name, or null.
  const Directive* one(std::string_view name) const;
  /// Returns whether the directive exists and its first word is "on".
  bool on(std::string_view name) const;
  /// Returns the directives that may keep requests out and are not translated.
  std::vector<const Directive*> untranslated() const;

 private:
  std::map<std::string, std::shared_ptr<const std::vector<const Directive*>>, std::less<>> directives_;
};

struct NginxZone {
  const Directive* directive = nullptr;
  std::string key;          ///< as written
  std::uint64_t count = 0;  ///< requests per unit; 0 for a zone of connections
  std::string unit;         ///< "second" or "minute"
  bool used = false;
};

struct NginxUpstream {
  std::size_t index = 0;  ///< index among the draft's upstreams
  bool is_block = false;  ///< true for an "upstream" block, false for an address
};

struct NginxWork {
  Draft& draft;
  std::map<std::string, NginxZone> zones;
  std::map<std::string, std::string> limits;       ///< name of the limit by zone and use; "" if the limit is off
  std::map<std::string, NginxUpstream> upstreams;  ///< by the target of proxy_pass with its scheme
  std::map<std::string, const Directive*> maps;    ///< map and geo blocks by the variable that they define
  std::map<std::string, std::string> pages;        ///< file of the page by status
  std::set<std::string> said;                      ///< remarks that are given only once
  const Directive* proxies = nullptr;              ///< first set_real_ip_from of the trusted proxies
  bool address_known = true;                       ///< whether headgate reads the field that holds the client's address
};

/// Converts a time of nginx, such as "10", "5s", "1m30s" or "100ms", to milliseconds.
std::optional<std::uint64_t> nginx_time(std::string_view text);
/// Converts a size of nginx, such as "8m", "512k" or "1g", to bytes.
std::optional<std::uint64_t> nginx_size(std::string_view text);

/// Adds remarks on the directives of a level that are not translated.
void say_what_is_left(const std::vector<Directive>& level, std::vector<Remark>& remarks);

/// Records the zones, maps and geos of a level.
void find_zones(NginxWork& work, const std::vector<Directive>& level);
/// Adds the limits that apply in this scope to `route`.
void apply_limits(NginxWork& work, const NginxScope& scope, DraftEntry& route);
/// Turns zones that no route uses into limits.
void keep_unused_zones(NginxWork& work);

/// The key of a limit.
struct NginxKey {
  std::string per;        ///< JSON; empty if it cannot be translated
  std::string if_absent;  ///< JSON; empty if the key is never absent
  std::string exempt;     ///< JSON
  std::vector<Remark> remarks;
};
NginxKey nginx_key(const NginxWork& work, const std::string& key, const Spot& spot);

/// Translates the "upstream" blocks of a level.
void take_upstreams(NginxWork& work, const std::vector<Directive>& level);
/// Returns the upstream of `proxy_pass`, and creates it for an address. Returns an empty text, with a remark in
/// `route`, if it cannot be translated. Sets `authority` to the host part, such as "backend" or "10.0.0.1:80", `path`
/// to the rest, and `is_block` to whether the host is an "upstream" block.
std::string upstream_for(NginxWork& work, const Directive& proxy_pass, const NginxScope& scope, DraftEntry& route,
                         std::string& authority, std::string& path, bool& is_block);

/// Returns the location of a server for this path: an exact match, otherwise the longest prefix, or null.
const Directive* location_of(const Directive& server, std::string_view path);

/// Records the pages of "error_page" in a server.
void take_error_pages(NginxWork& work, const Directive& server, const NginxScope& scope);
/// Writes the recorded pages of all servers into "error_pages".
void write_error_pages(NginxWork& work);

/// Sets "auth" to the service of "auth_request", which is a location of `server`. Does nothing without "auth_request".
void ask_service(NginxWork& work, const Directive& server, const NginxScope& scope, DraftEntry& route);
/// Returns the field of the service's answer that "auth_request_set" stores in a variable, such as "auth.x-user" for
/// "user". Returns an empty text if there is none.
std::string said_by_service(const NginxScope& scope, std::string_view variable);

/// Returns whether the scope asks for a name and a password.
bool asks_password(const NginxScope& scope);
/// Sets "basic" to the file of users. Does nothing if the scope asks for no password.
void ask_password(NginxWork& work, const NginxScope& scope, DraftEntry& route);

/// Returns the path of `name` relative to the folder of `file`.
std::string path_beside(const std::string& file, std::string_view name);

/// Translates the servers of the file.
void take_servers(NginxWork& work, const std::vector<const Directive*>& servers, const NginxScope& http);

/// Adds the routes of one server for these hosts. An empty host stands for any host.
void take_locations(NginxWork& work, const Directive& server, const NginxScope& scope,
                    const std::vector<std::string>& hosts, bool needs_rest);

/// Sets the Host and the fields that servers receive. `authority` is the host part of proxy_pass.
void set_request_fields(NginxWork& work, const NginxScope& scope, const std::string& authority, bool is_block,
                        DraftEntry& route);
/// Sets the fields that clients receive. `status` is the status of a fixed answer, or 0. nginx adds most fields only to
/// successful answers.
void set_answer_fields(const NginxScope& scope, unsigned status, DraftEntry& route);
/// Sets the size limit of bodies, and the time that a server may take.
void set_bounds(const NginxScope& scope, DraftEntry& route);

/// Sets "compress" from "gzip" and "brotli".
void set_compression(NginxWork& work, const NginxScope& scope, DraftEntry& route);

/// Returns the status of a "return".
unsigned status_of(const Directive& directive);
/// Writes the effect of a "return" into the route. `path` and `host` are those of the route; `host` may be empty.
void answer(const Directive& directive, const NginxScope& scope, const std::string& path, const std::string& host,
            DraftEntry& route);

}  // namespace headgate::translate
