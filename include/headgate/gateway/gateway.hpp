#pragma once
// The path of a request: route, caller, limits, server. There is one for each worker.

#include "headgate/core/clock.hpp"
#include "headgate/core/random.hpp"
#include "headgate/gateway/exchange.hpp"
#include "headgate/gateway/handler.hpp"
#include "headgate/gateway/problem.hpp"
#include "headgate/limit/ban_table.hpp"
#include "headgate/limit/hold_table.hpp"
#include "headgate/limit/limiter.hpp"
#include "headgate/limit/notice.hpp"
#include "headgate/limit/use_sheet.hpp"
#include "headgate/net/block_pool.hpp"
#include "headgate/observe/access_log.hpp"
#include "headgate/observe/span_log.hpp"
#include "headgate/room/memory_rooms.hpp"
#include "headgate/shed/wait_queues.hpp"

#include <memory>
#include <optional>

namespace headgate::gateway {

struct AssumedCaller;
struct Explanation;
struct ExplainedRequest;
struct Path;
class PasswordPool;
class RefusedRequests;
class ReservationBook;

/// The services that the path uses in addition to its snapshot. All of them outlive the gateway.
struct Services {
  Clock& clock;
  Random& random;          ///< random numbers of this worker
  limit::Limiter& memory;  ///< counters in memory, shared by all workers
  observe::AccessLog& access_log;
  limit::BanTable& bans;                  ///< suspensions, shared by all workers
  room::MemoryRooms& rooms;               ///< waiting rooms in memory, shared by all workers
  shed::WaitQueues& flights;              ///< queues of waiting requests, shared by all workers
  net::LentBytes::Share* lent = nullptr;  ///< count of the memory of held bodies; null to count nothing
  observe::SpanLog* spans = nullptr;      ///< spans of this worker; null if no exchange is recorded
  limit::UseSheet* sheet = nullptr;       ///< billed use of this worker; null if nothing is billed
  /// inbox for notices, shared by all workers; null if nobody is notified of quotas
  limit::NoticeInbox* notices = nullptr;
  RefusedRequests* refusals = nullptr;  ///< refused requests of this worker; null if malformed requests are not kept
  /// pool that checks passwords, shared by all workers; null to check passwords at once
  PasswordPool* passwords = nullptr;
  limit::HoldTable* holds = nullptr;  ///< permits that calls hold, shared by all workers; null if they are not recorded
  /// open reservations, shared by all workers; null if no decision is settled afterwards
  ReservationBook* reservations = nullptr;
  bool assumes = false;  ///< whether Exchange::assumed is believed; false wherever strangers send requests
};

/// The path of one worker; its thread only. All exchanges must have ended before the Gateway is destroyed.
class Gateway final : public Handler {
 public:
  Gateway(Services services, SnapshotPtr snapshot);
  ~Gateway() override;

  Task<void> handle(Exchange& x) override;
  void refused(Exchange& x) override;
  void name(Exchange& x) override;
  void refused_head(const Exchange& x, std::string_view bytes, std::optional<std::size_t> fault) override;
  void glitches(const boost::asio::ip::address& peer, std::uint32_t times) override;
  void handshake_failed(const boost::asio::ip::address& peer, std::string_view reason) override;
  bool opens_websockets() const override;
  bool trusts(const boost::asio::ip::address& peer) const override;

  /// Returns what would happen to `request` now, with the configuration, the counters and the Redis of this worker.
  /// Takes nothing: no permit, no failed attempt, no place in a queue. Does not ask waiting rooms, circuits, load
  /// shedding or the servers. As before each check, debts from an outage of Redis are charged first. `assumed` has the
  /// meaning of Exchange::assumed.
  Task<Explanation> explain(ExplainedRequest request, const AssumedCaller* assumed = nullptr);

  /// Uses `snapshot` for new exchanges from now on.
  void adopt(SnapshotPtr snapshot);
  /// Uses the same snapshot with other overrides.
  void use_overrides(SnapshotPtr snapshot);
  /// Stops the background work. No exchange may begin afterwards.
  void stop();

 private:
  std::unique_ptr<Path> path_;
};

}  // namespace headgate::gateway
