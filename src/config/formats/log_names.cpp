// Checks the targets of logs and the names of logged fields.

#include "config/text/report.hpp"
#include "formats.hpp"

#include "headgate/core/text.hpp"
#include "headgate/core/whole_number.hpp"
#include "headgate/gateway/logged_fields.hpp"
#include "headgate/observe/access_fields.hpp"

#include <algorithm>
#include <array>
#include <string>

namespace headgate::config {
namespace {

constexpr std::string_view kJournald = "journald";
constexpr std::string_view kSyslog = "syslog";

bool is_port(std::string_view text) noexcept { return whole_number<std::uint16_t>(text, 1).has_value(); }

/// Returns the text behind "syslog:" or "journald:"; empty if `text` begins with neither.
std::optional<std::string_view> socket_of(std::string_view text) noexcept {
  for (const auto word : {kJournald, kSyslog})
    if (text.starts_with(word) && text.substr(word.size()).starts_with(':')) return text.substr(word.size() + 1);
  return std::nullopt;
}

std::optional<LiteralError> check_socket(std::string_view text, std::string_view where) {
  constexpr std::size_t kMaxPath = 107;  // longest path of a local socket, in bytes
  if (where.starts_with('/') && where.size() <= kMaxPath) return std::nullopt;
  if (text.starts_with(kJournald))
    return LiteralError{in_quotes(text) + " is not a journald socket",
                        R"(write "journald", or "journald:" and the path of a socket)"};
  const auto colon = where.rfind(':');
  const auto host = where.substr(0, std::min(colon, where.size()));
  const bool v6 = host.starts_with('[') && host.ends_with(']');
  const bool name = !host.empty() && (v6 || host.find(':') == host.npos) && host.find('/') == host.npos;
  if (colon != where.npos && name && is_port(where.substr(colon + 1))) return std::nullopt;
  return LiteralError{in_quotes(text) + " is not a place for syslog",
                      R"(write "syslog", "syslog:/dev/log" or "syslog:logs.example.com:514")"};
}

}  // namespace

bool names_log_file(std::string_view target) noexcept {
  return target.find('/') != std::string_view::npos && !socket_of(target);
}

std::optional<LiteralError> check_log_target(std::string_view text) {
  static constexpr std::array<std::string_view, 5> kKnown{"stdout", "stderr", "off", kSyslog, kJournald};
  if (std::find(kKnown.begin(), kKnown.end(), text) != kKnown.end()) return std::nullopt;
  if (const auto where = socket_of(text)) return check_socket(text, *where);
  if (names_log_file(text) && !text.ends_with('/')) return std::nullopt;
  const auto near = nearest(text, kKnown);
  return LiteralError{
      in_quotes(text) + " is not a place for a log",
      near.empty()
          ? R"(write "stdout", "stderr", "off", "syslog", "journald", or a path with a '/' in it, as in "./access.log")"
          : "did you mean " + in_quotes(near) + "?  A file is written with a '/', as in \"./access.log\""};
}

std::optional<LiteralError> check_logged_field(std::string_view text) {
  if (auto error = check_field_name(text)) return error;
  const auto why = gateway::why_not_logged(text);
  if (why.empty()) return std::nullopt;
  return LiteralError{in_quotes(text) + " is never logged: " + std::string(why),
                      "leave it out: \"callers\" logs the owner of a token or key, and \"key_id\" tells callers apart"};
}

std::optional<LiteralError> check_log_field(std::string_view text) {
  if (observe::access_field(text)) return std::nullopt;
  std::vector<std::string_view> names;
  names.reserve(observe::kAccessFields.size());
  for (const auto& field : observe::kAccessFields) names.push_back(field.name);
  const auto near = nearest(text, names);
  if (text == "owner" || text.starts_with("jwt."))
    return LiteralError{in_quotes(text) + " is not a field of this list",
                        "name it in \"callers\": those are always there"};
  return LiteralError{
      in_quotes(text) + " is not a field of the access log",
      (near.empty() ? "" : "did you mean " + in_quotes(near) + "?  ") + "There are: " + joined(names, ", ")};
}

}  // namespace headgate::config
