// Stores refused requests that were malformed, too large or too slow, so that operators can read them. Other requests
// are never copied.

#include "gateway/record/refused_text.hpp"
#include "steps.hpp"

#include "headgate/gateway/refused_requests.hpp"
#include "headgate/identity/client_address.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace headgate::gateway {
namespace {

constexpr std::size_t kLongestText = 256;
/// The size in bytes at which the reconstruction of a request head stops.
constexpr std::size_t kLongestHead = 4 * RefusedRequests::kHead;

/// Returns whether the status concerns the form of a request: 400, 408, 413, 414, 417, 431, 501 or 505. Other statuses
/// concern permission or quantity.
bool is_kept(unsigned status) noexcept {
  constexpr std::array<unsigned, 8> kStatuses{400, 408, 413, 414, 417, 431, 501, 505};
  return std::find(kStatuses.begin(), kStatuses.end(), status) != kStatuses.end();
}

void name_client(const boost::asio::ip::address& address, unsigned ipv6_prefix, RefusedRequest& out) {
  std::array<char, 64> room{};
  out.owner = identity::client_ip_key(address, ipv6_prefix, room);
  out.address = identity::address_text(address, room);
}

std::string text_of(std::string_view text) { return std::string(text.substr(0, kLongestText)); }

RefusedRequest told_by(const Exchange& x, const identity::IdentityOptions& identity) {
  RefusedRequest out;
  out.at = x.clock->wall();
  name_client(x.caller.ip_key.empty() ? x.peer : x.caller.address, identity.ipv6_prefix, out);
  out.status = x.status;
  out.reason = text_of(x.reason);
  out.method = text_of(x.request.method);
  out.host = text_of(x.request.authority);
  out.path = text_of(x.request.path);
  return out;
}

std::string head_of(const http::RequestHead& head) {
  std::string out;
  const auto add = [&out](std::string_view text) {
    out += text.substr(0, kLongestHead - std::min(out.size(), kLongestHead));
  };
  for (const auto part : {head.method, std::string_view(" "), head.target}) add(part);
  add(head.version == 10 ? " HTTP/1.0\r\n" : head.version == 20 ? " HTTP/2.0\r\n" : " HTTP/1.1\r\n");
  for (const auto& field : head.fields) {
    for (const auto part : {field.name, std::string_view(": "), field.value, std::string_view("\r\n")}) add(part);
    if (out.size() >= kLongestHead) break;
  }
  add("\r\n");
  return out;
}

}  // namespace

void keep_refused_head(Path& path, const Exchange& x, std::string_view bytes, std::optional<std::size_t> fault) {
  if (path.services.refusals == nullptr || !is_kept(x.status)) return;
  const auto& identity = path.snapshot->compiled->identity();
  auto out = told_by(x, identity);
  if (!path.services.refusals->wants(out.owner, out.at)) return;
  show_refused_head(bytes, fault, identity, out);
  path.services.refusals->note(std::move(out));
}

void keep_refused(Path& path, const Exchange& x) {
  if (path.services.refusals == nullptr || !is_kept(x.status) || x.reason.empty()) return;
  const auto& identity = x.snapshot->compiled->identity();
  auto out = told_by(x, identity);
  if (!path.services.refusals->wants(out.owner, out.at)) return;
  show_refused_head(head_of(x.request), std::nullopt, identity, out);
  path.services.refusals->note(std::move(out));
}

void keep_failed_handshake(Path& path, const boost::asio::ip::address& peer, std::string_view reason) {
  if (path.services.refusals == nullptr) return;
  RefusedRequest out;
  out.at = path.services.clock.wall();
  name_client(peer, path.snapshot->compiled->identity().ipv6_prefix, out);
  if (!path.services.refusals->wants(out.owner, out.at)) return;
  out.reason = text_of(reason);
  path.services.refusals->note(std::move(out));
}

}  // namespace headgate::gateway
