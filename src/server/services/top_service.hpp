#pragma once
// Collects from the workers who is limited, and answers the admin interface.

#include "server/watch/top_board.hpp"

#include "headgate/config/config.hpp"
#include "headgate/observe/logs.hpp"
#include "headgate/server/admin_endpoints.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace headgate::server {

class Workers;

/// What a call asks for.
struct TopQuestion {
  std::optional<std::string> limit;  ///< not set: all limits
  TopBy by = TopBy::rejected;
  TopWindow window = TopWindow::minute;
  std::size_t most = 20;
};

/// Main thread only, but ask().
class TopService : public std::enable_shared_from_this<TopService> {
 public:
  TopService(boost::asio::io_context& loop, const observe::Logs& logs)
      : loop_(loop), logs_(logs), timer_(loop), board_(std::chrono::steady_clock::now()) {}

  /// The limits of this configuration from now on.
  void use(std::shared_ptr<const config::Config> config) { config_ = std::move(config); }
  /// From now on it collects from these workers, until stop().
  void start(Workers& workers);
  void stop();

  using Tell = std::function<void(AdminAnswer)>;
  /// Any thread: takes what the workers have counted until now, and answers on one of their threads or on the main
  /// thread. `tell` is dropped if nothing is served any more.
  void ask(const TopQuestion& question, Tell tell);
  /// Any thread; of what was collected until now.
  const TopBoard& board() const noexcept { return board_; }

 private:
  void arm();
  void collect(std::function<void()> then);
  std::vector<std::string> names_of(const std::string& limit, const std::optional<std::string>& wanted) const;
  AdminAnswer answer(const TopQuestion& question) const;

  boost::asio::io_context& loop_;
  const observe::Logs& logs_;
  boost::asio::steady_timer timer_;
  TopBoard board_;
  std::shared_ptr<const config::Config> config_;
  Workers* workers_ = nullptr;
  std::mutex mutex_;
  bool closed_ = false;  ///< guarded by the mutex
};

/// GET /api/v1/top and GET /api/v1/limits/{name}/top.
std::vector<AdminEndpoint> top_endpoints(std::shared_ptr<TopService> service);

}  // namespace headgate::server
