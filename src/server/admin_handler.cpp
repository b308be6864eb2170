#include "admin_handler.hpp"

#include "headgate/gateway/problem.hpp"
#include "headgate/identity/jwt.hpp"

#include <boost/asio/ip/address.hpp>

#include <algorithm>
#include <iterator>

namespace headgate::server {
namespace {

using gateway::EndedBy;
using gateway::Exchange;
using gateway::Problem;

constexpr std::string_view kText = "text/plain; charset=utf-8";
constexpr std::string_view kMetricsText = "text/plain; version=0.0.4; charset=utf-8";

Task<void> refuse(Exchange& x, unsigned status, std::string_view detail, std::string_view challenge = {}) {
  Problem problem{status, EndedBy::respond, detail, {}, 0, challenge};
  co_await gateway::tell(x, problem, gateway::RejectionHeaders::none);
}

Task<void> answer(Exchange& x, std::string_view type, const std::string& body) {
  x.fields.clear();
  x.fields.push_back({http::Known::content_type, "Content-Type", type});
  x.fields.push_back({http::Known::cache_control, "Cache-Control", "no-store"});
  x.fields.push_back({http::Known::date, "Date", x.text.join({gateway::date_now()})});
  http::ReplyStart start{200, {}, &x.fields, {}};
  start.framing = {http::Framing::Kind::length, body.size()};
  const auto first = x.request.head() ? std::string_view{} : std::string_view(body);
  (void)co_await x.reply->send(start, first, http::Last::yes);
}

/// A page of somewhere else whose name was made to point to this machine asks by that name: the browser that shows it
/// must not read for it what needs no token.
bool asked_by_address(std::string_view authority) {
  auto host = http::host_of(authority);
  if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
  error_code ec;
  boost::asio::ip::make_address(host, ec);
  return !ec || host.empty() || http::same_word(host, "localhost");
}

std::string joined(const std::vector<std::string>& sentences) {
  std::string out;
  for (const auto& sentence : sentences) out += (out.empty() ? "" : "; ") + sentence;
  return out;
}

}  // namespace

struct AdminHandler::Page {
  std::string_view path;
  enum class For { all, those_allowed } who;
  Task<void> (AdminHandler::*answer)(Exchange& x);
};

// Probes of a container know no token, and learn nothing but yes or no.
const AdminHandler::Page AdminHandler::kPages[] = {
    {"/metrics", Page::For::those_allowed, &AdminHandler::metrics},
    {"/healthz", Page::For::all, &AdminHandler::alive},
    {"/readyz", Page::For::all, &AdminHandler::ready},
};

AdminHandler::AdminHandler(const std::string& token, observe::Registry& registry,
                           const std::function<Readiness()>& ready)
    : guarded_(!token.empty()), token_(identity::sha256(token)), registry_(registry), ready_(ready) {}

Task<void> AdminHandler::handle(Exchange& x) {
  const auto* const page =
      std::find_if(std::begin(kPages), std::end(kPages), [&](const Page& each) { return each.path == x.request.path; });
  if (page == std::end(kPages))
    co_return co_await refuse(x, 404, "There is /metrics, /healthz and /readyz here, and nothing else.");
  if (page->who == Page::For::those_allowed) {
    if (guarded_ && !knows_token(x))
      co_return co_await refuse(x, 401, "Send the token of the admin block as \"Authorization: Bearer <token>\".",
                                "Bearer realm=\"headgate admin\"");
    if (!guarded_ && !asked_by_address(x.request.authority))
      co_return co_await refuse(x, 403, "Ask by address or as localhost, or give the admin block a token.");
  }
  if (x.request.method != "GET" && !x.request.head()) {
    x.allowed_methods = "GET, HEAD";
    co_return co_await refuse(x, 405, "This can only be read.");
  }
  co_await (this->*page->answer)(x);
}

Task<void> AdminHandler::metrics(Exchange& x) {
  const auto text = registry_.text();
  co_await answer(x, kMetricsText, text);
}

Task<void> AdminHandler::alive(Exchange& x) {
  const std::string text = "ok\n";
  co_await answer(x, kText, text);
}

Task<void> AdminHandler::ready(Exchange& x) {
  const auto now = ready_();
  if (!now.unready.empty()) {
    const auto detail = "Not ready: " + joined(now.unready) + '.';
    co_return co_await refuse(x, 503, detail);
  }
  const auto text =
      now.degraded.empty() ? std::string("ready\n") : "ready, but degraded: " + joined(now.degraded) + '\n';
  co_await answer(x, kText, text);
}

/// Compared by digest: how long that takes tells nothing of the token.
bool AdminHandler::knows_token(const Exchange& x) const {
  const auto given = identity::bearer_token(http::value_of(x.request.fields, http::Known::authorization));
  const auto digest = identity::sha256(given);
  unsigned differs = 0;
  for (std::size_t i = 0; i < digest.size(); ++i) differs |= static_cast<unsigned>(digest[i] ^ token_[i]);
  return differs == 0;
}

}  // namespace headgate::server
