#pragma once
// What callers are checked against, kept fresh: files are read again when they change, JWK Sets are fetched from where
// their issuers publish them. Used by server, which hands what is published here to its workers.

#include "headgate/core/result.hpp"
#include "headgate/core/time.hpp"
#include "headgate/identity/credentials.hpp"
#include "headgate/identity/options.hpp"
#include "headgate/keyring/pace.hpp"

#include <boost/asio/io_context.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace headgate::keyring {

/// How one source of keys is doing; for metrics and for whoever asks the admin listener.
struct SourceReport {
  std::string source;           ///< "jwks https://login.example.com/keys", or the path of a file
  std::uint64_t keys = 0;       ///< in force from it
  Instant fetched{};            ///< when it last gave keys, or said that they are unchanged; the epoch: never
  std::uint64_t successes = 0;  ///< fetches or readings; goes on counting where a reload keeps the URL
  std::uint64_t failures = 0;   ///< of which each left in force what there was
  bool fresh = false;           ///< the last try did not fail
  std::string trouble;          ///< why it failed, a sentence without its dot; empty where fresh or not tried yet
};

/// The keys of one configuration. Lives on one loop of one thread, whose only calls from elsewhere may be want() and
/// reports(). That loop does nothing that callers wait for, so that files, which are small, are read on it.
class Keyring {
 public:
  using Publish = std::function<void(std::shared_ptr<const identity::Credentials>)>;

  /// Reads every file and fetches nothing yet. The error is one sentence without its dot: which file, where in it, and
  /// what helps. `before` may be null; what it has fetched from a URL that these options name too (with the same
  /// authorities) is in force here from the start, so that a reload never loses keys. It can be stopped afterwards.
  static Result<std::shared_ptr<Keyring>, std::string> open(boost::asio::io_context& loop,
                                                            const identity::Options& options, const Keyring* before,
                                                            const Pace& pace = {});
  ~Keyring();
  Keyring(const Keyring&) = delete;
  Keyring& operator=(const Keyring&) = delete;

  /// What is in force: never null. The loop's thread.
  std::shared_ptr<const identity::Credentials> now() const;

  /// Begins to look at the files and to fetch the URLs. `publish` is called on the loop at each change from here on.
  /// The loop's thread.
  void start(Publish publish);

  /// Runs the loop, which nobody else runs yet, until every URL was fetched once or failed, at most for `most`. For the
  /// start of a process, before it listens; before or after start().
  void await_first(Duration most);

  /// Ends all that was begun: nothing is published any more, what was in force stays to be asked for. The loop's
  /// thread.
  void stop();

  /// A token named a key that the issuer (its index in JwtOptions::issuers) is not known to have: its URL is fetched
  /// again soon, at most once each `refetch`, and not before its time where fetching fails. Any thread; cheap when
  /// called often: one relaxed read.
  void want(std::size_t issuer) noexcept;

  /// Of each issuer its file and its URL, then the file of API keys. Any thread.
  std::vector<SourceReport> reports() const;

 private:
  class Sources;
  explicit Keyring(std::shared_ptr<Sources> sources);
  std::shared_ptr<Sources> sources_;
};

}  // namespace headgate::keyring
