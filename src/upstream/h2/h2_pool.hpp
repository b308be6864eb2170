#pragma once
// The HTTP/2 connections to one server: as few as can carry all streams. An exchange that finds no room waits for a
// connection that is being made, unless so many exchanges already wait for it that it will be full.

#include "h2_link.hpp"
#include "upstream/server_dialler.hpp"

#include "headgate/upstream/diallers.hpp"

#include <deque>
#include <optional>
#include <string_view>
#include <vector>

namespace headgate::upstream {

class H2Pool final : public ServerDialler {
 public:
  /// Creates the pool of the server with the index `at` in the options.
  H2Pool(Environment environment, const ServerGroupOptions& options, std::size_t at, const TlsUse& tls,
         balance::ServerPtr row);
  H2Pool(const H2Pool&) = delete;
  H2Pool& operator=(const H2Pool&) = delete;
  ~H2Pool() override;

  const Clock& clock() const noexcept { return environment_.clock; }
  net::Blocks& blocks() noexcept { return environment_.blocks; }
  std::string_view scheme() const noexcept { return tls_.context ? "https" : "http"; }
  Duration idle_timeout() const noexcept { return idle_timeout_; }
  std::size_t head_bytes() const noexcept { return head_bytes_; }

  CountedAttemptPtr take_idle(std::size_t at) noexcept override;
  Task<Result<CountedAttemptPtr, Failure>> connect(std::size_t at) override;
  void give_back(CountedAttemptPtr attempt) override;
  void lead_to(const std::vector<net::Tcp::endpoint>& addresses) override;
  void break_off() override;
  void stop() override;

  /// Called when a connection is lost.
  void forget(H2Link& link);
  /// Returns whether the pool may have `link` as one more idle connection.
  bool keeps(const H2Link& link) const noexcept;

 private:
  /// A coroutine that waits for a connection which another coroutine makes.
  struct Waiter {
    explicit Waiter(net::Timers& timers) noexcept : wake(timers) {}
    net::Wake wake;
    std::optional<Failure> failed;
  };

  /// Returns an attempt on a connection with room and a number above `since`; null if there is none.
  CountedAttemptPtr take(std::size_t at, std::uint64_t since);
  bool has_room(const H2Link& link) const noexcept;
  Task<Result<CountedAttemptPtr, Failure>> dial(Clock::Steady until);
  Failure not_greeted(error_code why);
  /// Returns how many exchanges may wait for the connections under way. The exchange that makes a connection uses one
  /// of its streams itself.
  std::size_t served_by_dials() const noexcept { return dials_ * (room_ - 1); }
  void serve_waiting(const std::optional<Failure>& failed);
  Duration left_until(Clock::Steady until) const;

  std::vector<H2LinkPtr> links_;
  std::deque<Waiter*> waiting_;
  std::uint64_t made_ = 0;                  ///< total number of connections on which servers have sent their SETTINGS
  std::size_t dials_ = 0;                   ///< number of connections under way
  std::size_t room_ = H2Link::kMaxStreams;  ///< number of streams that the latest connection can carry
  bool stopped_ = false;
};

}  // namespace headgate::upstream
