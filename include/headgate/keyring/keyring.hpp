#pragma once
// The keys that callers' credentials are verified with, kept up to date. Files are read again when they change; JWK
// Sets are fetched from the URLs of their issuers. Used by server, which passes what is published here to its workers.

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

/// What a source has.
enum class SourceKind : std::uint8_t {
  keys,      ///< also users with their passwords
  addresses  ///< that routes allow or deny; its `keys` are blocks
};

/// The state of one source of keys, for metrics and for the admin listener.
struct SourceReport {
  std::string source;  ///< "jwks https://login.example.com/keys", or the path of a file
  SourceKind kind = SourceKind::keys;
  std::uint64_t keys = 0;       ///< keys in force from this source
  Instant fetched{};            ///< when it last gave keys or said that they are unchanged; the epoch: never
  std::uint64_t successes = 0;  ///< successful fetches or reads; a reload that keeps the URL keeps this count
  std::uint64_t failures = 0;   ///< failed fetches or reads; each left the old keys in force
  bool fresh = false;           ///< the last try succeeded
  std::string trouble;          ///< why the last try failed, a sentence without its dot; empty if it succeeded or there
                                ///< was none
};

/// The keys of one configuration. It lives on one loop of one thread; only want() and reports() may be called from
/// others. No caller waits for that loop, so it also reads the files, which are small.
class Keyring {
 public:
  using Publish = std::function<void(std::shared_ptr<const identity::Credentials>)>;

  /// Reads every file and fetches nothing yet. The error is one sentence without its dot: which file, where in it, and
  /// what helps. `before` may be null. What it has fetched from a URL stays in force from the start if these options
  /// have that URL too (with the same authorities). So a reload never loses keys. `before` can be stopped afterwards.
  static Result<std::shared_ptr<Keyring>, std::string> open(boost::asio::io_context& loop,
                                                            const identity::IdentityOptions& options,
                                                            const Keyring* before, const RefreshPolicy& policy = {});
  ~Keyring();
  Keyring(const Keyring&) = delete;
  Keyring& operator=(const Keyring&) = delete;

  /// The credentials in force; never null. The loop's thread.
  std::shared_ptr<const identity::Credentials> now() const;

  /// These API keys hold from now on, whatever their file says, in place of those of the last call. Looks at the file,
  /// and publishes. The loop's thread.
  void hold(std::vector<identity::ApiKeyRecord> records);

  /// Starts to watch the files and to fetch the URLs. From here on it calls `publish` on the loop at each change. The
  /// loop's thread.
  void start(Publish publish);

  /// Runs the loop until every URL was fetched or failed once, at most for `most`. Nothing else may run the loop yet.
  /// For the start of a process, before it listens; before or after start().
  void await_first(Duration most);

  /// Ends all activity: publishes nothing more. now() still returns what was in force. The loop's thread.
  void stop();

  /// A token named a key that the issuer is not known to have. `issuer` is its index in JwtOptions::issuers. Its URL is
  /// fetched again soon, at most once in each `refetch`. While fetches fail, this does not make the next one earlier.
  /// Any thread; cheap when called often: one relaxed read.
  void want(std::size_t issuer) noexcept;

  /// For each issuer its file and its URL, then the file of API keys, then those of addresses and of
  /// users. Any thread.
  std::vector<SourceReport> reports() const;

 private:
  class Sources;
  explicit Keyring(std::shared_ptr<Sources> sources);
  std::shared_ptr<Sources> sources_;
};

}  // namespace headgate::keyring
