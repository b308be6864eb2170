#pragma once
// The JWK Set that one issuer publishes, fetched again and again.

#include "fetch.hpp"
#include "standing.hpp"
#include "trust.hpp"

#include "headgate/identity/jwt_keys.hpp"
#include "headgate/keyring/schedule.hpp"

#include <atomic>
#include <random>
#include <set>

namespace headgate::keyring {

/// What was fetched last stays in force, however long ago that was: an issuer that cannot be reached has not taken its
/// keys back. The loop's thread, unless said otherwise.
class JwksUrl : public std::enable_shared_from_this<JwksUrl> {
 public:
  JwksUrl(boost::asio::io_context& loop, Url url, const identity::JwtIssuer& issuer, const Pace& pace);

  /// Takes over what another configuration's had fetched, where it is from the same place and believed as much.
  void go_on_from(const JwksUrl& before);
  /// `changed` is called whenever keys() has.
  void start(std::function<void()> changed);
  void stop();

  /// Null where nothing has been had yet.
  const std::shared_ptr<const identity::JwtKeys>& keys() const noexcept { return keys_; }
  /// Whether a fetch has ended, well or not.
  bool tried() const noexcept { return keys_ || schedule_.failures() > 0; }

  void want() noexcept;                                       ///< any thread
  SourceReport report() const { return standing_.report(); }  ///< any thread

 private:
  void wait();
  void fetch();
  void fetched(FetchResult result);
  /// Whether the keys have changed; or why what came is of no use.
  Result<bool, std::string> take(FetchResult& result);
  void say_fetched(bool changed);
  void say_failed(const std::string& why);
  double dice() { return std::uniform_real_distribution<double>(0, 1)(random_); }

  boost::asio::io_context& loop_;
  const Url url_;
  const identity::JwtIssuer issuer_;
  const std::shared_ptr<Trust> trust_;
  Schedule schedule_;
  boost::asio::steady_timer timer_;
  std::minstd_rand random_{std::random_device{}()};
  std::shared_ptr<Fetch> under_way_;
  std::function<void()> changed_;  // empty where not started, and once stopped
  std::atomic<bool> wanted_{false};

  std::shared_ptr<const identity::JwtKeys> keys_;
  std::string body_;  // what they were read from
  std::string etag_;  // of that
  Standing standing_;
  std::set<std::string> told_;  // why it has failed since it last did not
};

}  // namespace headgate::keyring
