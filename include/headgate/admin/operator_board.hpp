#pragma once
// The state and calls behind the operator's part of the admin interface: the active configuration, the last reload, and
// calls that the main thread answers.

#include "headgate/admin/reload_result.hpp"
#include "headgate/core/time.hpp"
#include "headgate/services/active_config.hpp"
#include "headgate/session/sessions.hpp"

#include <boost/asio/io_context.hpp>

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace headgate::admin {

/// The main thread writes the board, any thread reads it. Every call is short.
class OperatorBoard {
 public:
  explicit OperatorBoard(boost::asio::io_context& main_loop) : main_loop_(main_loop) {}

  struct LastReload {
    Instant at{};
    bool applied = false;
    std::string why_not;  ///< The first mistake of the reload, with its place; empty if the reload was applied.
    std::vector<std::string> waiting_for_restart;
  };
  struct State {
    std::shared_ptr<const services::ActiveConfig> active;  ///< The active configuration; null before the first one.
    Instant since{};                                       ///< Time at which this configuration became active.
    std::optional<LastReload> reload;  ///< Result of the last reload; not set if there was none since startup.
    std::size_t workers = 0;
    const session::Totals* totals = nullptr;
    bool draining = false;
  };
  State now() const;
  Instant started() const noexcept { return started_; }

  void use(std::shared_ptr<const services::ActiveConfig> active);
  /// Sets the active configuration after a change that is not a reload, such as an operator's change of a server.
  void use_same(std::shared_ptr<const services::ActiveConfig> active);
  void reloaded(const ReloadResult& result);
  void use_workers(std::size_t workers, const session::Totals& totals);
  void begin_drain();

  /// Runs `what` on the main thread, soon. Returns false if that thread takes no more calls.
  bool on_main_thread(std::function<void()> what);
  void close();  ///< Called when the main loop is about to end.

 private:
  boost::asio::io_context& main_loop_;
  const Instant started_ = headgate::now();
  mutable std::mutex mutex_;
  State state_;
  bool closed_ = false;
};

}  // namespace headgate::admin
