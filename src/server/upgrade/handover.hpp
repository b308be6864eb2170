#pragma once
// Replaces this process by a new one of the same program file, which takes over the listening sockets: an upgrade
// without a lost connection.
//
// The old process starts the new one and passes its sockets on, so both have the same queues of clients. The new
// process reports to the old one when it serves; until then nothing has changed. Then the old process accepts no more
// connections, and finishes those that it has. With SO_REUSEPORT alone a new process could bind beside the old one; but
// clients that wait in the queues of the old process would be reset when it closes its sockets.
//
// Just before the new process serves, it asks for the state of the old one (handed_state.hpp), and gets it as a file.
// The hash secret of the old process is sent before everything else, because the new process computes hashes from its
// beginning.

#include "passed_sockets.hpp"

#include "headgate/config/diagnostic.hpp"
#include "headgate/core/result.hpp"
#include "headgate/core/time.hpp"
#include "headgate/services/service.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/steady_timer.hpp>

#include <sys/types.h>

#include <array>
#include <chrono>
#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

namespace headgate::server {

/// The longest message on the socket between the two processes, in bytes.
inline constexpr std::size_t kMaxWord = 8192;

/// The command line of this process, so that it can be started again.
struct CommandLine {
  /// Reads the command line. Call it before the working directory changes.
  static CommandLine of_this_process();

  std::string program;  ///< the program as it was called: an absolute path, or a name to look for in PATH
  std::string file;     ///< the program file, in case `program` cannot be found
  std::vector<std::string> words;
};

/// The new process's side of an upgrade. Main thread only.
class TakenOver {
 public:
  /// Takes the sockets from the old process, if one started this one, and removes its environment variables.
  static TakenOver from_environment(PassedSockets& clients, PassedSockets& admin);
  TakenOver(TakenOver&& other) noexcept
      : control_(std::exchange(other.control_, -1)), gives_state_(other.gives_state_) {}
  TakenOver& operator=(TakenOver&&) = delete;
  ~TakenOver();

  /// Returns whether the old process reads reports of mistakes in this process's start, to log them. Valid from the
  /// beginning of this process until it serves.
  static bool is_heard() noexcept;
  /// Sends the old process a mistake or a warning. Returns false if it does not read them.
  static bool say(const config::Diagnostic& mistake, const std::string& file) noexcept;

  bool begun() const noexcept { return control_ >= 0; }
  /// Uses the hash secret of the old process, if it sent one; see take_over_hashes(). Later calls return the first
  /// result.
  static bool adopt_secret() noexcept;
  /// Asks for the old process's state and waits for it, at most kStatePatience. Returns a descriptor that the caller
  /// closes; -1 if there is no state.
  static constexpr auto kStatePatience = std::chrono::seconds(15);
  int ask_state() noexcept;
  /// Tells the old process that this one serves.
  void serves() noexcept;

 private:
  TakenOver(int control, bool gives_state) noexcept : control_(control), gives_state_(gives_state) {}
  int control_;
  bool gives_state_ = false;
};

/// The old process's side of an upgrade. Main thread only; this thread runs the loop.
class Handover final : public services::Service {
 public:
  /// How long a new process may take until it serves, including its fetches of keys.
  static constexpr auto kPatience = std::chrono::minutes(2);

  /// `serves` is called when a new process serves; from then on, this process must not accept connections. `give_state`
  /// returns a function that makes the state file for a new process and returns its descriptor, or -1. That function
  /// runs on a thread of its own.
  using GiveState = std::function<std::function<int()>()>;
  Handover(boost::asio::io_context& loop, CommandLine command, std::function<void(pid_t next)> serves,
           GiveState give_state);
  ~Handover() override { stop(); }

  /// Starts a new process with these listening sockets, which this process keeps as well. Logs the outcome. If a new
  /// process is already being started, begin() only logs this.
  void begin(const std::vector<int>& clients, const std::vector<int>& admin);
  void drain() override { stop(); }
  /// Ends a new process that does not serve yet.
  void stop() override;

 private:
  void listen();
  void heard(std::string_view words);
  void tell_mistake(std::string_view words);
  void give_state();
  void send_state(pid_t child, int file);
  void failed(const std::string& why);
  void reap(pid_t child, int looks);

  boost::asio::io_context& loop_;
  const CommandLine command_;
  const std::function<void(pid_t)> serves_;
  const GiveState give_state_;
  std::thread writing_;  // writes the state
  boost::asio::posix::stream_descriptor control_;
  boost::asio::steady_timer late_;
  boost::asio::steady_timer reaping_;
  std::array<char, kMaxWord> words_{};
  std::string first_mistake_;  // the first mistake that the new process reported
  pid_t child_ = 0;            // a new process that does not serve yet; 0 if there is none
};

}  // namespace headgate::server
