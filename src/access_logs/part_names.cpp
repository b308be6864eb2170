#include "part_names.hpp"

#include "headgate/core/text.hpp"

#include <algorithm>
#include <array>

namespace headgate::access_logs {
namespace {

constexpr auto kVariables = std::to_array<LinePart>({
    {"remote_addr", Meaning::address},
    {"time_local", Meaning::ended},
    {"time_iso8601", Meaning::ended},
    {"msec", Meaning::ended},
    {"request_time", Meaning::took_s},
    {"request", Meaning::request},
    {"request_method", Meaning::method},
    {"request_uri", Meaning::target},
    {"uri", Meaning::path},
    {"document_uri", Meaning::path},
    {"args", Meaning::query},
    {"query_string", Meaning::query},
    {"http_host", Meaning::host},
    {"host", Meaning::host},
    {"scheme", Meaning::scheme},
    {"https", Meaning::tls},
    {"ssl_protocol", Meaning::tls},
    {"ssl_cipher", Meaning::tls},
    {"status", Meaning::status},
    {"body_bytes_sent", Meaning::bytes},
    {"bytes_sent", Meaning::bytes},
    {"content_length", Meaning::request_bytes},
    {"http_content_length", Meaning::request_bytes},
    {"upstream_addr", Meaning::server},
    {"upstream_status", Meaning::server},
    {"upstream_response_time", Meaning::server},
    {"upstream_header_time", Meaning::server},
    {"upstream_connect_time", Meaning::server},
});

/// Known names, written without separators between their words.
constexpr auto kWords = std::to_array<LinePart>({
    {"time", Meaning::ended},
    {"timestamp", Meaning::ended},
    {"ts", Meaning::ended},
    {"datetime", Meaning::ended},
    {"date", Meaning::ended},
    {"endtime", Meaning::ended},
    {"starttime", Meaning::began},
    {"began", Meaning::began},
    {"start", Meaning::began},
    {"clientip", Meaning::address},
    {"clientaddr", Meaning::address},
    {"clientaddress", Meaning::address},
    {"client", Meaning::address},
    {"remoteip", Meaning::address},
    {"remotehost", Meaning::address},
    {"remoteaddress", Meaning::address},
    {"remote", Meaning::address},
    {"sourceip", Meaning::address},
    {"srcip", Meaning::address},
    {"ip", Meaning::address},
    {"address", Meaning::address},
    {"downstreamremoteaddress", Meaning::address},
    {"xforwardedfor", Meaning::forwarded_for},
    {"method", Meaning::method},
    {"httpmethod", Meaning::method},
    {"verb", Meaning::method},
    {"authority", Meaning::host},
    {"domain", Meaning::host},
    {"vhost", Meaning::host},
    {"url", Meaning::target},
    {"target", Meaning::target},
    {"path", Meaning::target},
    {"requestpath", Meaning::target},
    {"uri", Meaning::target},
    {"query", Meaning::query},
    {"code", Meaning::status},
    {"statuscode", Meaning::status},
    {"responsecode", Meaning::status},
    {"bytes", Meaning::bytes},
    {"size", Meaning::bytes},
    {"responsesize", Meaning::bytes},
    {"responsebytes", Meaning::bytes},
    {"bytesreceived", Meaning::request_bytes},
    {"requestbytes", Meaning::request_bytes},
    {"requestsize", Meaning::request_bytes},
    {"inbytes", Meaning::request_bytes},
    {"outbytes", Meaning::bytes},
    {"ms", Meaning::took_ms},
    {"durationms", Meaning::took_ms},
    {"elapsedms", Meaning::took_ms},
    {"latencyms", Meaning::took_ms},
    {"tookms", Meaning::took_ms},
    {"responsetimems", Meaning::took_ms},
    {"durationus", Meaning::took_us},
    {"durationns", Meaning::took_ns},
    {"durations", Meaning::took_s},
    {"seconds", Meaning::took_s},
    {"protocol", Meaning::nothing},
    {"user", Meaning::nothing},
    {"tls", Meaning::tls},
    {"upstreamhost", Meaning::server},
    {"useragent", Meaning::field, "User-Agent"},
    {"agent", Meaning::field, "User-Agent"},
    {"referer", Meaning::field, "Referer"},
    {"referrer", Meaning::field, "Referer"},
});

template <class Table>
const LinePart* named(const Table& table, std::string_view name) noexcept {
  const auto at = std::find_if(table.begin(), table.end(), [&](const LinePart& part) { return part.name == name; });
  return at == table.end() ? nullptr : &*at;
}

}  // namespace

NamedMeaning meaning_of_variable(std::string_view name) {
  if (const auto* const known = named(kVariables, name)) return {known->meaning, std::string(known->text)};
  constexpr std::string_view kField = "http_";
  if (!name.starts_with(kField) || name.size() == kField.size()) return {};
  std::string field(name.substr(kField.size()));
  std::replace(field.begin(), field.end(), '_', '-');
  return {field == "x-forwarded-for" ? Meaning::forwarded_for : Meaning::field, std::move(field)};
}

std::optional<NamedMeaning> meaning_of_word(std::string_view name) {
  const auto small = lower(name);
  std::string word = small;
  std::erase_if(word, [](char c) { return c == '_' || c == '-' || c == '.' || c == ' ' || c == '@' || c == '$'; });
  if (const auto* const known = named(kWords, word)) return NamedMeaning{known->meaning, std::string(known->text)};
  for (const auto& variable : kVariables) {
    std::string name_alone(variable.name);
    std::erase(name_alone, '_');
    if (name_alone == word) return NamedMeaning{variable.meaning, std::string(variable.text)};
  }
  auto field = meaning_of_variable(small);
  if (field.meaning == Meaning::nothing) return std::nullopt;
  return field;
}

}  // namespace headgate::access_logs
