#pragma once
// Parses texts of the blocks that change messages: values with variables, paths with parameters, and addresses.

#include "config/text/document.hpp"

#include "headgate/core/literals.hpp"
#include "headgate/core/result.hpp"
#include "headgate/gateway/edit_options.hpp"

#include <optional>
#include <string_view>

namespace headgate::config {

// These characters surround the name of a variable in `Node::text`, at places where variables are allowed. No header
// field can contain them.
inline constexpr char kVariableBegins = '\x01';
inline constexpr char kVariableEnds = '\x02';

/// Returns whether "${client_ip}" at this place is a variable of requests rather than of the environment.
bool takes_variables(const Node& node);

/// Parses a value with variables in the form of `Node::text`.
Result<gateway::TextTemplate, LiteralError> parse_field_template(std::string_view text);

// Returns why `text` is not valid; empty if it is valid.
std::optional<LiteralError> check_field_template(std::string_view text);
/// Checks the name of a request field that routes may change.
std::optional<LiteralError> check_request_field(std::string_view text);
/// Checks the name of a response field that routes may change.
std::optional<LiteralError> check_response_field(std::string_view text);
/// Checks a path of literal segments, such as "/api/v1".
std::optional<LiteralError> check_prefix(std::string_view text);
std::optional<LiteralError> check_redirect_to(std::string_view text);
std::optional<LiteralError> check_host_header(std::string_view text);

}  // namespace headgate::config
