#pragma once
// An upstream whose servers speak HTTP/1.1: a policy chooses one, and there is a pool of open connections to each.

#include "headgate/balance/places.hpp"
#include "headgate/balance/table.hpp"
#include "headgate/balance/watch.hpp"
#include "headgate/net/tls_context.hpp"
#include "headgate/observe/counters.hpp"
#include "headgate/upstream/environment.hpp"
#include "headgate/upstream/options.hpp"
#include "headgate/upstream/upstream.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace headgate::upstream {

class H1Pool;

/// How the servers of one upstream are reached over TLS. `context` is null for plain HTTP; else it was made from
/// Options::tls, and the counters are those of this worker.
struct TlsUse {
  std::shared_ptr<const net::TlsContext> context;
  observe::UpstreamHandshakeCounters counters;
};

/// For each server of an upstream, the places that all workers share; null: it may have any number of attempts. Empty:
/// so may all.
using AllPlaces = std::vector<std::shared_ptr<balance::Places>>;

/// Worker thread only, except for what any thread may use in servers(). Attempts must be given back or released before
/// it is destroyed.
class H1Upstream final : public Upstream {
 public:
  /// The connections are made on `environment.loop`, when needed. `worker` is the number of the worker: each begins
  /// with another server. `before`: the upstream of this name before a reload, on the same worker; null if there is
  /// none, or if its files of TLS have changed. What has not changed is shared with it: the pools and rows of servers,
  /// and the requests that are counted. `watch` decides which servers are out; null: nobody does. `overload` is shared
  /// by all workers; null: nothing of it is.
  H1Upstream(Environment environment, const Options& options, TlsUse tls = {}, unsigned worker = 0,
             const H1Upstream* before = nullptr, std::shared_ptr<balance::Watch> watch = nullptr, AllPlaces places = {},
             std::shared_ptr<shed::Overload> overload = nullptr);
  ~H1Upstream() override;
  H1Upstream(const H1Upstream&) = delete;
  H1Upstream& operator=(const H1Upstream&) = delete;

  const std::string& name() const noexcept override { return options_.name; }
  AttemptPtr take_idle(balance::Choice& choice) noexcept override;
  Task<Result<AttemptPtr, Failure>> connect(balance::Choice& choice) override;
  bool reserve(balance::Choice& choice) override;
  PlaceUse place_use() const override;
  Duration time_for(std::size_t attempts) const override;
  void use(const NamedAddresses& name) override;
  void take_down(std::string_view server) override;
  void give_back(AttemptPtr attempt) override;
  void note(Attempt& attempt, balance::Outcome outcome, Duration took) noexcept override;
  void count(std::size_t at, unsigned status, Duration took) noexcept override;
  balance::CircuitDoor* circuit() noexcept override { return watch_ && watch_->has_circuit() ? &part_->door : nullptr; }
  shed::Concurrency* concurrency() noexcept override { return concurrency_.get(); }
  shed::Overload* overload() noexcept override { return overload_.get(); }
  void stop() override;

  /// Where to count attempts; of this worker, with a table for each server.
  void count_by(observe::UpstreamCounters counters) { counters_ = std::move(counters); }

  /// The name of a server, by its index.
  const std::string& server_name(std::size_t at) const noexcept;
  /// Its servers, in the order of the options.
  balance::Table& servers() noexcept { return table_; }

 private:
  std::shared_ptr<H1Pool> pool_for(std::size_t at, const H1Upstream* before) const;
  std::optional<std::size_t> choose(const balance::Choice& choice) const noexcept;
  std::optional<std::size_t> choose_anew(balance::Choice& choice) const noexcept;
  enum class Anew : bool { no, yes };  ///< whether servers may be tried again if no other is left
  std::optional<std::size_t> choose_with_place(balance::Choice& choice, Anew anew);
  std::optional<std::size_t> next_server(balance::Choice& choice, std::optional<std::size_t> out);
  bool take_place(std::size_t at, balance::Choice& choice) noexcept;
  std::optional<std::size_t> to_try(const balance::Choice& choice) const noexcept;
  bool take_trial() noexcept;
  std::int64_t time_of_choice() const noexcept;

  Environment environment_;
  Options options_;
  TlsUse tls_;
  std::vector<std::shared_ptr<H1Pool>> pools_;  ///< one for each server of the table
  balance::Table table_;
  std::shared_ptr<balance::Watch> watch_;
  std::shared_ptr<balance::WatchPart> part_;  ///< null without a watch
  AllPlaces places_;
  std::shared_ptr<shed::Overload> overload_;
  std::uint64_t turn_;
  std::uint64_t seed_;
  std::shared_ptr<shed::Concurrency> concurrency_;
  observe::UpstreamCounters counters_;
};

}  // namespace headgate::upstream
