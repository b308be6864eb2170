#pragma once
// Turns the checked tree into the option types, and finds the mistakes that only the whole file shows. Each block has a
// function. The functions run in this order, because each may use the results of those before it.

#include "config/text/document.hpp"
#include "config/text/report.hpp"

#include "headgate/config/config.hpp"

#include <memory>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace headgate::config {

/// The index of each node by its name. If two nodes have the same name, which is reported elsewhere, the first one
/// counts.
using NumbersByName = std::unordered_map<std::string_view, std::size_t>;
NumbersByName numbers_of(const std::vector<const Node*>& nodes);

/// The configuration that is being built, and the places where its parts were written: `limit_nodes[i]` belongs to
/// `config.limits[i]`, and so on.
struct Build {
  const Node& root;
  Report& report;
  Config config;
  std::vector<identity::ApiKeyRecord> keys_in_file;  ///< the known API keys that the key file contains now
  std::vector<const Node*> limit_nodes;
  std::vector<const Node*> upstream_nodes;
  std::vector<const Node*> route_nodes;
  std::vector<const Node*> room_nodes;
  NumbersByName limit_numbers;     ///< indexes of limit_nodes
  NumbersByName upstream_numbers;  ///< indexes of upstream_nodes
};

void build_process(Build& build);  // sets all values that rows of the top level lead to; runs before all others
void build_listen(Build& build);
void build_bounds(Build& build);
void check_pid_file(Build& build);
void build_log(Build& build);
void build_logged(Build& build);  // after identity, whose credentials are never logged
void build_admin(Build& build);   // after process: the admin address must differ from the listen addresses
void build_hsts(Build& build);
void build_answers(Build& build);
void build_identity(Build& build);
void build_redis(Build& build);
void build_upstreams(Build& build);
void build_balance(Build& build);  // after upstreams and identity
/// Builds health checks and look-ups of one upstream, once its servers are known.
void build_care(Build& build, const Node& upstream, gateway::UpstreamOptions& out);
void build_shedding(Build& build);  // after upstreams, redis and identity
void build_retries(Build& build);   // after upstreams
void build_signing(Build& build);
void build_limits(Build& build);   // after identity, redis and signing
void build_billing(Build& build);  // after limits
void build_prices(Build& build);
/// Reports a unit that the limit cannot count.
void check_unit(Build& build, const Node& node, const limit::Limit& limit);
/// Returns the rule of a limit whose `balance` is `written`.
limit::Rule balance_rule(const Node& written, const limit::Limit& limit);
/// Checks a limit with `balance`, and sets its default `if_redis_down`.
void check_key_balance(Build& build, const Node& node, limit::Limit& out);
void build_webhook(Build& build);     // after limits
void build_tracing(Build& build);     // after process: spans show what the access log shows
void check_keys(Build& build);        // after limits: the tiers and limits that known API keys name
void build_rooms(Build& build);       // after identity and redis
void build_routes(Build& build);      // after limits and upstreams
void check_routes(Build& build);      // checks that names exist, and that no route is a duplicate or unreachable
void check_edits(Build& build);       // checks that variables and parameters exist, and that prefixes fit
void check_addresses(Build& build);   // reports routes that nobody can use
void check_conditions(Build& build);  // reports requests that match two routes of which neither is more specific
void check_rooms(Build& build);       // after routes: checks that each room exists and is used
void build_decide(Build& build);      // after routes
void check_decide(Build& build);      // checks that the limits of descriptors can count them
bool decides(const Build& build);     // whether a listener only decides about the requests of another proxy
void check_decisions(Build& build);   // after routes: checks that listeners which only decide see what limits need
std::vector<gateway::LimitUse> uses(Build& build, const Node* section);  // the limits of a route
void check_plans(Build& build);     // checks the limits of each route: requests have their keys, and costs fit
void check_sizes(Build& build);     // reports sizes and times that contradict each other
void check_balance(Build& build);   // after routes: checks that requests have the keys by which upstreams choose
void check_shedding(Build& build);  // reports priorities that change nothing, and reserves that nobody can use
void check_delivery(Build& build);  // checks retries, mirrors and held bodies
void check_auth(Build& build);   // after routes: fields of an auth service are trusted only where the service is used
void check_basic(Build& build);  // after routes and listeners: checks where passwords are sent, and who could read them
void add_auth_upstreams(Build& build);  // last: adds the upstreams that only auth services use
void check_https(Build& build);         // checks redirects and fields that depend on TLS
void check_unused(Build& build);

