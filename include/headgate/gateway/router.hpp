#pragma once
// Finds the route of a request: host, then path, then method; the most specific wins, whatever the order in the file.

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace headgate::gateway {

struct Route;

/// What a route for all methods offers, as Allow lists it.
inline constexpr std::string_view kDefaultMethods = "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS";

/// Whether a pattern can have {name}: letters, digits and '_', no digit first.
bool is_path_parameter(std::string_view name) noexcept;

/// Whether "/Login" and "/login" are two paths.
enum class Case { matters, ignored };

/// A tree of path segments for each host. Built once, then read by any thread.
class Router {
 public:
  struct Found {
    const Route* route = nullptr;
    bool host_known = false;  ///< whether any route is for this host; where none is, the request is for somebody else
    std::string allowed;      ///< where only the method did not fit: the methods that would, as Allow lists them
  };

  /// `ignored` where any route ignores case: only then is a path's case folded to look it up.
  explicit Router(Case letters = Case::matters);
  ~Router();
  Router(Router&&) noexcept;
  Router& operator=(Router&&) noexcept;

  /// `host`: "" any, "a.example" exact, "*.example" any labels before. `pattern`: literal segments, "{name}" for one
  /// segment, and a last "*" for all that follows, if anything does: "/x/*" takes "/x" too. `methods`: empty for all.
  void add(std::string_view host, std::string_view pattern, const std::vector<std::string>& methods, const Route* route,
           Case letters = Case::matters);

  /// `authority` may carry a port; `path` is as normalise_path matches it. A segment's parameters (";v=1") and a slash
  /// at the end are passed over, as many servers do, so that neither slips past a limit. A literal segment beats a
  /// parameter, a parameter beats "*"; of paths that differ in case only, one written like the request's beats one that
  /// ignores case; an exact host beats a pattern, a pattern beats any; a route that names the method beats one for all,
  /// which TRACE is no part of. Methods are compared without case.
  Found find(std::string_view authority, std::string_view path, std::string_view method) const;

 private:
  struct Node;
  struct Host;
  struct Check;
  static const Route* find_in(const Node& node, std::string_view path, Check& check);

  std::vector<std::unique_ptr<Host>> hosts_;  // most specific first
  Case letters_;
};

}  // namespace headgate::gateway
