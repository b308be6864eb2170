#pragma once
// A log target and its writing thread, which is the only thread that waits for a disk or a pipe.

#include "lane.hpp"
#include "output_datagrams.hpp"

#include "headgate/core/result.hpp"
#include "headgate/core/time.hpp"
#include "headgate/observe/recent_lines.hpp"

#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace headgate::observe {

/// Writes the lines of its lanes ten times a second and after each nudge(), in pieces that end with a line. For a file
/// a piece is as large as a block of a lane. For other targets it is so small that lines of other writers cannot get in
/// between. Lines that cannot be written stay in their lane for the next attempt. Any thread.
class Output : public std::enable_shared_from_this<Output> {
 public:
  /// Number of bytes of the marks that begin each line of an output with takes_marks(): the severity as in syslog, and
  /// the kind of the line.
  static constexpr std::size_t kMarks = 2;
  static constexpr char kRequest = 'r';
  static constexpr char kEvent = 'e';

  /// Opens `target`, which is "stdout", "stderr", a file's path, or one of Datagrams::of(). Lines are appended to a
  /// file, which is created if it is missing. The error text says why it cannot be opened.
  static Result<std::shared_ptr<Output>, std::string> open(const std::string& target);
  ~Output();
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;

  /// Return whether lines must begin with marks, and whether they must have the format `json`. The results never
  /// change.
  bool takes_marks() const noexcept { return datagrams_ != nullptr; }
  bool takes_fields() const noexcept { return datagrams_ && datagrams_->takes_fields(); }
  /// Returns whether the target is a terminal that shows colours.
  bool is_terminal() const noexcept { return terminal_; }
  /// Returns the number of lines that were too long to be sent. Any thread.
  std::uint64_t lost() const noexcept { return lost_.load(std::memory_order_relaxed); }
  /// Returns whether the last attempt to write failed. A full pipe is not a failure. Any thread.
  bool failing() const noexcept { return failing_.load(std::memory_order_relaxed); }

  /// Starts the writing thread. Later calls do nothing.
  void start();
  /// Copies all written lines to `recent` as well, without marks.
  void keep(std::shared_ptr<RecentLines> recent);
  /// Adds a lane for one more thread; the lane lives as long as this object.
  Lane& lane();
  /// Returns the bytes that wait in the fullest lane. Any thread.
  std::size_t fullest() const;
  /// Wakes the writing thread. Never waits.
  void nudge() noexcept;
  /// Closes the file after all queued lines are written, and opens it again by its name.
  void reopen() noexcept;
  /// Makes the thread write all queued lines and then end. Does not wait; close() must still be called to join the
  /// thread.
  void end() noexcept;
  /// Returns whether the thread has ended. If so, joins the thread.
  bool ended();
  /// Ends the thread after it has written all queued lines. Waits for that at most `within`, and then leaves the thread
  /// running.
  void close(Duration within);

 private:
  explicit Output(std::string target) : target_(std::move(target)), datagrams_(Datagrams::of(target_)) {}

  Result<int, std::string> descriptor() const;
  bool is_file() const noexcept { return target_ != "stdout" && target_ != "stderr" && !datagrams_; }
  void take(int descriptor);
  void run();
  bool drain();
  bool drain(Lane& lane);
  long write_some(std::string_view text);
  void keep_some(std::string_view written);
  void trouble(int error);
  void open_again();
  void wait(bool for_room) noexcept;

  const std::string target_;
  const std::unique_ptr<Datagrams> datagrams_;  ///< null if the target is a file or a stream
  bool terminal_ = false;
  std::atomic<std::uint64_t> lost_{0};
  std::atomic<bool> failing_{false};  ///< written only by the writing thread
  int descriptor_ = -1;
  std::size_t piece_ = 0;  // most bytes of one write
  int wake_ = -1;
  std::atomic<bool> wants_reopen_{false};
  std::atomic<bool> ends_{false};

  mutable std::mutex mutex_;  // guards the next members
  std::vector<std::unique_ptr<Lane>> lanes_;
  std::shared_ptr<RecentLines> recent_;  // null if lines are not kept
  std::condition_variable ended_;
  bool has_ended_ = false;

  // The writing thread alone uses the members below.
  std::size_t turn_ = 0;  // the lane to write next; the same lane again after a part of a line
  bool full_ = false;     // whether the pipe had no room at the last write
  std::thread thread_;
};

}  // namespace headgate::observe
