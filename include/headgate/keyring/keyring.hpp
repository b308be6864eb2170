#pragma once
// The keys that verify callers' credentials, kept up to date. Files are read again when they change; JWK Sets are
// fetched from the URLs of their issuers. Used by server, which passes the published keys to its workers.

#include "headgate/core/result.hpp"
#include "headgate/core/time.hpp"
#include "headgate/identity/credentials.hpp"
#include "headgate/identity/options.hpp"
#include "headgate/keyring/refresh_policy.hpp"

#include <boost/asio/io_context.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace headgate::keyring {

/// The content of a source.
enum class SourceKind : std::uint8_t {
  keys,      ///< Keys, or users with their passwords.
  addresses  ///< Addresses that routes allow or deny; `keys` counts address blocks.
};

/// The state of one source of keys, for metrics and for the admin listener.
struct SourceReport {
  std::string source;  ///< "jwks https://login.example.com/keys", or the path of a file.
  SourceKind kind = SourceKind::keys;
  std::uint64_t keys = 0;  ///< Number of keys in force from this source.
  /// Time of the last success (new keys, or an answer that they are unchanged); the epoch if there was none.
  Instant fetched{};
  /// Number of successful fetches or reads; a reload that keeps the URL keeps this count.
  std::uint64_t successes = 0;
  std::uint64_t failures = 0;  ///< Number of failed fetches or reads; each left the previous keys in force.
  bool fresh = false;          ///< True if the last attempt succeeded.
  /// Why the last attempt failed, a sentence without its full stop; empty if it succeeded or there was none.
  std::string trouble;
};

/// The keys of one configuration. It uses one loop of one thread; only want() and reports() may be called from other
/// threads. No request waits for that loop, so it also reads the files, which are small.
class Keyring {
 public:
  using Publish = std::function<void(std::shared_ptr<const identity::Credentials>)>;

  /// Reads every file, and fetches nothing yet. The error is one sentence without its full stop: which file, where in
  /// it, and how to fix it. `before` may be null. Keys that it has fetched from a URL stay in force from the start if
  /// these options have the same URL with the same authorities. So a reload never loses keys. `before` can be stopped
  /// afterwards.
  static Result<std::shared_ptr<Keyring>, std::string> open(boost::asio::io_context& loop,
                                                            const identity::IdentityOptions& options,
                                                            const Keyring* before, const RefreshPolicy& policy = {});
  ~Keyring();
  Keyring(const Keyring&) = delete;
  Keyring& operator=(const Keyring&) = delete;

  /// The credentials in force; never null. The loop's thread.
  std::shared_ptr<const identity::Credentials> now() const;

  /// From now on these API keys take precedence over the file, in place of those of the previous call. Reads the file
  /// again if it changed, and publishes. The loop's thread.
  void hold(std::vector<identity::ApiKeyRecord> records);

  /// Starts watching the files and fetching the URLs. From here on it calls `publish` on the loop at each change. The
  /// loop's thread.
  void start(Publish publish);

  /// Runs the loop until every URL was fetched or has failed once, for at most `most`. Nothing else may run the loop
  /// yet. For startup, before the process listens; before or after start().
  void await_first(Duration most);

  /// Ends all activity: publishes nothing more. now() still returns what was in force. The loop's thread.
  void stop();

  /// Reports that a token named a key that the issuer is not known to have. `issuer` is its index in
  /// JwtOptions::issuers. Its URL is fetched again soon, at most once per `refetch`. While fetches fail, this does not
  /// make the next one earlier. Any thread; cheap when called often: one relaxed read.
  void want(std::size_t issuer) noexcept;

  /// Returns for each issuer its file and its URL, then the file of API keys, then the files of addresses and of users.
  /// Any thread.
  std::vector<SourceReport> reports() const;

 private:
  class Sources;
  explicit Keyring(std::shared_ptr<Sources> sources);
  std::shared_ptr<Sources> sources_;
};

}  // namespace headgate::keyring
