#pragma once
// A group of servers. A policy chooses one of them, and the outcomes of earlier attempts decide which servers it may
// choose; the dialler of a server makes and keeps its connections. Used by server and services.

#include "headgate/balance/places.hpp"
#include "headgate/balance/table.hpp"
#include "headgate/balance/watch.hpp"
#include "headgate/core/clock.hpp"
#include "headgate/observe/counters.hpp"
#include "headgate/upstream/dialler.hpp"
#include "headgate/upstream/options.hpp"
#include "headgate/upstream/upstream.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace headgate::upstream {

/// The places at each server of an upstream, which all workers share. An element is null if its server has no bound;
/// the list is empty if no server has a bound.
using AllPlaces = std::vector<std::shared_ptr<balance::Places>>;

/// The servers of an upstream on one worker. Worker thread only, except for the parts of servers() that any thread may
/// use. Attempts must be given back or released before the group is destroyed.
class ServerGroup final : public Upstream {
 public:
  /// `dial` makes the diallers of new servers. `worker` is the number of the worker; each worker begins with another
  /// server. `before` is the upstream of this name before a reload, on the same worker; null if there is none or if its
  /// TLS files have changed. The group shares unchanged parts with `before`: the diallers and rows of servers, and the
  /// counted requests. `watch` decides which servers are ejected; null if none is ever ejected. `overload` is shared by
  /// all workers; it may be null.
  ServerGroup(Clock& clock, const ServerGroupOptions& options, const Dial& dial, unsigned worker = 0,
              const ServerGroup* before = nullptr, std::shared_ptr<balance::Watch> watch = nullptr,
              AllPlaces places = {}, std::shared_ptr<shed::Overload> overload = nullptr);
  ~ServerGroup() override;
  ServerGroup(const ServerGroup&) = delete;
  ServerGroup& operator=(const ServerGroup&) = delete;

  const std::string& name() const noexcept override { return options_.name; }
  AttemptPtr take_idle(balance::Choice& choice) noexcept override;
  Task<Result<AttemptPtr, Failure>> connect(balance::Choice& choice) override;
  bool reserve(balance::Choice& choice) override;
  PlaceUse place_use() const override;
  Duration time_for(std::size_t attempts) const override;
  void use(const NamedAddresses& name) override;
  void take_down(std::string_view server) override;
  void give_back(AttemptPtr attempt) override;
  void note(Attempt& attempt, balance::AttemptOutcome outcome, Duration took) noexcept override;
  void count(std::size_t at, unsigned status, Duration took) noexcept override;
  balance::CircuitDoor* circuit() noexcept override { return watch_ && watch_->has_circuit() ? &part_->door : nullptr; }
  shed::Concurrency* concurrency() noexcept override { return concurrency_.get(); }
  shed::Overload* overload() noexcept override { return overload_.get(); }
  void stop() override;

  /// Sets the counters of attempts: those of this worker, with a table for each server.
  void count_by(observe::UpstreamCounters counters) { counters_ = std::move(counters); }

  /// Returns the name of a server by its index.
  const std::string& server_name(std::size_t at) const noexcept;
  /// Returns the servers, in the order of the options.
  balance::Table& servers() noexcept { return table_; }

 private:
  struct Member {
    std::shared_ptr<Dialler> dialler;
    balance::ServerPtr row;
  };
  Member member_for(std::size_t at, const Dial& dial, const ServerGroup* before) const;
  std::optional<std::size_t> choose(const balance::Choice& choice) const noexcept;
  std::optional<std::size_t> choose_anew(balance::Choice& choice) const noexcept;
  /// whether servers that this request has tried may be tried again if no other server is left
  enum class Anew : bool { no, yes };
  std::optional<std::size_t> choose_with_place(balance::Choice& choice, Anew anew);
  std::optional<std::size_t> next_server(balance::Choice& choice, std::optional<std::size_t> out);
  bool take_place(std::size_t at, balance::Choice& choice) noexcept;
  std::optional<std::size_t> to_try(const balance::Choice& choice) const noexcept;
  bool take_trial() noexcept;
  std::int64_t time_of_choice() const noexcept;

  Clock& clock_;
  ServerGroupOptions options_;
  std::vector<std::shared_ptr<Dialler>> diallers_;  ///< one for each server of the table
  balance::Table table_;
  std::shared_ptr<balance::Watch> watch_;
  std::shared_ptr<balance::WatchPart> part_;  ///< this worker's part of the watch; null without a watch
  AllPlaces places_;
  std::shared_ptr<shed::Overload> overload_;
  std::uint64_t turn_;
  std::uint64_t seed_;
  std::shared_ptr<shed::Concurrency> concurrency_;
  observe::UpstreamCounters counters_;
};

}  // namespace headgate::upstream
