#include "edits.hpp"

#include "config/text/report.hpp"
#include "formats.hpp"

#include "headgate/core/text.hpp"
#include "headgate/http/path.hpp"
#include "headgate/http/url.hpp"

#include <algorithm>

namespace headgate::config {
namespace {

using gateway::TextPart;
using gateway::TextTemplate;
using gateway::Towards;

constexpr std::size_t kLongestValue = 1'024;

bool carried(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return c >= 0x20 && c < 0x7F; });
}

std::optional<LiteralError> check_edited_field(std::string_view name, Towards towards) {
  if (auto error = check_field_name(name)) return error;
  const auto why = gateway::why_fixed(name, towards);
  if (why.empty()) return std::nullopt;
  return LiteralError{in_quotes(name) + " cannot be changed here: " + std::string(why), "leave it out"};
}

}  // namespace

bool takes_variables(const Node& node) {
  const Node* const object = node.parent;
  const Node* const block = object == nullptr ? nullptr : object->parent;
  if (block == nullptr || object->kind != Kind::object) return false;
  if (object->key == "headers") return block->key == "respond";
  const bool fields = block->key == "request_headers" || block->key == "response_headers";
  return fields && (object->key == "set" || object->key == "add");
}

Result<TextTemplate, LiteralError> parse_field_template(std::string_view text) {
  TextTemplate out;
  const LiteralError fault{"this value cannot be sent in a header field",
                           "write 1 to 1024 printable ASCII characters, without a blank at either end"};
  if (text.empty() || text.size() > kLongestValue || text.front() == ' ' || text.back() == ' ') return fault;
  while (!text.empty()) {
    const auto begins = text.find(kVariableBegins);
    const auto literal = text.substr(0, begins);
    if (!carried(literal)) return fault;
    if (!literal.empty()) out.push_back({TextPart::Kind::literal, std::string(literal)});
    if (begins == text.npos) break;
    const auto ends = text.find(kVariableEnds, begins);
    if (ends == text.npos) return fault;
    auto variable = gateway::read_variable(text.substr(begins + 1, ends - begins - 1));
    if (!variable) return fault;
    out.push_back(std::move(*variable));
    text.remove_prefix(ends + 1);
  }
  return Result<TextTemplate, LiteralError>(boost::system::in_place_value, std::move(out));
}

std::optional<LiteralError> check_field_template(std::string_view text) {
  const auto read = parse_field_template(text);
  return read.has_error() ? std::optional(read.error()) : std::nullopt;
}

std::optional<LiteralError> check_request_field(std::string_view text) {
  return check_edited_field(text, Towards::server);
}
std::optional<LiteralError> check_response_field(std::string_view text) {
  return check_edited_field(text, Towards::client);
}

std::optional<LiteralError> check_prefix(std::string_view text) {
  if (text.size() > 1 && text.ends_with('/')) {
    return LiteralError{"a prefix ends with its last segment",
                        "write " + in_quotes(text.substr(0, text.find_last_not_of('/') + 1))};
  }
  if (text == "/" || text.find_first_of("*{}") != std::string_view::npos)
    return LiteralError{in_quotes(text) + " is not a prefix", R"(write its segments, as in "/api" or "/api/v1")"};
  return check_path(text);
}

std::optional<LiteralError> check_redirect_to(std::string_view text) {
  const auto parts = http::split_url(text);
  const LiteralError form{in_quotes(text) + " is not a target of a redirect",
                          R"(write a path, as in "/new/*", or a URL, as in "https://example.com/new/*")"};
  if (text.find('#') != std::string_view::npos)
    return LiteralError{"a redirect keeps the client's query, and no fragment can stand before it", "leave '#' out"};
  std::string_view rest = text;
  if (!parts.scheme.empty()) {
    const auto where = http::split_host_port(parts.host_port);
    const bool web = parts.scheme == "http" || parts.scheme == "https";
    const bool named = where.kind != http::HostKind::none && !where.misplaced && !parts.user &&
                       (!where.port || http::read_port(*where.port));
    if (!web || !named) return form;
    rest = parts.rest;
  } else if (!text.starts_with('/')) {
    return form;
  }
  const auto query = rest.substr(std::min(rest.find('?'), rest.size()));
  const auto path = rest.substr(0, rest.size() - query.size());
  if (!query.empty() && (!http::valid_query(query.substr(1)) || query.find_first_of("{}") != std::string_view::npos))
    return LiteralError{"this query has a character that it cannot have; parameters are for the path",
                        "write such characters as %XX"};
  if (path.empty()) return parts.scheme.empty() ? std::optional(form) : std::nullopt;
  return check_path(path);
}

std::optional<LiteralError> check_host_header(std::string_view text) {
  if (text == "keep" || text == "server") return std::nullopt;
  const auto where = http::split_host_port(text);
  const bool named = where.kind != http::HostKind::none && where.kind != http::HostKind::v6_in_zone &&
                     !where.misplaced && (!where.port || http::read_port(*where.port));
  if (named && text.find_first_of("/@*") == std::string_view::npos) return std::nullopt;
  return LiteralError{in_quotes(text) + " is not a host",
                      R"(write "keep", "server", or a host, as in "shop.internal" or "shop.internal:8080")"};
}

}  // namespace headgate::config
