#pragma once
// Finds the route of a request by host, path, method and conditions. The most specific route wins; the order in the
// configuration does not matter.

#include "headgate/gateway/route_conditions.hpp"
#include "headgate/http/fields.hpp"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace headgate::gateway {

struct Route;

/// The value of Allow for a path whose route takes all methods.
inline constexpr std::string_view kDefaultMethods = "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS";

/// Returns whether a pattern can have a parameter of this name: letters, digits and '_', with no digit first.
bool is_path_parameter(std::string_view name) noexcept;

/// Whether "/Login" and "/login" are different paths.
enum class Case { matters, ignored };

/// A tree of path segments for each host. Add routes on one thread; afterwards any thread may search.
class Router {
 public:
  struct Found {
    const Route* route = nullptr;  ///< the route; null if none was found
    bool host_known = false;       ///< whether any route has this host
    bool unclear = false;          ///< whether the conditions of a route are unclear; no route is found then
    std::string allowed;           ///< if only the method did not match: the methods that would have matched, for Allow
  };

  /// The parts of a request that decide about its route.
  struct Wanted {
    std::string_view authority;  ///< host of the request, which may have a port
    std::string_view path;       ///< the matched form of normalise_path()
    std::string_view method;
    const http::Fields* fields = nullptr;              ///< fields of the request; null if there are none
    std::string_view query = {};                       ///< query of the target; begins with '?' or is empty
    const boost::asio::ip::address* client = nullptr;  ///< the client's address; null if it is not known
  };

  /// `letters` is `ignored` if any route ignores case: only then find() folds the case of a path.
  explicit Router(Case letters = Case::matters);
  ~Router();
  Router(Router&&) noexcept;
  Router& operator=(Router&&) noexcept;

  /// Adds a route. `host` is "" for any, "a.example" for one, or "*.example" for any labels before it. `pattern` has
  /// literal segments, "{name}" for any one segment, and "*" at the end for everything that follows: "/x/*" matches
  /// "/x" too. `methods` is empty for all. `conditions` is null if there are none. `route` and `conditions` must
  /// outlive the router.
  void add(std::string_view host, std::string_view pattern, const std::vector<std::string>& methods, const Route* route,
           Case letters = Case::matters, const RouteConditions* conditions = nullptr);

  /// Finds the route of a request. Parameters of a segment (";v=1") and a slash at the end are ignored, as many servers
  /// ignore them, so that adding them does not avoid a limit.
  ///
  /// The most specific route wins. In a path, a literal segment comes before a parameter, and a parameter before "*". A
  /// route that matches the case of the path comes before one that ignores case. An exact host comes before a pattern,
  /// and a pattern before any host. At the same path, routes whose conditions hold are ordered by rank_of(), the
  /// highest first. After that, a route that names the method comes before one for all methods. A route for all methods
  /// does not include TRACE. Methods are compared without case.
  Found find(const Wanted& wanted) const;
  Found find(std::string_view authority, std::string_view path, std::string_view method) const {
    return find(Wanted{.authority = authority, .path = path, .method = method});
  }

  /// Returns the largest number of pattern segments that one request can be compared with, in the trees of one host.
  /// The number does not depend on the number of routes. It rises only if patterns have a literal and a parameter side
  /// by side in many segments. The call takes time in proportion to the number of routes.
  std::size_t longest_search() const;

 private:
  struct Node;
  struct Hosts;
  struct Check;
  static const Route* find_in(const Node& node, std::string_view path, Check& check);
  template <class Visit>
  void each_tree(std::string_view host, const Visit& visit) const;

  std::unique_ptr<Hosts> hosts_;
  Case letters_;
};

}  // namespace headgate::gateway
