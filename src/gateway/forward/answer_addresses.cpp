#include "answer_addresses.hpp"

#include "gateway/callers/forwarding_headers.hpp"

#include "headgate/core/text.hpp"
#include "headgate/gateway/route_edits.hpp"

#include <cstddef>
#include <vector>

namespace headgate::gateway {
namespace {

using http::Known;

/// Returns the authority without its default port: "a.example:443" and "a.example" name the same server, and the scheme
/// determines the default port.
std::string_view plain_authority(std::string_view authority) noexcept {
  for (const std::string_view port : {":80", ":443"})
    if (authority.ends_with(port)) return authority.substr(0, authority.size() - port.size());
  return authority;
}

bool same_authority(std::string_view a, std::string_view b) noexcept {
  return !a.empty() && same_word(plain_authority(a), plain_authority(b));
}

/// Returns whether `path` is `prefix` or lies below it; a query or a fragment may follow.
bool is_below(std::string_view path, std::string_view prefix) noexcept {
  if (!path.starts_with(prefix)) return false;
  return path.size() == prefix.size() || std::string_view("/?#").find(path[prefix.size()]) != std::string_view::npos;
}

/// Returns the path by which the client reaches the server's `path`, which is empty or begins with '/', '?' or '#'.
std::string_view path_for_client(TextArena& text, const AddressMap& map, std::string_view path) {
  if (!map.added.empty()) {
    if (!is_below(path, map.added)) return path;  // the route does not lead to this path of the server
    path.remove_prefix(map.added.size());
  } else if (is_below(path, map.stripped)) {
    return path;  // the server has already added the prefix (X-Forwarded-Prefix)
  }
  return path.starts_with('/') ? text.join({map.stripped, path})
                               : text.join({map.stripped, map.stripped.empty() ? "/" : "", path});
}

bool maps_paths(const AddressMap& map) noexcept { return !map.stripped.empty() || !map.added.empty(); }

std::string_view host_part(std::string_view authority) noexcept { return http::host_of(authority); }

/// Returns whether a cookie with this Domain is for `host` (RFC 6265 section 5.1.3).
bool covers(std::string_view domain, std::string_view host) noexcept {
  if (domain.starts_with('.')) domain.remove_prefix(1);
  if (domain.empty() || host.size() < domain.size()) return false;
  if (!same_word(host.substr(host.size() - domain.size()), domain)) return false;
  return host.size() == domain.size() || host[host.size() - domain.size() - 1] == '.';
}

bool is_foreign(std::string_view domain, const AddressMap& map) noexcept {
  const bool servers = covers(domain, host_part(map.asked)) || covers(domain, host_part(map.server));
  return servers && !covers(domain, host_part(map.authority));
}

std::string_view cookie_path(TextArena& text, const AddressMap& map, std::string_view path) {
  const auto made = path_for_client(text, map, path);
  // A cookie path "/api" includes "/api" and everything below it, whereas "/api/" does not include "/api" itself.
  const bool root = made.size() > 1 && made.size() == map.stripped.size() + 1 && made.ends_with('/');
  return root && made.data() != path.data() ? made.substr(0, made.size() - 1) : made;
}

/// Browsers accept a cookie with this prefix only with Path=/ (RFC 6265bis section 4.1.3.2).
bool is_host_cookie(std::string_view cookie) noexcept {
  constexpr std::string_view kBeginning = "__Host-";
  return same_word(trimmed(cookie).substr(0, kBeginning.size()), kBeginning);
}

}  // namespace

std::string_view for_client(TextArena& text, const AddressMap& map, std::string_view value) {
  const auto scheme_end = value.find("://");
  const bool absolute = scheme_end != value.npos && scheme_end == value.find_first_of(":/?#");
  const bool network = value.starts_with("//");
  if (!absolute && !network) {
    if (!value.starts_with('/') || !maps_paths(map)) return value;
    return path_for_client(text, map, value);
  }
  if (absolute && !same_word(value.substr(0, scheme_end), "http") && !same_word(value.substr(0, scheme_end), "https"))
    return value;
  const auto rest = value.substr(network ? 2 : scheme_end + 3);
  const auto authority = rest.substr(0, rest.find_first_of("/?#"));
  auto path = rest.substr(authority.size());
  const bool servers = same_authority(authority, map.server) || same_authority(authority, map.asked);
  if (!servers || map.authority.empty()) return value;
  if (maps_paths(map)) path = path_for_client(text, map, path);
  return text.join({map.scheme, "://", map.authority, path});
}

std::string_view cookie_for_client(TextArena& text, const AddressMap& map, std::string_view value) {
  // The pieces are joined at the end. The server chooses their number, and to append each piece to a text would copy
  // the text every time.
  std::vector<std::string_view> pieces;
  const bool keeps_path = !maps_paths(map) || is_host_cookie(value);
  for (std::string_view rest = value; pieces.empty() || !rest.empty();) {
    const auto end = rest.find(';');
    const auto part = rest.substr(0, end);
    rest = end == rest.npos ? std::string_view{} : rest.substr(end + 1);
    if (pieces.empty()) {
      pieces.push_back(part);
      continue;
    }
    const auto equals = part.find('=');
    const auto name = trimmed(part.substr(0, equals));
    const auto written = equals == part.npos ? std::string_view{} : trimmed(part.substr(equals + 1));
    if (same_word(name, "Domain") && is_foreign(written, map)) continue;
    if (same_word(name, "Path") && written.starts_with('/') && !keeps_path)
      pieces.insert(pieces.end(), {"; Path=", cookie_path(text, map, written)});
    else
      pieces.insert(pieces.end(), {";", part});
  }
  std::size_t size = 0;
  for (const auto piece : pieces) size += piece.size();
  return text.write(size, [&pieces](TextCursor& out) {
    for (const auto piece : pieces) out.text(piece);
  });
}

void turn_addresses(Exchange& x, http::Fields& fields) {
  const auto& edits = *x.route->edits;
  const auto client = client_origin(x, x.snapshot->compiled->identity().address_field);
  AddressMap map{.server = x.server,
                 .asked = edits.host.is == HostHeader::Is::fixed    ? std::string_view(edits.host.text)
                          : edits.host.is == HostHeader::Is::server ? x.server
                                                                    : x.request.authority,
                 .scheme = client.scheme,
                 .authority = client.authority,
                 .stripped = {},
                 .added = {}};
  if (edits.turns_paths) {
    map.stripped = edits.stripped;
    map.added = edits.added;
  }
  for (auto& field : fields) {
    if (field.id == Known::location || field.id == Known::content_location)
      field.value = for_client(x.text, map, field.value);
    else if (field.id == Known::set_cookie)
      field.value = cookie_for_client(x.text, map, field.value);
  }
}

}  // namespace headgate::gateway