/// Reads "eject" and "circuit" of `node`, an upstream with the servers of `out`.
void build_servers_that_fail(Build& build, const Node& node, upstream::ServerGroupOptions& out);

/// Builds TLS of a listener from `tls`, an object or a list, and checks its files.
void build_listener_tls(Build& build, const Node& tls, net::ServerTlsOptions& out);

/// Builds the known API keys from `api_key`, an object of "identity"; null if there is none.
void build_api_keys(Build& build, const Node* api_key);

/// Builds the accepted issuers from `jwt` of "identity".
void build_jwt(Build& build, const Node& jwt);

/// Checks that each field, parameter and cookie of "identity" has only one use.
void check_places(Build& build, const Node* identity);

/// The use of a key.
enum class KeyFor {
  limiting,  ///< for a limit, which may also count by a value in the body
  counting,  ///< for queues, rooms and splits: as for a limit, a caller that can choose the value would gain from it
  balancing
};

/// Returns the key that a text or a list describes: "per", or one step of "if_absent". Elements that cannot be parsed
/// are left out.
std::vector<limit::Per> build_key(Build& build, const Node* written, KeyFor what = KeyFor::counting);

/// Returns whether a listener asks its clients for certificates.
bool asks_for_certificates(const Config& config);

/// Builds "if_absent" of the limit written at `limit`: what happens to a caller without the key `per`.
void build_if_absent(Build& build, const Node& limit, const std::vector<limit::Per>& per, limit::IfAbsent& out);

/// Reports an error if `what` at `node` uses the claim `per` but no token can be verified.
void demand_jwt(Build& build, const Node& node, const std::string& what, const limit::Per& per);

/// Help text for messages about API keys when no key is known.
inline constexpr const char* kNameKeys =
    R"(list the known keys: "identity": { "api_key": { "file": "/etc/headgate/api-keys.json" } })";

/// Builds the tiers of the limit written at `node`; name, store and mode of `out` are already set.
void build_tiers(Build& build, const Node& node, limit::Limit& out);

/// Builds the suspension by the limit written at `node`; name, tiers, store and mode of `out` are already set.
void build_ban(Build& build, const Node& node, limit::Limit& out);

/// Reads the percentages of the limit written at `node` at which an operator is notified. The limit's tiers and shards
/// are set already.
void build_notices(Build& build, const Node& node, limit::Limit& out);

/// Reads the number of shards of the limit written at `node`, and checks that its tiers can be divided. A limit with
/// shards gets no leases.
void build_shards(Build& build, const Node& node, limit::Limit& out);

/// Reads the appointments of the limit written at `node`, and checks that its tiers can offer them. Runs after its
/// shards.
void build_appointments(Build& build, const Node& node, limit::Limit& out);

/// Reads the changes to messages of the route, or of all routes, written at `section`; leaves `out` null if there are
/// none.
void build_edits(Build& build, const Node& section, std::shared_ptr<const gateway::EditOptions>& out);
/// Reads the fixed answer written at `node`, and the file with its body.
void build_respond(Build& build, const Node& node, gateway::Respond& out);

/// Reads the "body" of `rejection`, and the file with it. Returns false and leaves `out` unchanged if there is none.
bool build_body(Build& build, const Node* rejection, gateway::OwnBody& out);

/// Reads the conditions of the route written at `node`, sorted by name, so that equal ones are equal.
gateway::RouteConditions build_conditions(Build& build, const Node& node);

/// Returns the place where the value is written.
SourceLocation place_of(const Build& build, const Node& node);

/// Returns, for example, " with x-version, ?debug". The text contains no values, because values may be secret.
std::string conditions_in_words(const gateway::RouteConditions& conditions);

