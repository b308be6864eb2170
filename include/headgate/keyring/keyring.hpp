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
  keys,       ///< Keys, or users with their passwords.
  addresses,  ///< Addresses that routes allow or deny; `keys` counts address blocks.
  prices      ///< Prices of language models; `keys` counts models.
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
  /// Reason why the last attempt failed, a sentence without its full stop; empty if it succeeded or there was none.
  std::string trouble;
};

/// The keys of one configuration. One thread, which runs the loop; only want() and reports() may be called from other
/// threads. No request waits for this loop, so it also reads the files, which are small.
class Keyring {
 public:
  using Publish = std::function<void(std::shared_ptr<const identity::Credentials>)>;

  /// Reads every file, but fetches nothing yet. The error is one sentence without its full stop that says which file is
  /// wrong, where, and how to fix it. `before` may be null. Keys that `before` has fetched from a URL stay in force
  /// from the start if these options have the same URL with the same authorities, so that a reload never loses keys.
  /// `before` can be stopped afterwards.
  static Result<std::shared_ptr<Keyring>, std::string> open(boost::asio::io_context& loop,
                                                            const identity::IdentityOptions& options,
                                                            const Keyring* before, const RefreshPolicy& policy = {});
  ~Keyring();
  Keyring(const Keyring&) = delete;
  Keyring& operator=(const Keyring&) = delete;

  /// Returns the credentials in force; never null. The loop's thread.
  std::shared_ptr<const identity::Credentials> now() const;

  /// Sets API keys that take precedence over the file, in place of the keys of the previous call. Reads the file again
  /// if it changed, and publishes the result. The loop's thread.
  void hold(std::vector<identity::ApiKeyRecord> records);

  /// Starts watching the files and fetching the URLs. From now on each change calls `publish` on the loop. The loop's
  /// thread.
  void start(Publish publish);

  /// Runs the loop until every URL was fetched or has failed once, for at most `most`. Call it at startup, before the
  /// process listens, and only while nothing else runs the loop; before or after start().
  void await_first(Duration most);

  /// Ends all activity: nothing more is published. now() still returns the credentials that were in force. The loop's
  /// thread.
  void stop();

  /// Reports that a token names a key that is not among the known keys of its issuer. `issuer` is the index in
  /// JwtOptions::issuers. The issuer's URL is fetched again soon, at most once per `refetch`. While fetches fail, this
  /// call does not make the next fetch earlier. Any thread; cheap when called often: one relaxed read.
  void want(std::size_t issuer) noexcept;

  /// Returns the state of all sources: the file and the URL of each issuer, then the file of API keys, then the files
  /// of addresses and of users. Any thread.
  std::vector<SourceReport> reports() const;

 private:
  class Sources;
  explicit Keyring(std::shared_ptr<Sources> sources);
  std::shared_ptr<Sources> sources_;
};

}  // namespace headgate::keyring
