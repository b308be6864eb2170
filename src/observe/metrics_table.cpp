#include "headgate/observe/metrics_table.hpp"

namespace headgate::observe {

std::span<const Family* const> families() noexcept {
  using namespace family;
  static constexpr const Family* kAll[] = {&build_info,
                                           &requests,
                                           &request_seconds,
                                           &auth,
                                           &key_source_up,
                                           &key_source_keys,
                                           &key_source_reads,
                                           &key_source_time,
                                           &limit_decisions,
                                           &limit_units,
                                           &limit_near,
                                           &limit_unreadable,
                                           &limit_decision_seconds,
                                           &limit_configured,
                                           &limit_tracked,
                                           &limit_evicted,
                                           &limit_fallback,
                                           &limit_leased,
                                           &limit_known_rejections,
                                           &limit_charged,
                                           &bans_active,
                                           &bans,
                                           &ban_decisions,
                                           &webhooks,
                                           &webhooks_retried,
                                           &webhooks_queued,
                                           &shed,
                                           &upstream_concurrency_limit,
                                           &upstream_in_flight,
                                           &event_loop_lag,
                                           &redis_up,
                                           &redis_commands,
                                           &redis_command_seconds,
                                           &redis_reconnects,
                                           &reloads,
                                           &reload_successful,
                                           &reload_time,
                                           &log_dropped,
                                           &process_cpu,
                                           &process_open_fds,
                                           &process_max_fds,
                                           &process_virtual,
                                           &process_resident,
                                           &process_start};
  return kAll;
}

}  // namespace headgate::observe
