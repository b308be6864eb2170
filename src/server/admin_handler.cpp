#include "admin_handler.hpp"

#include "headgate/core/text.hpp"
#include "headgate/gateway/problem.hpp"
#include "headgate/http/named_values.hpp"
#include "headgate/identity/jwt.hpp"

#include <boost/asio/ip/address.hpp>
#include <boost/asio/post.hpp>
#include <boost/system/errc.hpp>

#include <algorithm>
#include <coroutine>
#include <memory>
#include <optional>
#include <utility>

namespace headgate::server {
namespace {

using gateway::EndedBy;
using gateway::Exchange;
using gateway::Problem;

Task<void> refuse(Exchange& x, unsigned status, std::string_view detail, std::string_view challenge = {}) {
  Problem problem{.status = status, .ended_by = EndedBy::respond, .detail = detail, .challenge = challenge};
  co_await gateway::send_problem(x, problem, gateway::RejectionHeaders::none);
}

Task<void> send_answer(Exchange& x, const AdminAnswer& answer) {
  if (answer.status >= 400 && answer.type != AdminAnswer::kProblem)
    co_return co_await refuse(x, answer.status, answer.body);
  const std::string& body = answer.body;
  x.fields.clear();
  x.fields.push_back({http::Known::content_type, "Content-Type", answer.type});
  x.fields.push_back({http::Known::cache_control, "Cache-Control", "no-store"});
  x.fields.push_back({http::Known::date, "Date", x.text.join({gateway::date_now(*x.clock)})});
  http::ReplyStart start{.status = answer.status, .reason = {}, .fields = &x.fields, .framing = {}};
  start.framing = {http::Framing::Kind::length, body.size()};
  const auto first = x.request.head() ? std::string_view{} : std::string_view(body);
  (void)co_await x.reply->send(start, first, http::EndStream::yes);
}

/// Waits for an answer that another thread gives. If nobody has it any more who could give it, the answer is a 503.
class Later {
 public:
  Later(boost::asio::io_context& loop, const AdminEndpoint& endpoint, const AdminCall& call) : parked_(new Parked) {
    const std::shared_ptr<Ticket> ticket(new Ticket{loop, parked_});
    endpoint.answer_later(call, [ticket](AdminAnswer answer) { ticket->give(std::move(answer)); });
  }
  bool await_ready() const noexcept { return parked_->answer.has_value(); }
  void await_suspend(std::coroutine_handle<> waiter) const noexcept { parked_->waiter = waiter; }
  AdminAnswer await_resume() const { return std::move(*parked_->answer); }

 private:
  struct Parked {  // admin thread only
    std::optional<AdminAnswer> answer;
    std::coroutine_handle<> waiter;
  };
  struct Ticket {
    boost::asio::io_context& loop;
    std::shared_ptr<Parked> parked;
    ~Ticket() { give({.status = 503, .body = "This gateway is ending."}); }
    void give(AdminAnswer answer) {
      if (!parked) return;
      boost::asio::post(loop, [to = std::exchange(parked, nullptr), answer = std::move(answer)]() mutable {
        to->answer = std::move(answer);
        if (to->waiter) to->waiter.resume();
      });
    }
  };
  std::shared_ptr<Parked> parked_;
};

/// A page from elsewhere may have a name that points to this machine. The browser then sends that name, and must not be
/// able to read what needs no token.
bool asked_by_address(std::string_view authority) {
  auto host = http::host_of(authority);
  if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
  error_code ec;
  boost::asio::ip::make_address(host, ec);
  return !ec || host.empty() || http::same_word(host, "localhost");
}

/// The whole body if it has at most `most` bytes; else the status to refuse it with.
Task<Result<std::string, unsigned>> read_body(Exchange& x, std::uint64_t most) {
  using Read = Result<std::string, unsigned>;
  std::string body;
  if (!x.body->take_at_most(most)) co_return Read(boost::system::in_place_error, 413U);
  while (!x.body->ended()) {
    const auto bytes = co_await x.body->read();
    if (bytes.has_error()) {
      const bool long_one = bytes.error() == boost::system::errc::message_size;
      co_return Read(boost::system::in_place_error, long_one ? 413U : 400U);
    }
    body.append(*bytes);
  }
  co_return body;
}

}  // namespace

AdminHandler::AdminHandler(const std::string& token, std::vector<AdminEndpoint> endpoints,
                           boost::asio::io_context& loop)
    : loop_(loop), endpoints_(std::move(endpoints)) {
  use_token(token);
}

void AdminHandler::use_token(const std::string& token) {
  guarded_ = !token.empty();
  token_ = identity::sha256(token);
}

Task<void> AdminHandler::handle(Exchange& x) {
  auto match = find_endpoint(endpoints_, x.request.method, x.request.path);
  if (match.path == nullptr) {
    const auto detail = others();
    co_return co_await refuse(x, 404, detail);
  }
  const auto& asked = match.endpoint != nullptr ? *match.endpoint : *match.path;
  if (asked.who == AdminEndpoint::For::those_allowed) {
    if (guarded_ && !knows_token(x))
      co_return co_await refuse(x, 401, "Send the token of the admin block as \"Authorization: Bearer <token>\".",
                                "Bearer realm=\"headgate admin\"");
    if (!guarded_ && !asked_by_address(x.request.authority))
      co_return co_await refuse(x, 403, "Ask by address or as localhost, or give the admin block a token.");
  }
  // A page in a browser on this machine can send requests here, but always tells where it comes from.
  const bool changes = !http::same_word(x.request.method, "GET") && !http::same_word(x.request.method, "HEAD");
  if (!guarded_ && changes && !http::field_of(x.request.fields, "Origin").value.empty())
    co_return co_await refuse(x, 403, "A page in a browser may not change anything here.");
  if (match.endpoint == nullptr) {
    const bool read = match.allowed == "GET, HEAD";
    x.allowed_methods = std::move(match.allowed);
    co_return co_await refuse(x, 405, read ? "This can only be read." : "This endpoint does not have this method.");
  }
  AdminCall call;
  call.parameters = std::move(match.parameters);
  call.query = x.request.query;
  call.accept = http::field_of(x.request.fields, "Accept").value;
  if (asked.most_body > 0) {
    auto body = co_await read_body(x, asked.most_body);
    if (body.has_error())
      co_return co_await refuse(x, body.error(),
                                body.error() == 413 ? "This body is too long." : "The body cannot be read.");
    call.body = std::move(*body);
  }
  if (!asked.answer_later) {
    const auto answer = asked.answer(call);
    co_return co_await send_answer(x, answer);
  }
  Later later(loop_, asked, call);
  const auto answer = co_await later;
  co_await send_answer(x, answer);
}

/// Lists the endpoints, for a request that matches none.
std::string AdminHandler::others() const {
  std::vector<std::string_view> paths;
  for (const auto& each : endpoints_)
    if (std::find(paths.begin(), paths.end(), each.path) == paths.end()) paths.push_back(each.path);
  const auto last = paths.back();
  paths.pop_back();
  return "There is " + joined(paths, ", ") + (paths.empty() ? "" : " and ") + std::string(last) +
         " here, and nothing else.";
}

/// Compares digests, so that the time reveals nothing of the token.
bool AdminHandler::knows_token(const Exchange& x) const {
  const auto given = identity::bearer_token(http::value_of(x.request.fields, http::Known::authorization));
  const auto digest = identity::sha256(given);
  unsigned differs = 0;
  for (std::size_t i = 0; i < digest.size(); ++i) differs |= static_cast<unsigned>(digest[i] ^ token_[i]);
  return differs == 0;
}

}  // namespace headgate::server
