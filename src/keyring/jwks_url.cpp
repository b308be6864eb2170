#include "jwks_url.hpp"

#include "headgate/core/moment_text.hpp"
#include "headgate/observe/event.hpp"

#include <boost/asio/post.hpp>

#include <array>
#include <ctime>

namespace headgate::keyring {
namespace {

using Clock = Schedule::Time::clock;
using observe::event;
using observe::LogLevel;

/// Maximum number of failures to log until the next success, so that a server that fails in ever new ways does not fill
/// the log.
constexpr std::size_t kMaxTold = 8;

/// Returns the URL without the query, which may contain a secret.
std::string shown(const Url& url) {
  const auto text = to_text(url);
  return text.substr(0, text.find('?'));
}

}  // namespace

JwksUrl::JwksUrl(boost::asio::io_context& loop, Url url, const identity::JwtIssuer& issuer, const RefreshPolicy& policy)
    : loop_(loop),
      url_(std::move(url)),
      issuer_(issuer),
      trust_(std::make_shared<net::Trust>(issuer.keys.jwks_ca)),
      schedule_(issuer.keys.refresh, issuer.keys.refetch, policy),
      timer_(loop),
      status_("jwks " + shown(url_)) {}

void JwksUrl::go_on_from(const JwksUrl& before) {
  if (!before.keys_ || before.url_ != url_ || before.issuer_.keys.jwks_ca != issuer_.keys.jwks_ca) return;
  // The keys are parsed again, because other algorithms may be allowed now.
  auto keys = identity::JwtKeys::of_jwk_set(before.body_, issuer_.algorithms);
  if (keys.has_error()) return;
  keys_ = std::move(*keys);
  body_ = before.body_;
  etag_ = before.etag_;
  status_.go_on_from(before.report(), keys_->size());
}

void JwksUrl::start(std::function<void()> changed) {
  changed_ = std::move(changed);
  wait();
}

void JwksUrl::stop() {
  changed_ = nullptr;
  timer_.cancel();
  if (under_way_) std::exchange(under_way_, nullptr)->cancel();
}

void JwksUrl::want() noexcept {
  if (wanted_.load(std::memory_order_relaxed) || wanted_.exchange(true, std::memory_order_relaxed)) return;
  try {
    boost::asio::post(loop_, [weak = weak_from_this()] {
      const auto self = weak.lock();
      if (!self) return;
      self->schedule_.want();
      if (self->changed_ && !self->under_way_) self->wait();
    });
  } catch (const std::exception&) {
    wanted_ = false;  // Without memory the task was not posted, so the next caller may try again.
  }
}

void JwksUrl::wait() {
  timer_.expires_at(schedule_.next());
  timer_.async_wait([weak = weak_from_this()](const error_code& ec) {
    const auto self = weak.lock();
    if (!ec && self && self->changed_ && !self->under_way_) self->fetch();
  });
}

void JwksUrl::fetch() {
  // `wanted_` is reset before the request is sent: a key that a caller wants later may be missing in the answer.
  wanted_ = false;
  schedule_.began(Clock::now());
  FetchRequest request{.url = url_, .trust = trust_, .etag = etag_, .deadline = issuer_.keys.fetch_timeout};
  under_way_ = start_fetch(loop_, std::move(request), [weak = weak_from_this()](FetchResult result) {
    if (const auto self = weak.lock()) self->fetched(std::move(result));
  });
}

void JwksUrl::fetched(FetchResult result) {
  under_way_.reset();
  const auto lifetime = result.has_value() ? result->lifetime : std::nullopt;
  const auto taken = take(result);
  if (taken.has_error()) {
    schedule_.failed(Clock::now(), dice());
    status_.failed(taken.error());
    say_failed(taken.error());
  } else {
    schedule_.succeeded(Clock::now(), lifetime, dice());
    status_.succeeded(keys_->size(), headgate::now());
    say_fetched(*taken);
  }
  wait();
  if (taken.has_value() && *taken) changed_();
}

Result<bool, std::string> JwksUrl::take(FetchResult& result) {
  if (result.has_error()) return result.error();
  if (result->unchanged) return false;
  if (!keys_ || result->body != body_) {
    auto keys = identity::JwtKeys::of_jwk_set(result->body, issuer_.algorithms);
    if (keys.has_error()) return "its answer cannot be used: " + keys.error();
    // If the answer has the same keys in another order or with another date, keys_ stays, and so the token caches stay
    // valid.
    const bool changed = !keys_ || !keys_->same_as(**keys);
    if (changed) keys_ = std::move(*keys);
    body_ = std::move(result->body);
    etag_ = std::move(result->etag);
    return changed;
  }
  etag_ = std::move(result->etag);
  return false;
}

void JwksUrl::say_fetched(bool changed) {
  if (!changed && told_.empty()) return;
  told_.clear();
  const auto source = shown(url_);
  event(LogLevel::info, "jwks_fetched", {}, {{"source", source}, {"in_force", keys_->size()}});
  for (const auto& fault : keys_->passed_over())
    event(LogLevel::warning, "jwk_passed_over", fault, {{"source", source}});
}

void JwksUrl::say_failed(const std::string& why) {
  if (told_.size() >= kMaxTold || !told_.insert(why).second) return;
  const auto what = keys_ ? "the keys of " + moment_text(report().fetched) + " stay in force"
                          : std::string("none of its keys are in force yet");
  event(LogLevel::warning, "jwks_failed", what, {{"source", shown(url_)}, {"reason", why}});
}

}  // namespace headgate::keyring
