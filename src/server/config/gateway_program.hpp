#pragma once
// The gateway as a program of the server: the active configuration, and its changes by a reload or by new keys.

#include "active_keyring.hpp"
#include "kept_configs.hpp"
#include "reload.hpp"
#include "server/candidate/candidate_record.hpp"
#include "server/candidate/candidate_watch.hpp"
#include "server/gateway_service.hpp"
#include "server/pid_file.hpp"
#include "server/upgrade/handed_state.hpp"
#include "server/upgrade/handover.hpp"
#include "server/watch/certificates.hpp"
#include "server/watch/file_watch.hpp"
#include "server/watch/server_care.hpp"
#include "server/watch/server_watch.hpp"

#include "headgate/admin/candidate_calls.hpp"
#include "headgate/admin/reason_watch.hpp"
#include "headgate/admin/reload_endpoint.hpp"
#include "headgate/admin/server_sizes.hpp"
#include "headgate/admin/traffic_rates.hpp"
#include "headgate/observe/counters.hpp"
#include "headgate/server/admin_listener.hpp"
#include "headgate/server/serve_gateway.hpp"
#include "headgate/services/service.hpp"
#include "headgate/services/top_service.hpp"
#include "headgate/services/trace_service.hpp"

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace headgate::server {

/// The program of a gateway process. Main thread only.
class GatewayProgram final : public Program {
 public:
  /// Makes `config` active. Throws std::runtime_error if a key file cannot be used. `side` is stopped before this
  /// object is destroyed.
  GatewayProgram(boost::asio::io_context& loop, Clock& clock, SideThread& side, const config::Config& config,
                 const config::ReadAgain& read_again, Shared& shared);

  /// Lets reloads change the options of the admin interface, which outlives the workers.
  void use_admin(AdminListener& admin) { admin_ = &admin; }
  /// Reloads whenever one of these files has changed (ReadConfig::watched); each reload determines the files to watch
  /// next.
  void watch(const std::vector<std::string>& paths);
  /// Calls `what` with the Redis limiter of one worker, on its thread. Does nothing while no workers run.
  void with_redis(std::function<void(std::shared_ptr<redis::SharedLimiter>)> what);
  /// Calls `what` on this thread when a drain has begun, with the longest time until no request is in flight.
  void at_drain(std::function<void(Duration)> what) { at_drain_ = std::move(what); }
  /// Reports to the previous process, through `taken`, when this process serves. `command` starts the next process.
  void hand_over_by(TakenOver taken, CommandLine command);
  /// Waits for the state of the previous process and takes it over; logs the parts that were left out. Called before
  /// the workers run.
  void take_state(bool same_hashes);
  /// Sets the candidate that an operator had set before the restart, or logs why this is not possible. Called before
  /// the workers run.
  void take_kept_candidate();
  /// Receives the calls of the admin interface.
  const std::shared_ptr<admin::ReloadCalls>& calls() const noexcept { return calls_; }
  /// The service that reports the most limited callers to the admin interface.
  const std::shared_ptr<services::TopService>& top() const noexcept { return top_; }
  const admin::TrafficRates& rates() const noexcept { return rates_; }
  const Certificates& certificates() const noexcept { return certificates_; }
  /// Applies an operator's change to the state of a server. If the server is down, its requests end.
  void use_state(const std::string& upstream, const std::string& server, bool down);
  /// Applies an operator's change to the weight or the bound of a server.
  void use_size(const std::string& upstream, const std::string& server, const admin::WantedSize& size);
  /// Waits for keys that are being fetched, so that the first requests find them. Continues without keys that do not
  /// arrive in time.
  void await_keys();

  /// Reads another configuration on the side thread and makes it active if all of it can be used. `tell` gets the
  /// result on this thread, once every worker uses it. A call during a reload waits for its end; all calls that wait
  /// share the next reload.
  using Tell = std::function<void(const admin::ReloadResult& result)>;
  void reload(admin::ReloadFrom from, Tell tell);

  /// The calls with which the admin interface sets, drops, promotes and compares a candidate.
  admin::CandidateCalls candidate_calls();

  std::unique_ptr<WorkerService> make_service(upstream::Environment environment) override;
  Result<std::vector<ListenerTls>, std::string> secure(Workers& workers) override;
  void started(Workers& workers) override;
  DrainTimes drain_times() const override { return {now_->config->drain_delay, now_->config->drain}; }
  void reload() override { reload(admin::ReloadFrom::file, {}); }
  void reopen_logs() override { shared_.logs.reopen(); }
  void upgrade(const std::function<void()>& handed_over) override;
  Duration upgrade_drain() const override { return now_->config->upgrade_drain; }
  void draining(Duration at_most) override;
  void ended() override;

 private:
  StateParts parts();
  /// Does the same as Workers::tell(). Does nothing while no worker runs.
  void tell_workers(const std::function<void(WorkerService&)>& what, const std::function<void()>& done = {});
  /// Lists all services that run beside the request path, in the order of their starts.
  void list_services();
  /// The parts of a reload other than the configuration, after checks that all of them can be used.
  struct Prepared;

  void use_overrides(const std::vector<limit::Override>& overrides, const std::function<void()>& done);
  void watch_keys();
  // API keys that gateways issue and revoke: implemented in program_keys.cpp.
  void use_keys(services::KeyService::Records unwritten, const std::function<void()>& done);
  void tell_unwritten_keys(const std::string& why);
  void begin_reload();
  void watch_next(const ReadAgainConfig& read, std::chrono::system_clock::time_point begun);
  void take(admin::ReloadFrom from, ReadAgainConfig next, std::chrono::system_clock::time_point begun);
  /// Returns false if `ready` cannot become active; `result` has the reason.
  bool take_ready(ReadyConfig ready, admin::ReloadResult& result);
  bool await_new_sources(PendingConfig& next, admin::ReloadResult& result);
  bool prepare(const config::Config& next, Prepared& prepared, admin::ReloadResult& result);
  void activate(PendingConfig next);
  /// Applies the sizes that operators gave servers to the active configuration.
  void use_sizes();
  void keep_sizes(const admin::ServerSizes::Upstreams& written);
  void ended_reload(const admin::ReloadResult& result);
  // The functions of the candidate are in program_candidate.cpp.
  bool begin_change(std::function<void()> again);
  void put_candidate(std::optional<ReadyCandidate> next);
  void tell_candidate(std::function<void()> then);
  void set_candidate(const std::string& body, const std::string& name, const Tell& tell);
  void drop_candidate(const std::function<void(bool)>& tell);
  void promote_candidate(const std::function<void(const std::optional<admin::ReloadResult>&)>& tell);
  std::optional<HandoverCandidate> handover_candidate() const;
  void use_candidate(std::optional<ReadyCandidate> next);
  std::string directory_of_file() const;
  std::shared_ptr<gateway::CandidateState> take_candidate(const HandoverCandidate& handed);
  void ask_candidate(const std::function<void(const std::optional<admin::CandidateDiff>&)>& tell);

  boost::asio::io_context& loop_;
  Clock& clock_;
  SideThread& side_;
  const config::ReadAgain& read_again_;
  Shared& shared_;
  observe::ReloadCounters counters_;
  ActiveKeyring keyring_;
  Certificates certificates_;
  admin::ServerSizes sizes_;
  ServerWatch server_watch_;
  ServerCare server_care_;
  const std::shared_ptr<services::TopService> top_;
  admin::TrafficRates rates_;
  admin::ReasonWatch reason_watch_;
  services::TraceService traces_;
  services::ServiceList services_;
  std::shared_ptr<const services::ActiveConfig> now_;
  KeptConfigs kept_;
  CandidateWatch candidate_watch_;
  PidFile pid_file_;
  std::optional<ReadyCandidate> candidate_;  // the candidate of the active configuration
  const CandidateRecord record_;
  std::shared_ptr<const config::Config> file_;  // the configuration in the file when it was read last
  std::shared_ptr<const config::Config> begun_with_;
  AdminListener* admin_ = nullptr;
  const std::shared_ptr<admin::ReloadCalls> calls_;
  std::optional<FileWatch> watch_;
  std::optional<TakenOver> taken_over_;
  std::optional<Handover> handover_;
  std::function<void()> handed_over_;
  std::function<void(Duration)> at_drain_;
  std::optional<pid_t> handed_over_to_;
  unsigned made_ = 0;           // number of worker services made so far
  Workers* workers_ = nullptr;  // set while workers run
  bool draining_ = false;
  bool reloading_ = false;
  bool taking_ = false;  // whether a configuration has been read that not every worker uses yet
  struct WaitingCaller {
    admin::ReloadFrom from;
    Tell tell;
  };
  std::vector<WaitingCaller> asked_;  // callers that wait for the reloads after this one
  std::vector<Tell> told_;            // callers that wait for this reload
  std::vector<std::function<void()>> after_reload_;
};

}  // namespace headgate::server
