#pragma once
// API keys that gateways issue and revoke: passes them to the key file, to the workers, and to the gateways that share
// Redis.

#include "headgate/config/config.hpp"
#include "headgate/core/clock.hpp"
#include "headgate/core/result.hpp"
#include "headgate/identity/api_keys.hpp"
#include "headgate/observe/metrics.hpp"
#include "headgate/services/log_exchange.hpp"
#include "headgate/services/log_refill.hpp"
#include "headgate/services/main_calls.hpp"
#include "headgate/services/refusal.hpp"
#include "headgate/services/service.hpp"

#include <chrono>
#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace headgate::services {

/// The issued API keys of this process. One per process; main thread, except where a function allows any thread. A
/// revocation takes effect on this gateway at once, and is then written to the key file. A new key takes effect once it
/// is in the file. A key that was revoked anywhere stays revoked everywhere, even if a gateway learns of the revocation
/// before it learns of the key.
class KeyService final : public Service, public std::enable_shared_from_this<KeyService> {
 public:
  using Records = std::vector<identity::ApiKeyRecord>;
  /// Runs `what` on a thread that may block on the disk, one call after the other. Returns false after that thread has
  /// stopped.
  using RunAside = std::function<bool(std::function<void()> what)>;
  /// Makes every worker use these records and the content of the key file; the records take precedence. Then calls
  /// `done`, on any thread.
  using Use = std::function<void(Records unwritten, std::function<void()> done)>;
  /// Receives the reason while the file lacks a change, or "" when the file has all changes.
  using TellTrouble = std::function<void(const std::string& why)>;

  /// The clock must outlive this object.
  KeyService(Clock& clock, OpenLog open);

  /// Sets the functions that use the keys. From then on changes are accepted.
  void serve(RunAside aside, Use use, TellTrouble trouble);
  void adopt(const std::shared_ptr<const ActiveConfig>& active) override;
  /// Records that the active configuration uses these keys now and is otherwise unchanged.
  void in_force(std::shared_ptr<const identity::ApiKeys> keys);
  /// Returns the records that are in force but not in the file yet.
  Records unwritten() const;
  /// Returns the key file of the active configuration.
  std::string file() const { return config_->identity.api_key.file; }

  /// The result of a change.
  struct Done {
    identity::ApiKeyRecord record;
    /// Reason why the change is not in the key file, a sentence without its full stop; "" if the change is in the file.
    std::string unwritten{};
    std::optional<Spread> spread{};  ///< Spread of the change; not set without Redis.
  };
  using Tell = std::function<void(Result<Done, Refusal>)>;
  /// Adds a key, and sets its `issued`. Calls `tell` once the key is in the file, all workers use it, and the other
  /// gateways have confirmed it, or the time for their confirmations is over. If the key was not issued, calls `tell`
  /// with the reason.
  void issue(identity::ApiKeyRecord record, Tell tell);
  /// Revokes the key with this id. If the key is already revoked, its revocation is written and shared again. If the
  /// file cannot be written, the revocation takes effect nevertheless, until a restart.
  void revoke(const std::string& id, Tell tell);

  /// Maximum number of keys that gateways may have issued, including revoked keys that are remembered. The log holds
  /// two entries for each.
  static constexpr std::size_t kMaxIssued = 30'000;

  /// Counts of issued keys, for any thread.
  struct Counts {
    bool on = false;            ///< Whether the configuration allows keys to be issued.
    std::size_t issued = 0;     ///< Number of issued keys, including revoked keys that are remembered.
    std::size_t revoked = 0;    ///< Number of those issued keys that are revoked.
    std::size_t unwritten = 0;  ///< Number of changes that are not in the key file yet.
  };
  Counts counts() const;

  /// Returns whether the log was read at least once, or no log is used.
  bool has_read() const noexcept { return log_->has_read(); }
  /// Stops the service. Changes that wait for the file or for Redis are lost.
  void stop() override;

 private:
  struct Waiting {
    identity::ApiKeyRecord record;
    Tell tell;
  };
  struct Written;

  void apply(const std::vector<limit::LogEntry>& entries, const std::function<void()>& done);
  std::vector<LogRefill::Known> known() const;
  void share(const identity::ApiKeyRecord& record);
  void hold(const identity::ApiKeyRecord& record);
  void write();
  void written(const std::shared_ptr<Written>& result);
  void use_written(std::vector<Waiting> issued);
  void tell_spread(Done done, const Tell& tell);
  void trouble(const std::string& why);
  void note_ended();
  void hold_ended();
  void refuse_waiting(const char* why);
  void count();
  void count_unwritten();

  Clock& clock_;
  MainCalls calls_;
  const OpenLog open_;
  const std::shared_ptr<LogExchange> log_;
  LogRefill refill_;
  std::unique_ptr<Alarm> alarm_;
  RunAside aside_;
  Use use_;
  TellTrouble tell_trouble_;
  std::shared_ptr<const config::Config> config_;
  std::shared_ptr<const identity::ApiKeys> keys_;
  std::map<identity::Sha256, identity::ApiKeyRecord> unwritten_;
  std::map<identity::Sha256, identity::ApiKeyRecord> ended_;  ///< All keys that are known to be revoked.
  std::vector<Waiting> to_issue_;                             ///< Keys to issue with the next write.
  std::vector<Waiting> to_revoke_;  ///< Revocations in force; their callers are answered after the next write.
  std::string trouble_;
  bool writing_ = false;
  bool stopped_ = false;

  mutable std::mutex mutex_;
  Counts counts_;
};

/// Adds headgate_issued_keys and headgate_unwritten_keys to the metrics; both are absent if no key can be issued.
void collect_issued_keys(observe::Registry& registry, std::function<KeyService::Counts()> ask);

}  // namespace headgate::services
