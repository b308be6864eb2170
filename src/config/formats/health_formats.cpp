// Parses and checks the texts of health checks.

#include "config/text/report.hpp"
#include "formats.hpp"

#include "headgate/core/whole_number.hpp"
#include "headgate/http/url.hpp"

#include <algorithm>

namespace headgate::config {
namespace {

std::optional<unsigned> status_of(std::string_view text) {
  return text.size() == 3 ? whole_number<unsigned>(text, 100, 599) : std::nullopt;
}

}  // namespace

Result<upstream::StatusRange, LiteralError> parse_status_range(std::string_view text) {
  const LiteralError none{in_quotes(text) + " is not a range of statuses", R"(write "200-299")"};
  const auto dash = text.find('-');
  if (dash == std::string_view::npos) return none;
  const auto least = status_of(text.substr(0, dash));
  const auto most = status_of(text.substr(dash + 1));
  if (!least || !most) return none;
  if (*least > *most)
    return LiteralError{in_quotes(text) + " begins after its end",
                        "write \"" + std::to_string(*most) + '-' + std::to_string(*least) + '"'};
  return upstream::StatusRange{.least = *least, .most = *most};
}

std::optional<LiteralError> check_status_range(std::string_view text) {
  const auto read = parse_status_range(text);
  return read.has_error() ? std::optional(read.error()) : std::nullopt;
}

std::optional<LiteralError> check_health_path(std::string_view text) {
  const auto printable = [](char c) { return c > ' ' && c < '\x7f'; };
  if (text.starts_with('/') && text.find('#') == std::string_view::npos &&
      std::all_of(text.begin(), text.end(), printable))
    return std::nullopt;
  return LiteralError{in_quotes(text) + " is not a path",
                      R"(write it as "/healthz" or "/ready?full=1", with other characters percent-encoded)"};
}

std::optional<LiteralError> check_health_host(std::string_view text) {
  const auto where = http::split_host_port(text);
  const bool port = !where.port || http::read_port(*where.port).has_value();
  if (!where.misplaced && where.kind != http::HostKind::none && port) return std::nullopt;
  return LiteralError{in_quotes(text) + " is not a host", R"(write "api.internal" or "api.internal:8080")"};
}

}  // namespace headgate::config
