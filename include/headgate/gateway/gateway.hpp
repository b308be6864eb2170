#pragma once
// The path of a request: route, caller, limits, server. One for each worker.

#include "headgate/core/clock.hpp"
#include "headgate/gateway/exchange.hpp"
#include "headgate/gateway/handler.hpp"
#include "headgate/gateway/problem.hpp"
#include "headgate/limit/ban_table.hpp"
#include "headgate/limit/limiter.hpp"
#include "headgate/limit/notice.hpp"
#include "headgate/limit/shards.hpp"
#include "headgate/limit/use_sheet.hpp"
#include "headgate/net/block_pool.hpp"
#include "headgate/observe/access_log.hpp"
#include "headgate/observe/span_log.hpp"
#include "headgate/room/memory_rooms.hpp"
#include "headgate/shed/wait_queues.hpp"

#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace headgate::gateway {

class Appointments;
struct Explanation;
struct ExplainedRequest;
class InFlight;
class LagProbe;
class Mirrors;
class Notices;
class Offences;
class RefusedRequests;
class Round;
struct ResolvedLimit;
class Outage;
class Rooms;
class Turn;
class Turns;

/// What the path uses beside its snapshot. All of it outlives the gateway.
struct Services {
  Clock& clock;
  limit::Limiter& memory;  ///< shared by all workers
  observe::AccessLog& access_log;
  limit::BanTable& bans;                  ///< shared by all workers
  room::MemoryRooms& rooms;               ///< shared by all workers
  shed::WaitQueues& flights;              ///< shared by all workers
  net::LentBytes::Share* lent = nullptr;  ///< counts the memory of bodies that are held; null: nobody does
  observe::SpanLog* spans = nullptr;      ///< null: no exchange is recorded
  limit::UseSheet* sheet = nullptr;       ///< of this worker; null: nothing is billed
  limit::NoticeInbox* notices = nullptr;  ///< shared by all workers; null: nobody is told of quotas
  RefusedRequests* refusals = nullptr;    ///< of this worker; null: malformed requests are not kept
};

/// Worker thread only. All exchanges must have ended before it is destroyed.
class Gateway final : public Handler {
 public:
  Gateway(Services services, SnapshotPtr snapshot);
  ~Gateway() override;

  Task<void> handle(Exchange& x) override;
  void refused(Exchange& x) override;
  void refused_head(const Exchange& x, std::string_view bytes, std::optional<std::size_t> fault) override;
  void handshake_failed(const boost::asio::ip::address& peer, std::string_view reason) override;
  bool trusts(const boost::asio::ip::address& peer) const override;

  /// What would happen to `request` now, with the configuration, the counters and the Redis of this worker. Takes
  /// nothing: no permit, no failed attempt, no place. Waiting rooms, circuits, load shedding and the servers themselves
  /// are not asked. What is owed to Redis after an outage is charged first, as before each check.
  Task<Explanation> explain(ExplainedRequest request);

  /// New exchanges use `snapshot` from now on.
  void adopt(SnapshotPtr snapshot);
  /// The same snapshot with other overrides.
  void use_overrides(SnapshotPtr snapshot) { snapshot_ = std::move(snapshot); }
  /// Stops the work in the background. No exchange may begin after it.
  void stop();

 private:
  using Step = std::optional<Problem>;  // empty: continue with the next step
  enum class Served { no, yes };        // whether the exchange reached the step `serve`

