#pragma once
// Replaces this process by a new one of the same program file, which takes over the listening sockets: an upgrade
// without a lost connection.
//
// The old process starts the new one and passes its sockets on, so both have the same queues of clients. The new one
// says when it serves; until then nothing has changed. Then the old one accepts no more, and finishes what it has. With
// SO_REUSEPORT alone a new process could bind beside the old one; but the clients that wait in the old one's queues
// would be reset when it closes them.

#include "passed_sockets.hpp"

#include "headgate/core/result.hpp"
#include "headgate/core/time.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/steady_timer.hpp>

#include <sys/types.h>

#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace headgate::server {

/// How this process was started, so that it can be started again.
struct CommandLine {
  /// Call it before the working directory changes.
  static CommandLine of_this_process();

  std::string program;  ///< as it was called: an absolute path, or a name to look for in PATH
  std::string file;     ///< the program file, for the case that `program` cannot be found
  std::vector<std::string> words;
};

/// The side of the new process. Main thread only.
class TakenOver {
 public:
  /// Takes the sockets from the old process, if one started this one; removes what it left in the environment.
  static TakenOver from_environment(PassedSockets& clients, PassedSockets& admin);
  TakenOver(TakenOver&& other) noexcept : control_(std::exchange(other.control_, -1)) {}
  TakenOver& operator=(TakenOver&&) = delete;
  ~TakenOver();

  bool begun() const noexcept { return control_ >= 0; }
  /// Tells the old process that this one serves.
  void serves() noexcept;

 private:
  explicit TakenOver(int control) noexcept : control_(control) {}
  int control_;
};

/// The side of the old process. Main thread only, which runs the loop.
class Handover {
 public:
  /// How long a new process may take until it serves. Fetching keys is part of it.
  static constexpr auto kPatience = std::chrono::minutes(2);

  /// `serves` is called once a new process serves: this one must accept no more.
  Handover(boost::asio::io_context& loop, CommandLine command, std::function<void(pid_t next)> serves);
  ~Handover() { stop(); }

  /// Starts a new process with these listening sockets, which stay ours as well. Logs what becomes of it. Does nothing
  /// but log if one is being started already.
  void begin(const std::vector<int>& clients, const std::vector<int>& admin);
  /// Ends a new process that does not serve yet.
  void stop();

 private:
  void listen();
  void heard(std::size_t bytes);
  void failed(const std::string& why);
  void reap(pid_t child, int looks);

  boost::asio::io_context& loop_;
  const CommandLine command_;
  const std::function<void(pid_t)> serves_;
  boost::asio::posix::stream_descriptor control_;
  boost::asio::steady_timer late_;
  boost::asio::steady_timer reaping_;
  char word_ = 0;
  pid_t child_ = 0;  // that does not serve yet
};

}  // namespace headgate::server
