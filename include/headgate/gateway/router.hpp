#pragma once
// Finds the route of a request by host, path and method. The most specific route wins; the order in the configuration
// does not matter.

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace headgate::gateway {

struct Route;

/// The methods of a route for all methods, as in Allow.
inline constexpr std::string_view kDefaultMethods = "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS";

/// Whether a pattern can have {name}: letters, digits and '_', no digit first.
bool is_path_parameter(std::string_view name) noexcept;

/// Whether "/Login" and "/login" are different paths.
enum class Case { matters, ignored };

/// A tree of path segments for each host. Add routes on one thread; afterwards any thread may search.
class Router {
 public:
  struct Found {
    const Route* route = nullptr;  ///< null if none was found
    bool host_known = false;       ///< whether any route is for this host
    std::string allowed;           ///< if only the method did not match: the methods that do, as in Allow
  };

  /// `ignored` if any route ignores case: only then find() folds the case of a path.
  explicit Router(Case letters = Case::matters);
  ~Router();
  Router(Router&&) noexcept;
  Router& operator=(Router&&) noexcept;

  /// `host`: "" for any, "a.example" for one, "*.example" for any labels before it. `pattern`: literal segments,
  /// "{name}" for any one segment, and "*" at the end for everything that follows: "/x/*" matches "/x" too. `methods`:
  /// empty for all. `route` outlives the router.
  void add(std::string_view host, std::string_view pattern, const std::vector<std::string>& methods, const Route* route,
           Case letters = Case::matters);

  /// `authority` may have a port. `path` is the matched form of normalise_path(). Parameters of a segment (";v=1") and
  /// a slash at the end are ignored, as many servers do, so that they do not avoid a limit.
  ///
  /// The most specific route wins: a literal segment before a parameter, a parameter before "*"; a route that matches
  /// the case of the path before one that ignores case; an exact host before a pattern, a pattern before any host; a
  /// route that names the method before one for all methods. A route for all methods does not include TRACE. Methods
  /// are compared without case.
  Found find(std::string_view authority, std::string_view path, std::string_view method) const;

 private:
  struct Node;
  struct Host;
  struct Check;
  static const Route* find_in(const Node& node, std::string_view path, Check& check);

  std::vector<std::unique_ptr<Host>> hosts_;  // the most specific first
  Case letters_;
};

}  // namespace headgate::gateway
