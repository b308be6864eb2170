#pragma once
// A service that decides whether a request may pass, before the request goes to its server, as with nginx's
// auth_request and Traefik's forwardAuth. config fills the options, and a compiled route adds the rest. An exchange
// keeps the service's answer.

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

/// A part of a request that the service gets in header fields. The configuration uses the same words.
enum class AuthRequestPart : std::uint8_t {
  method,    ///< X-Forwarded-Method, X-Original-Method
  host,      ///< X-Forwarded-Host and -Proto
  path,      ///< X-Forwarded-Uri or X-Original-URI, with the query; X-Original-URL, also with the host
  client_ip  ///< X-Forwarded-For, and the address field of trusted hops
};
inline constexpr std::string_view kAuthRequestParts[] = {"method", "host", "path", "client_ip"};

/// The decision about requests while the service does not answer.
enum class AuthIfDown : std::uint8_t { reject, allow };
inline constexpr std::string_view kAuthIfDown[] = {"reject", "allow"};

/// The service of one route, as the configuration has it.
struct AuthService {
  std::string url;     ///< "http://auth/check?x=1"; the host is the name of an upstream, or a server
  std::string to;      ///< the name of the upstream
  std::string host;    ///< the value of Host in requests to the service
  std::string target;  ///< the path and the query
  /// the request's fields that the service gets; if not set, the service gets all fields
  std::optional<std::vector<std::string>> fields;
  std::array<bool, std::size(kAuthRequestParts)> told{true, true, true, true};
  std::vector<std::string> copy;            ///< fields of the service's answer that the server gets
  std::vector<std::string> copy_to_answer;  ///< fields of the service's answer that the client gets
  Duration timeout = std::chrono::seconds(2);
  Duration remember{0};  ///< time for which an answer is reused for the same question; 0 to ask for each request
  AuthIfDown if_down = AuthIfDown::reject;

  bool tells(AuthRequestPart what) const noexcept { return told[static_cast<std::size_t>(what)]; }
};

/// The service of a compiled route. Immutable; any thread.
struct CompiledAuth {
  const AuthService* options = nullptr;
  std::size_t upstream = 0;       ///< index of the upstream
  http::FieldNames fields;        ///< the fields that the service gets, from AuthService::fields
  std::vector<std::string> kept;  ///< lower case, sorted: the fields of the answer that are used
};

enum class AuthOutcome : std::uint8_t {
  allowed,
  refused,  ///< the service refuses the request; the caller gets the service's answer
  /// the answer neither allows nor refuses; the request is refused even with AuthIfDown::allow, because its caller may
  /// have caused the answer
  unclear,
  down  ///< there was no answer, or its status was 5xx
};

/// The service's answer to one question. Never changes once made, so all requests with the same question may share it.
/// One worker only.
struct AuthAnswer {
  AuthOutcome outcome = AuthOutcome::down;
  unsigned status = 0;     ///< the status of the service's answer; 0 if there was none
  bool shareable = false;  ///< whether the answer holds for every request with the same question
  /// whether the request goes on, because the service allowed it, or because the service is down and the route lets
  /// requests pass meanwhile
  bool passes = false;
  std::string why;   ///< the reason for `unclear` and `down`, for the log: "it did not answer in time"
  std::string text;  ///< the text that the fields are views into
  /// The fields in `kept` for an allowed request, each name once; for a refused request, the fields that the caller
  /// gets.
  http::Fields fields;
  std::string body;  ///< the body of a refusal

  /// Returns the value of a field of an answer that allows the request; "" if the answer has no such field. The case of
  /// the name is ignored.
  std::string_view value(std::string_view name) const noexcept {
    return outcome == AuthOutcome::allowed ? http::value_of(fields, name) : std::string_view{};
  }
};
using AuthAnswerPtr = std::shared_ptr<const AuthAnswer>;

/// Returns whether a limit or a variable may name this field of the service's answer, as in "auth.X-User".
bool is_auth_field(std::string_view name) noexcept;

}  // namespace headgate::gateway
