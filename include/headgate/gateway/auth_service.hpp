#pragma once
// A service that is asked whether a request may pass, before its server is: nginx's auth_request, Traefik's
// forwardAuth. config fills the options; a compiled route has the rest, and an exchange keeps what the service said.

#include "headgate/core/time.hpp"
#include "headgate/http/field_names.hpp"
#include "headgate/http/fields.hpp"

#include <array>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace headgate::gateway {

/// What the service is told of a request beside its fields. The configuration has these words.
enum class AuthTold : std::uint8_t {
  method,    ///< X-Forwarded-Method, X-Original-Method
  host,      ///< X-Forwarded-Host and -Proto
  path,      ///< with the query: X-Forwarded-Uri, X-Original-URI; with the host X-Original-URL
  client_ip  ///< X-Forwarded-For, and the field of trusted hops
};
inline constexpr std::string_view kAuthTold[] = {"method", "host", "path", "client_ip"};

/// What becomes of requests while the service does not answer.
enum class AuthIfDown : std::uint8_t { reject, allow };
inline constexpr std::string_view kAuthIfDown[] = {"reject", "allow"};

/// The service of one route, as a user writes it.
struct AuthService {
  std::string url;     ///< "http://auth/check?x=1"; its host is the name of an upstream, or a server
  std::string to;      ///< the name of its upstream
  std::string host;    ///< what it gets as Host
  std::string target;  ///< path and query
  std::optional<std::vector<std::string>> fields;  ///< of a request that it gets; not set: all
  std::array<bool, std::size(kAuthTold)> told{true, true, true, true};
  std::vector<std::string> copy;            ///< fields of its answer that the server gets
  std::vector<std::string> copy_to_answer;  ///< fields of its answer that the client gets
  Duration timeout = std::chrono::seconds(2);
  Duration remember{0};  ///< how long an answer counts for the same question; 0: it is asked for each request
  AuthIfDown if_down = AuthIfDown::reject;

  bool tells(AuthTold what) const noexcept { return told[static_cast<std::size_t>(what)]; }
};

/// The same of a compiled route. Immutable; any thread.
struct CompiledAuth {
  const AuthService* options = nullptr;
  std::size_t upstream = 0;       ///< index of its upstream
  http::FieldNames fields;        ///< AuthService::fields
  std::vector<std::string> kept;  ///< lower case, sorted: fields of an answer of which somebody asks
};

enum class AuthOutcome : std::uint8_t {
  allowed,
  refused,  ///< the answer is the caller's
  unclear,  ///< it answered, and neither allows nor refuses: never an admission, for the caller may have caused it
  down      ///< it did not answer, or with 5xx
};

/// What the service said of one question. Never changes once made; those who ask the same question may share it. One
/// worker only.
struct AuthAnswer {
  AuthOutcome outcome = AuthOutcome::down;
  unsigned status = 0;     ///< of its answer; 0: there was none
  bool shareable = false;  ///< whether it is for everybody who asks the same
  bool passes = false;     ///< whether the request goes on: it is allowed, or nobody decides and the route lets it
  std::string why;         ///< of `unclear` and `down`, for the log: "it did not answer in time"
  std::string text;        ///< what the fields are views into
  /// allowed: those that are kept, each name once; refused: those that the caller gets.
  http::Fields fields;
  std::string body;  ///< of a refusal

  /// The value of a field of an admission; "" if it has none. Case is ignored.
  std::string_view value(std::string_view name) const noexcept {
    return outcome == AuthOutcome::allowed ? http::value_of(fields, name) : std::string_view{};
  }
};
using AuthAnswerPtr = std::shared_ptr<const AuthAnswer>;

/// Whether a limit or a variable may name this field of the service's answer, as in "auth.X-User".
bool is_auth_field(std::string_view name) noexcept;

}  // namespace headgate::gateway
