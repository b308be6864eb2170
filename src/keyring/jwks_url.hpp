#pragma once
// The JWK Set of one issuer, fetched repeatedly from its URL.

#include "fetch.hpp"
#include "source_status.hpp"

#include "headgate/identity/jwt_keys.hpp"
#include "headgate/keyring/schedule.hpp"
#include "headgate/keyring/url.hpp"

#include <atomic>
#include <random>
#include <set>

namespace headgate::keyring {

/// The source at one URL. The keys that were fetched last stay in force however old they are: an issuer that cannot be
/// reached has not withdrawn its keys. The loop's thread, unless noted.
class JwksUrl : public std::enable_shared_from_this<JwksUrl> {
 public:
  JwksUrl(boost::asio::io_context& loop, Url url, const identity::JwtIssuer& issuer, const RefreshPolicy& policy);

  /// Takes over the keys that `before` has fetched, if its URL and its authorities are the same.
  void go_on_from(const JwksUrl& before);
  /// Calls `changed` whenever keys() has changed.
  void start(std::function<void()> changed);
  void stop();

  /// Returns the keys; null before the first successful fetch.
  const std::shared_ptr<const identity::JwtKeys>& keys() const noexcept { return keys_; }
  /// Returns whether a fetch has ended, successfully or not.
  bool tried() const noexcept { return keys_ || schedule_.failures() > 0; }

  void want() noexcept;                                     ///< Any thread.
  SourceReport report() const { return status_.report(); }  ///< Any thread.

 private:
  void wait();
  void fetch();
  void fetched(FetchResult result);
  /// Returns whether the keys have changed, or the reason why the answer cannot be used.
  Result<bool, std::string> take(FetchResult& result);
  void say_fetched(bool changed);
  void say_failed(const std::string& why);
  double dice() { return std::uniform_real_distribution<double>(0, 1)(random_); }

  boost::asio::io_context& loop_;
  const Url url_;
  const identity::JwtIssuer issuer_;
  const std::shared_ptr<net::Trust> trust_;
  Schedule schedule_;
  boost::asio::steady_timer timer_;
  std::minstd_rand random_{std::random_device{}()};
  std::shared_ptr<net::HttpCall> under_way_;
  std::function<void()> changed_;  // Empty before start() and after stop().
  std::atomic<bool> wanted_{false};

  std::shared_ptr<const identity::JwtKeys> keys_;
  std::string body_;  // The text that keys_ was parsed from.
  std::string etag_;  // ETag of body_.
  SourceStatus status_;
  std::set<std::string> told_;  // The failures logged since the last success.
};

}  // namespace headgate::keyring
