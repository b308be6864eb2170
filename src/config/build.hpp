#pragma once
// From the checked tree to the option types, and the mistakes that only the whole file shows. One function a block, in
// this order: later ones look at what earlier ones made.

#include "document.hpp"
#include "report.hpp"

#include "headgate/config/config.hpp"

#include <string_view>
#include <vector>

namespace headgate::config {

/// What is being made, and where each part of it was written. `limit_nodes[i]` is `config.limits[i]`'s, and so on.
struct Build {
  const Node& root;
  Report& report;
  Config config;
  std::vector<identity::ApiKeyRecord> keys_in_file;  ///< known keys that only the key file has, as it is now
  std::vector<const Node*> limit_nodes;
  std::vector<const Node*> upstream_nodes;
  std::vector<const Node*> route_nodes;
};

void build_process(Build& build);  // instance, listen, workers, drain, memory, timeouts, bounds, rejection, log
void build_admin(Build& build);    // after process: its address is none of those
void build_identity(Build& build);
void build_redis(Build& build);
void build_upstreams(Build& build);
void build_limits(Build& build);  // after identity and redis
void check_keys(Build& build);    // after limits: the tiers and limits that known API keys name
void build_routes(Build& build);  // after limits and upstreams
void check_routes(Build& build);  // names resolve, no route twice or out of reach
void check_plans(Build& build);   // the limits of each route: keys guaranteed, costs that can be granted
void check_unused(Build& build);

/// The known API keys of `api_key`, an object of "identity"; null where there is none.
void build_api_keys(Build& build, const Node* api_key);

/// Whose tokens are believed: `jwt` of "identity".
void build_jwt(Build& build, const Node& jwt);

/// Whether each field, parameter and cookie of "identity" is one thing only.
void check_places(Build& build, const Node* identity);

/// What is counted by: the text or list of "per", or of one step of "if_absent". Of what cannot be read, the rest.
std::vector<limit::Per> build_key(Build& build, const Node* written);

/// What becomes of a caller without the key `per` of the limit written at `limit`.
void build_if_absent(Build& build, const Node& limit, const std::vector<limit::Per>& per, limit::IfAbsent& out);

/// Reports that `what` at `node` takes a claim, `per`, where no token is believed.
void demand_jwt(Build& build, const Node& node, const std::string& what, const limit::Per& per);

/// Help wherever API keys are spoken of and none is known.
inline constexpr const char* kNameKeys =
    R"(name those that are: "identity": { "api_key": { "file": "/etc/headgate/api-keys.json" } })";

/// The tiers of the limit written at `node`; name, store and mode of `out` are set.
void build_tiers(Build& build, const Node& node, limit::Limit& out);

/// What a route's use of a limit costs, and its scale; what cannot be read stays as it is.
void build_use(Build& build, const Node& node, gateway::LimitUse& out);

/// Whether any request of this use could ever pass; reports where none could.
void check_cost(Build& build, const Node& node, const gateway::LimitUse& use, const limit::Limit& limit);

/// Index of the limit called `name`, or -1.
int limit_index(const Build& build, std::string_view name);

/// `route "login"`.
std::string route_text(const gateway::RouteOptions& route);

/// The member of `nodes` whose key is nearest to `written`, or null.
const Node* nearest_node(std::string_view written, const std::vector<const Node*>& nodes);

/// `did you mean "per-ip", defined at 9:7?`, or which there are, or "".
std::string suggestion(std::string_view written, const std::vector<const Node*>& nodes, const Report& report);

}  // namespace headgate::config
