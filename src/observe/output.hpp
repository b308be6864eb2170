#pragma once
// One place where lines go, with the thread that takes them there: the only one that ever waits for a disk or a pipe.

#include "lane.hpp"

#include "headgate/core/result.hpp"
#include "headgate/core/time.hpp"

#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace headgate::observe {

/// Takes out what is in its lanes ten times a second, and whenever it is nudged, and writes it in pieces that end with
/// a line: as large as a lane's block to a file, and so small to anything else that no other writer can come between.
/// What cannot be written stays in its lane, and is tried again. Any thread.
class Output : public std::enable_shared_from_this<Output> {
 public:
  /// "stdout", "stderr", or a file's path: appended to, made where it is missing. An error text where it cannot be
  /// opened.
  static Result<std::shared_ptr<Output>, std::string> open(const std::string& target);
  ~Output();
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;

  /// From here on lines leave. Once.
  void start();
  /// One more thread's way in; lives as long as this.
  Lane& lane();
  /// Lines are to leave now. Never waits.
  void nudge() noexcept;
  /// A file is closed, once what is queued has been written to it, and opened by its name again.
  void reopen() noexcept;
  /// Writes out what is queued and ends the thread; leaves both alone where that takes longer than `within`.
  void close(Duration within);

 private:
  explicit Output(std::string target) : target_(std::move(target)) {}

  Result<int, std::string> descriptor() const;
  bool is_file() const noexcept { return target_ != "stdout" && target_ != "stderr"; }
  void take(int descriptor);
  void run();
  bool drain();
  bool drain(Lane& lane);
  long write_some(std::string_view text) const noexcept;
  void trouble(int error);
  void open_again();
  void wait(bool for_room) noexcept;

  const std::string target_;
  int descriptor_ = -1;
  std::size_t piece_ = 0;  // most bytes in one write
  int wake_ = -1;
  std::atomic<bool> wants_reopen_{false};
  std::atomic<bool> ends_{false};

  std::mutex mutex_;  // of what follows
  std::vector<std::unique_ptr<Lane>> lanes_;
  std::condition_variable ended_;
  bool has_ended_ = false;

  // The thread's own.
  std::size_t turn_ = 0;  // which lane is written next: one whose line is not whole yet goes on
  bool failing_ = false;
  bool full_ = false;  // a pipe took no more
  std::thread thread_;
};

}  // namespace headgate::observe
