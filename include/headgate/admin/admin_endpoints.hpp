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

/// Who calls: `local` without a token, which only a loopback address has; else whoever has the token of that role.
enum class AdminRole : std::uint8_t { local, reader, operator_ };
std::string_view role_text(AdminRole role) noexcept;  ///< "local", "reader", "operator"

/// One call that was parsed and allowed. Admin thread; the views are valid while it is answered.
struct AdminCall {
  std::vector<std::pair<std::string_view, std::string>> parameters;  ///< of the path, by name; without escapes
  std::string_view query;                                            ///< begins with "?", or is empty
  std::string body;                                                  ///< the whole body
  AdminRole role = AdminRole::local;
  std::string address{};      ///< of the caller
  std::string_view accept{};  ///< the kinds of answer that the caller takes
  std::string_view known{};   ///< If-None-Match: what the caller has already

  /// The segment of the path at "{name}"; "" if the endpoint has no such name.
  std::string_view parameter(std::string_view name) const noexcept;
  /// A parameter of the query, without escapes; nothing if it is not there, or not once, or its escapes are broken.
  std::optional<std::string> asked(std::string_view name) const;
};

struct AdminAnswer {
  unsigned status = 200;
  /// Below 400: the body as it is sent. From 400 on: a sentence, which is sent as application/problem+json; or the
  /// whole problem, if that is its type.
  std::string body{};
  std::string_view type = "text/plain; charset=utf-8";
  /// What was changed, for the log of changes, beside the parameters of the path: "limit=abuse". No secret and no key
  /// of a limit in clear.
  std::string target{};
  /// Fields beside Content-Type, with Cache-Control; none: the answer may not be kept.
  std::span<const http::Field> fields{};

  static constexpr std::string_view kProblem = "application/problem+json";
  static constexpr std::string_view kJson = "application/json";
};

/// What an endpoint sends bit by bit, for as long as its reader stays. Admin thread.
class AdminStream {
 public:
  virtual ~AdminStream() = default;
  /// What is to be sent now; empty: nothing yet.
  virtual std::string take() = 0;
  /// `wake` is called once there is more, or the end; on any thread. An empty one: not any more.
  virtual void on_more(std::function<void()> wake) = 0;
  /// Whether nothing comes any more.
  virtual bool ended() const = 0;
  /// What is sent when there was nothing for `pause()`.
  virtual std::string_view heartbeat() const = 0;
  virtual Duration pause() const = 0;
};

/// What an endpoint is, for its description in OpenAPI.
struct AdminAbout {
  struct Parameter {
    std::string_view name;
    std::string_view meaning;
    bool required = false;
  };
  std::string_view summary{};      ///< a sentence without its dot; "": it is not described
  std::string_view body{};         ///< the name of the body's schema; "": it takes none
  std::string_view answer{};       ///< the name of the answer's schema; "": it is text
  std::vector<Parameter> query{};  ///< of the query; another one is refused
  std::string_view stream{};       ///< the type of an answer that does not end; "": it ends
  std::string_view lines{};        ///< the name of the schema of each line of JSON; "": it is one text
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
  /// Instead of both: an answer that does not end by itself, or the reason why there is none.
  std::function<Result<std::unique_ptr<AdminStream>, AdminAnswer>(const AdminCall&)> stream{};
  /// For a POST that changes nothing: readers may call it, and it is not in the log of changes.
  bool reads = false;
  /// For a GET that asks who one is: a call without a token gets its 401 as an answer, and the log does not have it.
  bool asks_who = false;
  AdminAbout about{};

  /// Whether a call may change something.
  bool changes() const noexcept { return method != "GET" && !reads; }
};

/// What is wrong with the parameters of a query, in a sentence; "" if each is one of `endpoint.about` and is there
/// once. An endpoint that is not described takes any.
std::string wrong_query(const AdminEndpoint& endpoint, std::string_view query);

/// Which of the endpoints a request is for.
struct AdminMatch {
  const AdminEndpoint* endpoint = nullptr;                           ///< null: none has this method
  const AdminEndpoint* path = nullptr;                               ///< the first with this path; null: none has it
  std::string allowed;                                               ///< the methods of this path, as Allow lists them
  std::vector<std::pair<std::string_view, std::string>> parameters;  ///< without escapes
};
/// `path` as it was sent: its segments are compared one by one, each without its escapes; no dots are resolved.
AdminMatch find_endpoint(std::span<const AdminEndpoint> endpoints, std::string_view method, std::string_view path);

}  // namespace headgate::admin
