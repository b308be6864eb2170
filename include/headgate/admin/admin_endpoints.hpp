#pragma once
// The endpoints of the admin interface, one row each. A new endpoint is a row and a function that turns a call into an
// answer.

#include "headgate/core/result.hpp"
#include "headgate/core/time.hpp"
#include "headgate/http/fields.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace headgate::admin {

/// The role of a caller: `local` if no token is configured, which only loopback addresses may use; otherwise the role
/// of the token.
enum class AdminRole : std::uint8_t { local, reader, operator_ };
std::string_view role_text(AdminRole role) noexcept;  ///< Returns "local", "reader" or "operator".

/// A call that was parsed and allowed. Admin thread; the views are valid until the call is answered.
struct AdminCall {
  std::vector<std::pair<std::string_view, std::string>> parameters;  ///< Parameters of the path by name, unescaped.
  std::string_view query;                                            ///< Begins with "?", or is empty.
  std::string body;                                                  ///< The complete body.
  AdminRole role = AdminRole::local;
  std::string address{};      ///< Address of the caller.
  std::string_view accept{};  ///< The Accept header of the caller.
  std::string_view known{};   ///< The If-None-Match header: the version that the caller already has.

  /// Returns the path segment at "{name}"; "" if the endpoint has no parameter of this name.
  std::string_view parameter(std::string_view name) const noexcept;
  /// Returns a parameter of the query, unescaped; empty if the parameter is missing, occurs twice, or has broken
  /// escapes.
  std::optional<std::string> asked(std::string_view name) const;
};

struct AdminAnswer {
  unsigned status = 200;
  /// If the status is below 400, the body to send. Otherwise a sentence that is sent as application/problem+json, or
  /// the complete problem document if `type` says so.
  std::string body{};
  std::string_view type = "text/plain; charset=utf-8";
  /// The changed object, for the audit log, in addition to the parameters of the path: "limit=abuse". Contains no
  /// secret, and no key of a limit in clear text.
  std::string target{};
  /// Header fields in addition to Content-Type, including Cache-Control. If there are none, the answer may not be
  /// cached.
  std::span<const http::Field> fields{};

  static constexpr std::string_view kProblem = "application/problem+json";
  static constexpr std::string_view kJson = "application/json";
};

/// A streamed answer that lasts until its reader leaves. Admin thread.
class AdminStream {
 public:
  virtual ~AdminStream() = default;
  /// Returns the bytes to send now; empty if there are none yet.
  virtual std::string take() = 0;
  /// Sets a function that is called, on any thread, when there is more to send or the stream has ended. An empty
  /// function removes it.
  virtual void on_more(std::function<void()> wake) = 0;
  /// Returns whether the stream has ended.
  virtual bool ended() const = 0;
  /// Returns the bytes to send after `pause()` without data.
  virtual std::string_view heartbeat() const = 0;
  virtual Duration pause() const = 0;
};

/// The description of an endpoint in OpenAPI.
struct AdminAbout {
  struct Parameter {
    std::string_view name;
    std::string_view meaning;
    bool required = false;
  };
  std::string_view summary{};      ///< A sentence without its full stop; "" if the endpoint is not described.
  std::string_view body{};         ///< Name of the body's schema; "" if there is no body.
  std::string_view answer{};       ///< Name of the answer's schema; "" if the answer is plain text.
  std::vector<Parameter> query{};  ///< Parameters of the query; any other parameter is refused.
  std::string_view stream{};       ///< Media type of a streamed answer; "" if the answer is not streamed.
  std::string_view lines{};        ///< Name of the schema of each JSON line; "" if the answer is one document.
};

struct AdminEndpoint {
  enum class For : std::uint8_t { all, those_allowed };

  std::string_view method;       ///< Method of the calls; "GET" includes HEAD.
  std::string_view path;         ///< A pattern; "{name}" matches any single segment that is not empty.
  For who = For::those_allowed;  ///< The callers that are allowed. Use `all` for container probes, which have no token.
  std::uint64_t most_body = 0;   ///< Largest accepted body in bytes, 413 if it is larger; 0 if a body is ignored.
  /// Admin thread; must not block. An exception is a bug and gives a 500.
  std::function<AdminAnswer(const AdminCall&)> answer{};
  /// Used instead of `answer` for slow work. Called on the admin thread, and must not block; the answer may be given
  /// later, on any thread. If `give` is destroyed without an answer, the call gets a 503.
  using Give = std::function<void(AdminAnswer)>;
  std::function<void(const AdminCall&, Give give)> answer_later{};
  /// Used instead of `answer` and `answer_later` for a streamed answer. Returns the stream, or the answer that explains
  /// why there is none.
  std::function<Result<std::unique_ptr<AdminStream>, AdminAnswer>(const AdminCall&)> stream{};
  /// True for a POST that changes nothing. Readers may call it, and the audit log leaves it out.
  bool reads = false;
  /// True for a GET that returns the caller's role. A call without a token gets a normal 401 answer, which is not
  /// logged as refused.
  bool asks_who = false;
  AdminAbout about{};

  /// Returns whether a call may change something.
  bool changes() const noexcept { return method != "GET" && !reads; }
};

/// Returns a sentence that says what is wrong with a query; "" if each parameter is one of `endpoint.about` and occurs
/// once. An endpoint without a description accepts any query.
std::string wrong_query(const AdminEndpoint& endpoint, std::string_view query);

/// The endpoint that matches a request.
struct AdminMatch {
  const AdminEndpoint* endpoint = nullptr;  ///< The endpoint; null if none has this method and path.
  const AdminEndpoint* path = nullptr;  ///< The first endpoint with this path and any method; null if there is none.
  std::string allowed;                  ///< The methods of this path, as written in the Allow header.
  std::vector<std::pair<std::string_view, std::string>> parameters;  ///< Parameters of the path by name, unescaped.
};
/// Finds the endpoint for `path` as it was sent. Segments are compared one by one, unescaped; dots are not resolved.
AdminMatch find_endpoint(std::span<const AdminEndpoint> endpoints, std::string_view method, std::string_view path);

}  // namespace headgate::admin