/// Returns whether the route ignores the case of paths.
bool ignores_case(const Build& build, const gateway::RouteOptions& route);
/// Returns the parts of the path that decide which requests match. Left out are the names of parameters, a slash at the
/// end, and, if the route ignores case, the case of letters: "/users/{id}" and "/users/{name}/" match the same
/// requests.
std::string shape_of(const Build& build, const gateway::RouteOptions& route);

/// Reads "redirect_to_https" of a listener or a route. The value is a port, true for 443, or false for 0. Leaves `out`
/// unchanged if the key is missing.
void read_https_port(const Node& node, std::optional<std::uint16_t>& out);

/// Builds the addresses that may use `section`, a route or all routes. Leaves `out` unchanged if the section has no
/// "addresses".
void build_addresses(Build& build, const Node* section, gateway::AddressRulesPtr& out);
/// Builds the demands on callers of the route written at `route`.
void build_require(Build& build, const Node& route, gateway::RouteOptions& out);
/// Reports demands that no credential can meet.
void check_demands(Build& build, const gateway::RouteOptions& route, const Node& node);

/// Builds the auth service of the route written at `route`.
void build_auth(Build& build, const Node& route, gateway::RouteOptions& out);
/// Builds the users of a route.
void build_basic(Build& build, const Node& route, gateway::RouteOptions& out);
/// Returns whether requests of the route can have a token only where the route expects a password.
bool has_no_place_for_tokens(const Build& build, const gateway::RouteOptions& route);

/// Builds the "compress" of `section`, a route or all routes; leaves `out` unchanged if there is none. `false` sets
/// null.
void build_compression(Build& build, const Node* section, gateway::CompressionPtr& out);
/// Builds the "compress" of a route. Must run after the "compress" of all routes and the route's own answer are built.
void build_compression_of_route(Build& build, const Node& route, gateway::RouteOptions& out);

/// Builds the "cors" of `section`, a route or all routes; leaves `out` unchanged if there is none. `"off"` sets null.
void build_cors(Build& build, const Node* section, gateway::CorsPtr& out);

/// Builds the target of the route written at `route`.
void build_target(Build& build, const Node& route, gateway::RouteOptions& out);
void build_on_reject(const Node& node, gateway::RouteOptions& out);
void check_on_reject(Build& build, const gateway::RouteOptions& route, const Node& node);
void check_split(Build& build, const gateway::RouteOptions& route, const Node& node);
/// Returns whether requests of the route may go to this upstream.
bool goes_to(const gateway::RouteOptions& route, std::string_view upstream);
/// Returns the upstreams of the route that exist.
std::vector<const gateway::UpstreamOptions*> upstreams_of(const Build& build, const gateway::RouteOptions& route);

/// Builds the cost and the scale with which a route uses a limit. Values that cannot be parsed are left unchanged.
void build_use(Build& build, const Node& node, gateway::LimitUse& out);

/// Returns the key of the cost that applies if the source says none.
const char* key_of_default(const gateway::Cost& cost) noexcept;

/// Reports an error if no request of this use can ever pass.
void check_cost(Build& build, const Node& node, const gateway::LimitUse& use, const limit::Limit& limit);

/// Returns whether each request of the route asks for a WebSocket.
bool is_of_websockets(const gateway::RouteOptions& route);
/// Reports routes for WebSockets only whose limits read costs from bodies: all their requests would be refused.
void check_content_costs(Build& build);

/// Returns the index of the limit called `name`, or -1.
int limit_index(const Build& build, std::string_view name);

/// Returns, for example, `route "login"`.
std::string route_text(const gateway::RouteOptions& route);

/// Returns the member of `nodes` with the key nearest to `written`, or null.
const Node* nearest_node(std::string_view written, const std::vector<const Node*>& nodes);

/// Returns `did you mean "per-ip", defined at 9:7?`, or a list of all names, or "".
std::string suggestion(std::string_view written, const std::vector<const Node*>& nodes, const Report& report);

}  // namespace headgate::config
