#pragma once
// The endpoints of the admin interface, one row each. A new endpoint is a row and a function that turns a call into an
// answer.

#include "headgate/core/result.hpp"

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace headgate::server {

/// One call that was parsed and allowed. Admin thread; the views are valid while it is answered.
struct AdminCall {
  std::vector<std::pair<std::string_view, std::string_view>> parameters;  ///< of the path, by name
  std::string_view query;                                                 ///< begins with "?", or is empty
  std::string body;                                                       ///< the whole body
  std::string_view accept{};                                              ///< the kinds of answer that the caller takes

  /// The segment of the path at "{name}"; "" if the endpoint has no such name.
  std::string_view parameter(std::string_view name) const noexcept;
};

struct AdminAnswer {
  unsigned status = 200;
  /// Below 400: the body as it is sent. From 400 on: a sentence, which is sent as application/problem+json; or the
  /// whole problem, if that is its type.
  std::string body;
  std::string_view type = "text/plain; charset=utf-8";

  static constexpr std::string_view kProblem = "application/problem+json";
};

struct AdminEndpoint {
  enum class For : std::uint8_t { all, those_allowed };

  std::string_view method;       ///< "GET" includes HEAD
  std::string_view path;         ///< a pattern; "{name}" matches any one segment that is not empty
  For who = For::those_allowed;  ///< who may call it; probes of a container have no token
  std::uint64_t most_body = 0;   ///< largest body in bytes, 413 beyond; 0: a body is ignored
  /// Admin thread; must not wait. An exception is a bug: 500.
  std::function<AdminAnswer(const AdminCall&)> answer{};
  /// Instead of `answer`, for what takes long. Called on the admin thread, and must not wait; the answer is given
  /// later, on any thread. If `give` is destroyed without an answer, the call gets a 503.
  using Give = std::function<void(AdminAnswer)>;
  std::function<void(const AdminCall&, Give give)> answer_later{};
};

/// Which of the endpoints a request is for.
struct AdminMatch {
  const AdminEndpoint* endpoint = nullptr;  ///< null: none has this method
  const AdminEndpoint* path = nullptr;      ///< the first with this path; null: none has it
  std::string allowed;                      ///< the methods of this path, as Allow lists them
  std::vector<std::pair<std::string_view, std::string_view>> parameters;  ///< views into `endpoints` and the path
};
AdminMatch find_endpoint(std::span<const AdminEndpoint> endpoints, std::string_view method, std::string_view path);

}  // namespace headgate::server
