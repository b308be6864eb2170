#include "headgate/core/text.hpp"
#include "headgate/gateway/auth_service.hpp"
#include "headgate/gateway/edit_options.hpp"
#include "headgate/gateway/router.hpp"
#include "headgate/http/field_names.hpp"
#include "headgate/identity/jwt.hpp"

#include <utility>

namespace headgate::gateway {
namespace {

constexpr std::string_view kClaim = "jwt.";
constexpr std::string_view kParameter = "path.";
constexpr std::string_view kAuth = "auth.";

struct FixedFields {
  http::FieldNames names;
  std::string_view why;
};

}  // namespace

std::optional<TextPart> read_variable(std::string_view name) {
  using Kind = TextPart::Kind;
  constexpr std::pair<std::string_view, Kind> kPlain[] = {
      {"client_ip", Kind::client_ip},   {"request_id", Kind::request_id},
      {"route", Kind::route},           {"host", Kind::host},
      {"basic.user", Kind::user},       {"api_key.owner", Kind::key_owner},
      {"api_key.tier", Kind::key_tier}, {"api_key.tags", Kind::key_tags}};
  for (const auto& [word, kind] : kPlain)
    if (name == word) return TextPart{kind, {}};
  const auto behind = [name](std::string_view word) { return std::string(name.substr(word.size())); };
  if (name.starts_with(kClaim) && identity::is_claim_name(name.substr(kClaim.size())))
    return TextPart{Kind::claim, behind(kClaim)};
  if (name.starts_with(kAuth) && is_auth_field(name.substr(kAuth.size()))) return TextPart{Kind::auth, behind(kAuth)};
  if (name.starts_with(kParameter) && is_path_parameter(name.substr(kParameter.size())))
    return TextPart{Kind::path, behind(kParameter)};
  return std::nullopt;
}

std::string_view why_fixed(std::string_view name, Towards towards) noexcept {
  using Names = std::vector<std::string>;
  static const FixedFields hop{
      http::FieldNames(Names{"Connection", "Keep-Alive", "Proxy-Connection", "Proxy-Authenticate",
                             "Proxy-Authorization", "TE", "Trailer", "Transfer-Encoding", "Upgrade", "Content-Length",
                             "HTTP2-Settings"}),
      "it belongs to one connection or says where a message ends, which each hop decides for itself"};
  static const FixedFields ours{http::FieldNames(Names{"Via", "X-Request-Id"}),
                                "the gateway writes it itself, so that it can be believed"};
  static const FixedFields to_server{
      http::FieldNames(Names{"Forwarded", "X-Forwarded-For", "X-Forwarded-Proto", "X-Forwarded-Host",
                             "X-Forwarded-Prefix", "Max-Forwards", "Expect"}),
      "the gateway writes it itself, so that servers can believe it"};
  static const FixedFields to_client{http::FieldNames(Names{"Date", "RateLimit", "RateLimit-*", "X-RateLimit-*"}),
                                     "the gateway writes it itself"};
  for (const auto* const each : {&hop, &ours, towards == Towards::server ? &to_server : &to_client})
    if (each->names.contains(name)) return each->why;
  if (towards == Towards::server && http::same_variable(name, "Host")) return R"("host_header" says what it is)";
  return {};
}

}  // namespace headgate::gateway
