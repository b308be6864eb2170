#pragma once
// Calls of gRPC, frame by frame.

#include "blackbox/harness/h2_client.hpp"
#include "blackbox/http2/asking.hpp"

#include <string>
#include <string_view>

namespace headgate::test {

/// The head of a call of this method.
inline H2Fields call(const std::string& method, const H2Fields& more = {}) {
  H2Fields fields = h2_get("/test.Echo/" + method, {{"content-type", "application/grpc"}, {"te", "trailers"}}, "POST");
  fields.insert(fields.end(), more.begin(), more.end());
  return fields;
}

/// A message as it stands in a body.
inline std::string grpc_message(std::string_view bytes) {
  std::string out(1, '\0');
  out += h2_number(static_cast<std::uint32_t>(bytes.size()));
  return out.append(bytes);
}

/// The answer of a server without a message, and one with: the status is in its trailers then.
inline std::string grpc_failure(std::uint32_t stream, const std::string& status, const H2Fields& more = {}) {
  H2Fields fields = {{":status", "200"}, {"content-type", "application/grpc"}, {"grpc-status", status}};
  fields.insert(fields.end(), more.begin(), more.end());
  return h2_answer(stream, fields);
}
inline std::string grpc_answer(std::uint32_t stream, const std::string& status, const std::string& message = "m") {
  return h2_answer(stream, {{":status", "200"}, {"content-type", "application/grpc"}},
                   message.empty() ? message : grpc_message(message), {{"grpc-status", status}});
}

/// How the call ended, wherever that stands.
inline std::string grpc_status_of(const H2Answer& answer) {
  const auto& from = answer.trailers.contains("grpc-status") ? answer.trailers : answer.fields;
  const auto at = from.find("grpc-status");
  return at == from.end() ? "" : at->second;
}

}  // namespace headgate::test
