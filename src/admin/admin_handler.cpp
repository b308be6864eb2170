#include "headgate/admin/admin_handler.hpp"

#include "headgate/core/text.hpp"
#include "headgate/gateway/answer.hpp"
#include "headgate/gateway/delay.hpp"
#include "headgate/gateway/problem.hpp"
#include "headgate/http/accept.hpp"
#include "headgate/http/named_values.hpp"
#include "headgate/identity/jwt.hpp"

#include <boost/asio/ip/address.hpp>
#include <boost/asio/post.hpp>
#include <boost/system/errc.hpp>

#include <algorithm>
#include <chrono>
#include <coroutine>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>

namespace headgate::admin {
namespace {

using gateway::AnswerFrom;
using gateway::EndedBy;
using gateway::Exchange;
using gateway::Problem;

Task<void> refuse(Exchange& x, unsigned status, std::string_view detail, std::string_view challenge = {},
                  std::uint64_t retry_after = 0) {
  Problem problem{.status = status,
                  .ended_by = EndedBy::respond,
                  .detail = detail,
                  .retry_after = retry_after,
                  .challenge = challenge};
  co_await gateway::send_problem(x, problem, gateway::RejectionHeaders::none);
}

void begin_answer(Exchange& x, std::string_view type, std::span<const http::Field> more = {}) {
  x.fields.clear();
  x.fields.push_back({http::Known::content_type, "Content-Type", type});
  if (more.empty()) x.fields.push_back({http::Known::cache_control, "Cache-Control", "no-store"});
  x.fields.insert(x.fields.end(), more.begin(), more.end());
}

Task<void> send_answer(Exchange& x, const AdminAnswer& answer) {
  if (answer.status >= 400 && answer.type != AdminAnswer::kProblem)
    co_return co_await refuse(x, answer.status, answer.body);
  begin_answer(x, answer.type, answer.fields);
  const gateway::AnswerStart whole{.start = {.status = answer.status}};
  co_await gateway::send_whole<AnswerFrom::gateway>(x, whole, answer.body);
}

}  // namespace

/// Passes work from other threads to the admin thread. Drops the work if the loop of the admin thread has ended. Any
/// thread.
class AdminHandler::WayBack {
 public:
  explicit WayBack(boost::asio::io_context& loop) : loop_(&loop) {}
  template <class What>
  void post(What&& what) {
    const std::lock_guard lock(mutex_);
    if (loop_ != nullptr) boost::asio::post(*loop_, std::forward<What>(what));
  }
  void close() {
    const std::lock_guard lock(mutex_);
    loop_ = nullptr;
  }

 private:
  std::mutex mutex_;
  boost::asio::io_context* loop_;
};

/// Waits for an answer that another thread gives through a callback. If the callback is destroyed without a call, the
/// answer is a 503.
class AdminHandler::Later {
 public:
  Later(std::shared_ptr<WayBack> back, const AdminEndpoint& endpoint, const AdminCall& call) : parked_(new Parked) {
    const std::shared_ptr<Ticket> ticket(new Ticket{std::move(back), parked_});
    endpoint.answer_later(call, [ticket](AdminAnswer answer) { ticket->give(std::move(answer)); });
  }
  bool await_ready() const noexcept { return parked_->answer.has_value(); }
  void await_suspend(std::coroutine_handle<> waiter) const noexcept { parked_->waiter = waiter; }
  AdminAnswer await_resume() const { return std::move(*parked_->answer); }

 private:
  struct Parked {  // Admin thread only.
    std::optional<AdminAnswer> answer;
    std::coroutine_handle<> waiter;
  };
  struct Ticket {  // The callback's side of the answer. May outlive the admin thread.
    std::shared_ptr<WayBack> back;
    std::shared_ptr<Parked> parked;
    ~Ticket() { give({.status = 503, .body = "This gateway is shutting down."}); }
    void give(AdminAnswer answer) {
      if (!parked) return;
      back->post([to = std::exchange(parked, nullptr), answer = std::move(answer)]() mutable {
        to->answer = std::move(answer);
        if (to->waiter) to->waiter.resume();
      });
    }
  };
  std::shared_ptr<Parked> parked_;
};

namespace {

/// The wait of a stream for its next text. Admin thread only.
struct StreamPause {
  gateway::Delay* under_way = nullptr;
  bool more = false;  ///< whether a text is ready

