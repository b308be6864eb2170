#pragma once
// What can be asked of the admin interface: a row each. Adding one is a row and a function from a call to an answer.

#include "headgate/core/result.hpp"

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace headgate::server {

/// One call, understood and allowed. Admin thread; views are valid while it is answered.
struct AdminCall {
  std::vector<std::pair<std::string_view, std::string_view>> parameters;  ///< of the path, by name
  std::string_view query;                                                 ///< with its "?", or empty
  std::string body;                                                       ///< whole

  /// What stands in the path where the endpoint has "{name}"; "" where it has none of this name.
  std::string_view parameter(std::string_view name) const noexcept;
};

struct AdminAnswer {
  unsigned status = 200;
  /// Below 400 the body as it is sent; from 400 on a sentence, which is told as application/problem+json.
  std::string body;
  std::string_view type = "text/plain; charset=utf-8";
};

struct AdminEndpoint {
  enum class For : std::uint8_t { all, those_allowed };

  std::string_view method;       ///< "GET" is asked by HEAD as well
  std::string_view path;         ///< as it is matched; "{name}" as a segment takes any one segment that is not empty
  For who = For::those_allowed;  ///< who may ask; probes of a container know no token
  std::uint64_t most_body = 0;   ///< bytes of a body it takes, 413 beyond; 0: what comes is not looked at
  /// Admin thread; must not wait. What it throws is a bug: 500.
  std::function<AdminAnswer(const AdminCall&)> answer;
};

/// What of `endpoints` is meant.
struct AdminMatch {
  const AdminEndpoint* endpoint = nullptr;  ///< null: none has this method
  const AdminEndpoint* path = nullptr;      ///< the first with this path; null: none has it
  std::string allowed;                      ///< the methods of this path, as Allow lists them
  std::vector<std::pair<std::string_view, std::string_view>> parameters;  ///< views into `endpoints` and the path
};
AdminMatch find_endpoint(std::span<const AdminEndpoint> endpoints, std::string_view method, std::string_view path);

}  // namespace headgate::server
