#pragma once
// API keys that gateways issue and revoke: brings them into the key file, to the workers, and to the gateways that
// share Redis.

#include "headgate/config/config.hpp"
#include "headgate/core/clock.hpp"
#include "headgate/core/result.hpp"
#include "headgate/identity/api_keys.hpp"
#include "headgate/observe/metrics.hpp"
#include "headgate/services/log_exchange.hpp"
#include "headgate/services/log_refill.hpp"
#include "headgate/services/main_calls.hpp"
#include "headgate/services/refused.hpp"
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

/// One for each process, on the main thread except where it says any thread. Whatever it learns of a key holds on this
/// gateway at once, and is then written to the key file; a new key holds once the file has it. A key that was revoked
/// anywhere stays revoked everywhere, in whatever order gateways hear of it.
class KeyService final : public Service, public std::enable_shared_from_this<KeyService> {
 public:
  using Records = std::vector<identity::ApiKeyRecord>;
  /// Runs `what` on a thread that may wait for the disk, one after the other. False: not any more.
  using RunAside = std::function<bool(std::function<void()> what)>;
  /// What the key file has now, and before it these records, hold on every worker from now on; then `done`, on any
  /// thread.
  using Use = std::function<void(Records unwritten, std::function<void()> done)>;
  /// Told while the file does not have what it should; "" if it has.
  using TellTrouble = std::function<void(const std::string& why)>;

  /// The clock outlives it.
  KeyService(Clock& clock, OpenLog open);

  /// What uses the keys; from here on changes are taken.
  void serve(RunAside aside, Use use, TellTrouble trouble);
  void adopt(const std::shared_ptr<const ActiveConfig>& active) override;
  /// The active configuration has these keys now, and is else the same.
  void in_force(std::shared_ptr<const identity::ApiKeys> keys);
  /// What holds, and is not in the file yet.
  Records unwritten() const;
  /// Of the active configuration.
  std::string file() const { return config_->identity.api_key.file; }

  /// How a change ended.
  struct Done {
    identity::ApiKeyRecord record;
    std::string unwritten{};         ///< why the key file does not have it, a sentence without its dot; "": it has
    std::optional<Spread> spread{};  ///< not set: there is no Redis
  };
  using Tell = std::function<void(Result<Done, Refused>)>;
  /// Adds a key. Its `issued` is set here. Tells once the file has it, all workers use it, and it is known who has
  /// heard; or why it was not issued.
  void issue(identity::ApiKeyRecord record, Tell tell);
  /// Takes the key with this id away; one that is revoked already is told again. Without the file it holds all the
  /// same, until a restart.
  void revoke(const std::string& id, Tell tell);

  /// How many keys gateways may have issued, with those that are revoked and remembered: the log holds two entries of
  /// each.
  static constexpr std::size_t kMaxIssued = 30'000;

  /// Any thread.
  struct Counts {
    bool on = false;            ///< whether the configuration lets keys be issued
    std::size_t issued = 0;     ///< with those that are revoked and remembered
    std::size_t revoked = 0;    ///< of these
    std::size_t unwritten = 0;  ///< changes that the key file does not have yet
  };
  Counts counts() const;

  /// Whether the log was read once, or there is none.
  bool has_read() const noexcept { return log_->has_read(); }
  /// What waits for the file or for Redis is lost.
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
  std::map<identity::Sha256, identity::ApiKeyRecord> ended_;  ///< all that are known to be revoked
  std::vector<Waiting> to_issue_;                             ///< for the next write
  std::vector<Waiting> to_revoke_;                            ///< they hold; told after the next write
  std::string trouble_;
  bool writing_ = false;
  bool stopped_ = false;

  mutable std::mutex mutex_;
  Counts counts_;
};

/// headgate_issued_keys and headgate_unwritten_keys. Nothing while no key can be issued.
void collect_issued_keys(observe::Registry& registry, std::function<KeyService::Counts()> ask);

}  // namespace headgate::services