  void end() {
    more = true;
    if (under_way) under_way->end();
  }
};

/// Waits until the next text is ready, the reader has left, or `time` is over. The exchange knows the delay, so the
/// session ends it as soon as the reader's FIN or RST arrives.
Task<void> wait_for_more(Exchange& x, StreamPause& pause, Duration time) {
  gateway::Delay delay(*x.clock, time);
  x.delay = pause.under_way = &delay;
  co_await delay;
  x.delay = pause.under_way = nullptr;
}

/// Returns whether the caller names this machine by an address or as localhost. A page on the internet may use a host
/// name of its own that points to this machine. The browser then sends that name as Host, and the page must not be able
/// to read data that needs no token.
bool asked_by_address(std::string_view authority) {
  auto host = http::host_of(authority);
  if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
  error_code ec;
  boost::asio::ip::make_address(host, ec);
  return !ec || host.empty() || http::same_word(host, "localhost");
}

/// Returns whether a page in a browser has sent the request. A browser always adds one of these header fields, perhaps
/// with an empty value. Without a token no page may change anything, not even the dashboard.
bool from_a_page(const http::Fields& fields) {
  return std::any_of(fields.begin(), fields.end(), [](const http::Field& field) {
    return http::same_word(field.name, "Origin") || http::same_word(field.name.substr(0, 10), "Sec-Fetch-");
  });
}

/// Returns whether the dashboard has sent the request, which may then make calls that change nothing. No other page can
/// make a browser claim this origin.
bool from_own_page(const http::Fields& fields) {
  return std::any_of(fields.begin(), fields.end(), [](const http::Field& field) {
    return http::same_word(field.name, "sec-fetch-site") && field.value == "same-origin";
  });
}

/// Returns the whole body if it has at most `most` bytes; otherwise the status to refuse it with.
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

/// Compares digests in constant time, so that the time reveals nothing of the token.
bool same_digest(const identity::Sha256& a, const identity::Sha256& b) noexcept {
  unsigned differs = 0;
  for (std::size_t i = 0; i < a.size(); ++i) differs |= static_cast<unsigned>(a[i] ^ b[i]);
  return differs == 0;
}

/// Compares with all digests, so that the time does not reveal which one matches.
bool is_one_of(const identity::Sha256& digest, const std::vector<identity::Sha256>& all) noexcept {
  unsigned same = 0;
  for (const auto& each : all) same |= static_cast<unsigned>(same_digest(digest, each));
  return same != 0;
}

std::vector<identity::Sha256> digests_of(const std::vector<std::string>& tokens) {
  std::vector<identity::Sha256> out;
  out.reserve(tokens.size());
  for (const auto& each : tokens) out.push_back(identity::sha256(each));
  return out;
}

/// Time for which the tokens of closed listeners remain valid. The connections of such a listener end much sooner.
constexpr auto kRemembersTokens = std::chrono::minutes(1);

constexpr std::string_view kSendToken = "Send a token of the admin block as \"Authorization: Bearer <token>\".";
constexpr std::string_view kTooManyWrong = "Too many tokens from this address were wrong.";
constexpr std::string_view kMayOnlyRead = "This token may only read. Send the other token of the admin block.";
constexpr std::string_view kAskByAddress = "Ask by address or as localhost, or give the admin block a token.";
constexpr std::string_view kNoBrowser = "A page in a browser may not change anything here.";

}  // namespace

AdminHandler::AdminHandler(const Tokens& tokens, std::vector<AdminEndpoint> endpoints, boost::asio::io_context& loop)
    : back_(std::make_shared<WayBack>(loop)), endpoints_(std::move(endpoints)) {
  use_tokens(tokens);
}

AdminHandler::~AdminHandler() { back_->close(); }

void AdminHandler::use_tokens(const Tokens& tokens) {
  if (known_.guard()) {
    known_before_ = std::move(known_);
    left_at_ = std::chrono::steady_clock::now();
  }
  known_ = {digests_of(tokens.all), digests_of(tokens.read)};
}

/// Returns the tokens with which a call is compared. A connection of a closed listener still needs a token of that
/// listener, even if the new listener needs none: strangers may have been able to reach the closed one.
const AdminHandler::Known& AdminHandler::known_to(const Exchange& x) const {
  const bool closed = x.draining != nullptr && *x.draining;
  const bool old = std::chrono::steady_clock::now() > left_at_ + kRemembersTokens;
  return known_.guard() || !closed || old ? known_ : known_before_;
}

Task<void> AdminHandler::handle(Exchange& x) {
  auto match = find_endpoint(endpoints_, x.request.method, x.request.path);
  if (match.path == nullptr) {
    const auto detail = others();
    co_return co_await refuse(x, 404, detail);
  }
  auto role = AdminRole::local;
  if (co_await refused_access(x, match, role)) co_return;
  if (match.endpoint == nullptr) {
    const bool read = match.allowed == "GET, HEAD";
    x.allowed_methods = std::move(match.allowed);
    co_return co_await refuse(x, 405, read ? "This can only be read." : "This endpoint does not have this method.");
  }
  const auto& asked = *match.endpoint;
  AdminCall call;
  call.parameters = std::move(match.parameters);
  call.query = x.request.query;
  call.role = role;
  call.address = x.peer_text;
  call.accept = http::accepted(x.request.fields, http::Known::accept, x.text);
  call.known = http::field_of(x.request.fields, "If-None-Match").value;
  if (auto why = wrong_query(asked, call.query); !why.empty()) {
    const AdminAnswer refusal{.status = 400, .body = std::move(why)};
    co_return co_await finish(x, asked, call, refusal);
  }
  if (asked.most_body > 0) {
    auto body = co_await read_body(x, asked.most_body);
    if (body.has_error()) {
      const AdminAnswer why{.status = body.error(),
                            .body = body.error() == 413 ? "This body is too long." : "The body cannot be read."};
      co_return co_await finish(x, asked, call, why);
    }
    call.body = std::move(*body);
  }
  if (asked.stream) co_return co_await send_stream(x, asked, call);
  co_await answer(x, asked, call);
}

Task<void> AdminHandler::answer(Exchange& x, const AdminEndpoint& asked, const AdminCall& call) {
  AdminAnswer answer;
  if (asked.answer_later) {
    Later later(back_, asked, call);
    answer = co_await later;
  } else {
    answer = asked.answer(call);
  }
  co_await finish(x, asked, call, answer);
}

/// Sends the answer. Every call that may change something ends here, even if it is refused, so that all of them are in
/// the audit log.
Task<void> AdminHandler::finish(Exchange& x, const AdminEndpoint& asked, const AdminCall& call,
                                const AdminAnswer& answer) {
  if (asked.changes()) AdminAudit::changed(asked, call, answer);
  co_await send_answer(x, answer);
}

Task<bool> AdminHandler::refused_access(Exchange& x, const AdminMatch& match, AdminRole& role) {
  const auto& asked = match.endpoint != nullptr ? *match.endpoint : *match.path;
  const bool changes = !http::same_word(x.request.method, "GET") && !http::same_word(x.request.method, "HEAD");
  unsigned status = 0;
  std::string_view why;
  std::uint64_t wait = 0;
  const bool guarded = known_to(x).guard();
  if (asked.who == AdminEndpoint::For::those_allowed) {
    std::optional<AdminRole> known;
    wait = look_at_token(x, known);
    role = known.value_or(AdminRole::local);
    if (wait > 0)
      status = 429, why = kTooManyWrong;
    else if (!known)
      status = 401, why = kSendToken;
    else if (role == AdminRole::reader && changes && !(match.endpoint != nullptr && asked.reads))
      status = 403, why = kMayOnlyRead;
    else if (!guarded && !asked_by_address(x.request.authority))
      status = 403, why = kAskByAddress;
  }
  const bool only_asks = match.endpoint != nullptr && asked.reads && from_own_page(x.request.fields);
  if (status == 0 && !guarded && changes && !only_asks && from_a_page(x.request.fields)) status = 403, why = kNoBrowser;
  if (status == 0) co_return false;
  const bool given = !http::value_of(x.request.fields, http::Known::authorization).empty();
  if (status != 401 || given || !asked.asks_who)
    audit_.refused(x.peer_text, x.request.method, x.request.path, status, why);
  co_await refuse(x, status, why, status == 401 ? "Bearer realm=\"headgate admin\"" : "", wait);
  co_return true;
}

/// Sends the data of the stream until the stream ends or the reader leaves.
Task<void> AdminHandler::send_stream(Exchange& x, const AdminEndpoint& asked, const AdminCall& call) {
  auto opened = asked.stream(call);
  if (opened.has_error()) {
    const auto answer = std::move(opened.error());
    co_return co_await send_answer(x, answer);
  }
  const auto stream = std::move(*opened);
  const auto pause = std::make_shared<StreamPause>();
  stream->on_more([back = back_, pause] { back->post([pause] { pause->end(); }); });
  begin_answer(x, asked.about.stream);
  gateway::AnswerStart begun{.start = {.status = 200, .framing = {http::Framing::Kind::unknown, 0}}};
  const bool head = x.request.head();
  auto text = head ? std::string() : stream->take();
  const auto last = head ? http::EndStream::yes : http::EndStream::no;
  auto sent = co_await gateway::send_answer<AnswerFrom::gateway>(x, begun, text, last);
  while (!head && sent.has_value() && !x.client_gone) {
    text = stream->take();
    if (text.empty() && stream->ended()) break;
    if (text.empty()) {
      pause->more = false;
      auto waiting = wait_for_more(x, *pause, stream->pause());
      co_await waiting;
      if (pause->more || x.client_gone) continue;
      text = stream->take();
      if (text.empty()) text = stream->heartbeat();
    }
    sent = co_await x.reply->write(text, http::EndStream::no);
  }
  stream->on_more({});
  if (head || sent.has_error() || x.client_gone) co_return;
  (void)co_await x.reply->finish({});
}

/// Lists the endpoints, for a request that matches none.
std::string AdminHandler::others() const {
  std::vector<std::string_view> paths;
  for (const auto& each : endpoints_)
    if (std::find(paths.begin(), paths.end(), each.path) == paths.end()) paths.push_back(each.path);
  constexpr std::size_t kMaxListed = 8;
  if (paths.size() > kMaxListed) return "There is nothing at this path. GET /api/v1/openapi.json says what is here.";
  const auto last = paths.back();
  paths.pop_back();
  return "There is " + joined(paths, ", ") + (paths.empty() ? "" : " and ") + std::string(last) +
         " here, and nothing else.";
}

/// Checks the token of a call, and counts wrong ones by address. A correct token from this machine is always accepted.
/// Otherwise strangers whose connections seem to come from here, for example through a tunnel, could lock out the
/// operators.
std::uint64_t AdminHandler::look_at_token(const Exchange& x, std::optional<AdminRole>& role) {
  if (!known_to(x).guard()) return role = role_of(x), 0;
  const bool given = !http::value_of(x.request.fields, http::Known::authorization).empty();
  const auto now = std::chrono::steady_clock::now();
  const auto wait = given ? guesses_.wait(x.peer, now) : std::chrono::seconds(0);
  if (wait.count() > 0 && !x.peer.is_loopback()) return static_cast<std::uint64_t>(wait.count());
  role = role_of(x);
  if (role || !given) return 0;
  if (guesses_.wrong(x.peer, now)) AdminAudit::guesses(x.peer_text, guesses_.wait(x.peer, now));
  return static_cast<std::uint64_t>(wait.count());
}

/// Returns the role of the caller; empty if a token is required and the call has no valid one. All tokens are always
/// compared.
std::optional<AdminRole> AdminHandler::role_of(const Exchange& x) const {
  const auto& known = known_to(x);
  if (!known.guard()) return AdminRole::local;
  const auto digest =
      identity::sha256(identity::bearer_token(http::value_of(x.request.fields, http::Known::authorization)));
  const bool all = is_one_of(digest, known.all);
  const bool read = is_one_of(digest, known.read);
  if (all) return AdminRole::operator_;
  if (read) return AdminRole::reader;
  return std::nullopt;
}

}  // namespace headgate::admin
