// Builds the head of a request from its parts, so that its outcome can be explained.

#include "headgate/gateway/explain.hpp"
#include "headgate/http/fields.hpp"
#include "headgate/http/url.hpp"

#include <algorithm>

namespace headgate::gateway {
namespace {

bool is_plain(std::string_view text) {
  return std::ranges::none_of(text, [](unsigned char c) { return c <= ' ' || c == 0x7F; });
}

Result<ExplainedRequest, std::string> wrong_part(std::string sentence) {
  return {boost::system::in_place_error, std::move(sentence)};
}

bool is_value(std::string_view text) {
  return std::ranges::none_of(text, [](unsigned char c) { return (c < ' ' && c != '\t') || c == 0x7F; });
}

}  // namespace

Result<ExplainedRequest, std::string> explained_request(const ExplainedParts& parts) {
  if (!http::is_token(parts.method)) return wrong_part("the method must be a word, such as GET");
  if (!is_plain(parts.url)) return wrong_part("the URL has a blank or a control character");
  const auto url = http::split_url(parts.url);
  const bool path_only = parts.url.starts_with('/');
  if (!path_only && url.scheme != "http" && url.scheme != "https")
    return wrong_part("the URL must begin with http://, https:// or a slash");
  if (!path_only && (url.host_port.empty() || url.user))
    return wrong_part("the URL must have a host, and no user name before it");
  auto target = path_only ? std::string_view(parts.url) : url.rest;
  target = target.substr(0, target.find('#'));
  ExplainedRequest out;
  out.tls = url.scheme == "https";
  out.head.append(parts.method).append(" ");
  if (!target.starts_with('/') && parts.method != "OPTIONS") out.head += '/';
  out.head.append(target.empty() && parts.method == "OPTIONS" ? "*" : target).append(" HTTP/1.1\r\n");
  const bool has_host =
      std::ranges::any_of(parts.fields, [](const auto& field) { return http::same_word(field.first, "Host"); });
  if (!has_host) out.head.append("Host: ").append(path_only ? "localhost" : url.host_port).append("\r\n");
  for (const auto& [name, value] : parts.fields) {
    if (!http::is_token(name)) return wrong_part("\"" + name + "\" is not the name of a field");
    if (!is_value(value)) return wrong_part("the field " + name + " has a control character");
    out.head.append(name).append(": ").append(value).append("\r\n");
  }
  out.head += "\r\n";
  error_code wrong;
  out.peer = boost::asio::ip::make_address(parts.address, wrong);
  if (wrong) return wrong_part("\"" + parts.address + "\" is not an address");
  if (out.peer.is_v6() && out.peer.to_v6().is_v4_mapped())
    out.peer = boost::asio::ip::make_address_v4(boost::asio::ip::v4_mapped, out.peer.to_v6());
  return out;
}

}  // namespace headgate::gateway
