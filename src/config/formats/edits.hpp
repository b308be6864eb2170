#pragma once
// Texts of the blocks that change messages: values with variables, paths with parameters, addresses.

#include "config/text/document.hpp"

#include "headgate/core/literals.hpp"
#include "headgate/core/result.hpp"
#include "headgate/gateway/edit_options.hpp"

#include <optional>
#include <string_view>

namespace headgate::config {

// In a place that takes variables, `Node::text` has these around the name of one. No field can carry them.
inline constexpr char kVariableBegins = '\x01';
inline constexpr char kVariableEnds = '\x02';

/// Whether "${client_ip}" at this place is a variable of requests, not of the environment.
bool takes_variables(const Node& node);

/// A value with variables, as `Node::text` has it.
Result<gateway::TextTemplate, LiteralError> parse_field_template(std::string_view text);

// Why `text` is not valid; nothing if it is.
std::optional<LiteralError> check_field_template(std::string_view text);
std::optional<LiteralError> check_request_field(std::string_view text);   ///< a name of a field that routes may change
std::optional<LiteralError> check_response_field(std::string_view text);  ///< the same of answers
std::optional<LiteralError> check_prefix(std::string_view text);          ///< literal segments: "/api/v1"
std::optional<LiteralError> check_redirect_to(std::string_view text);
std::optional<LiteralError> check_host_header(std::string_view text);

}  // namespace headgate::config