  Task<Step> peek(Exchange& x);
  Task<Explanation> explain(Exchange& x);
  Step arrive(Exchange& x);
  Step find_route(Exchange& x);
  Step identify(Exchange& x);
  Step check_bans(Exchange& x, bool after_auth) const;
  Step check_suspended(Exchange& x, bool after_auth) const;
  void note_offences(Exchange& x);
  Task<void> suspend_first(Exchange& x, Problem& problem);
  Task<Step> wait_in_room(Exchange& x);
  Step charge_preflight(Exchange& x);
  Step may_ask_usage(Exchange& x);
  Step identify_for_usage(Exchange& x);
  Task<Step> tell_usage(Exchange& x, RejectionHeaders style);
  Step authenticate(Exchange& x);
  Step check_certificate(Exchange& x);
  Step check_key(Exchange& x);
  Step check_token(Exchange& x);
  identity::TokenCache::Known verify(Exchange& x, std::string_view token);
  Problem key_missing(Exchange& x, const limit::Limit& limit);
  Step reserve_failure(Exchange& x);
  void return_failure(Exchange& x);
  Task<Step> steps_with_extras(Exchange& x);
  Step admit(Exchange& x, Stage stage);  // of limits counted in memory
  Task<Step> admit_in_redis(Exchange& x, Turn* turn = nullptr, Stage stage = Stage::redis);
  Task<Step> admit_in_turn(Exchange& x, Stage stage);
  Step admit_or_stand(Exchange& x, Stage stage, Turn& turn);
  Step reject_behind(Exchange& x, Round& round);
  void reject_here(Exchange& x, Round& round, Stage stage, Step& problem);
  Step collect(Exchange& x, Round& round, Stage stage);
  Task<Result<bool>> ask_other_shards(Exchange& x, Round& round);
  Step keep_appointment(Exchange& x, const RouteLimit& route_limit, const ResolvedLimit& resolved);
  bool used_before(Exchange& x, Round& round);
  const CheckedLimit* hands_out(const Exchange& x) const;
  bool offer(Exchange& x, Instant now, std::span<const limit::Check> booked, std::span<const limit::Decision> decisions,
             Problem& problem);
  void offer_here(Exchange& x, Problem& problem);
  Task<void> offer_in_redis(Exchange& x, Problem& problem);
  Step take_share(Exchange& x, Round& round);
  Step take_share_late(Exchange& x, const Round& round);
  Step fall_back(Exchange& x, Round& round);
  Step decide_here(Exchange& x, Round& round);
  Step conclude(Exchange& x, Round& round, bool agreed) const;
  void give_back(Exchange& x, Round& round);
  void return_share(Round& round);
  Step check_circuit(Exchange& x);
  Step pass_circuit(Exchange& x);
  void leave_circuit(Exchange& x);
  Step shed(Exchange& x);
  Step rank(Exchange& x);
  void note_fleet(Exchange& x, const Step& problem);
  bool waits_for_place(const Exchange& x) const;
  Task<Step> wait_for_place(Exchange& x);
  Step take_place(Exchange& x);
  Problem refuse_place(Exchange& x, shed::Concurrency& concurrency);
  void leave_place(Exchange& x);
  bool takes_server(Exchange& x);
  Task<Step> wait_for_server(Exchange& x);
  void leave_server(Exchange& x);
  void watch_lag();
  void return_all(Exchange& x);
  Task<void> delay(Exchange& x);
  Task<Step> hold_body(Exchange& x);
  Task<Step> admit_held(Exchange& x, Stage stage);
  Task<Step> serve(Exchange& x);
  Step check_body(const Exchange& x) const;
  void settle(Exchange& x, const Step& problem, Served served);
  void finish(Exchange& x);
  void keep_refused(const Exchange& x);

  Services services_;
  SnapshotPtr snapshot_;
  std::shared_ptr<Outage> outage_;
  std::unique_ptr<Turns> turns_;
  std::unique_ptr<InFlight> in_flight_;
  std::shared_ptr<Offences> offences_;
  std::unique_ptr<Notices> notices_;
  std::shared_ptr<Rooms> rooms_;
  limit::ShardTurns shard_turns_;
  std::shared_ptr<Mirrors> mirrors_;
  std::unique_ptr<Appointments> appointments_;
  std::unique_ptr<identity::TokenCache> tokens_;
  std::unique_ptr<LagProbe> lag_;  ///< null if the lag is not watched
  Duration lag_tolerated_{0};
};

}  // namespace headgate::gateway
