#pragma once
// One log target and its writing thread, the only thread that waits for a disk or a pipe.

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

/// Writes the lines of its lanes ten times a second and after each nudge(). It writes pieces that end with a line. To a
/// file a piece is as large as a lane's block. To other targets it is so small that lines of other writers cannot get
/// in between. Lines that cannot be written stay in their lane for the next attempt. Any thread.
class Output : public std::enable_shared_from_this<Output> {
 public:
  /// The marks at the beginning of each line for an output that takes_marks(): how severe it is, as syslog counts, and
  /// its kind.
  static constexpr std::size_t kMarks = 2;
  static constexpr char kRequest = 'r';
  static constexpr char kEvent = 'e';

  /// `target` is "stdout", "stderr", a file's path, or one of Datagrams::of(). A file is appended to, and created if it
  /// is missing. The error text says why it cannot be opened.
  static Result<std::shared_ptr<Output>, std::string> open(const std::string& target);
  ~Output();
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;

  /// Whether lines begin with marks, and whether they must be of the format `json`. They do not change.
  bool takes_marks() const noexcept { return datagrams_ != nullptr; }
  bool takes_fields() const noexcept { return datagrams_ && datagrams_->takes_fields(); }
  /// Whether people read it on a terminal that shows colours.
  bool is_terminal() const noexcept { return terminal_; }
  /// Lines that were too long to be sent. Any thread.
  std::uint64_t lost() const noexcept { return lost_.load(std::memory_order_relaxed); }
  /// Whether the last attempt to write failed; not while a pipe has no room. Any thread.
  bool failing() const noexcept { return failing_.load(std::memory_order_relaxed); }

  /// Starts the writing thread, the first time that it is called.
  void start();
  /// What is written goes to `recent` too, without marks.
  void keep(std::shared_ptr<RecentLines> recent);
  /// Makes a lane for one more thread; it lives as long as this object.
  Lane& lane();
  /// Bytes that wait in the lane with the most of them. Any thread.
  std::size_t fullest() const;
  /// Asks for writing now. Never waits.
  void nudge() noexcept;
  /// Closes the file after all queued lines are written to it, and opens it again by its name.
  void reopen() noexcept;
  /// From now on writes all queued lines, and then ends the thread. Does not wait; close() still joins the thread.
  void end() noexcept;
  /// Whether the thread has ended, or its end only has to be awaited; joins it then.
  bool ended();
  /// Writes all queued lines and ends the thread. If that takes longer than `within`, leaves both alone.
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
  const std::unique_ptr<Datagrams> datagrams_;  ///< null: what is written is a file or a stream
  bool terminal_ = false;
  std::atomic<std::uint64_t> lost_{0};
  std::atomic<bool> failing_{false};  ///< only the thread writes it
  int descriptor_ = -1;
  std::size_t piece_ = 0;  // maximum bytes of one write
  int wake_ = -1;
  std::atomic<bool> wants_reopen_{false};
  std::atomic<bool> ends_{false};

  mutable std::mutex mutex_;  // guards the next members
  std::vector<std::unique_ptr<Lane>> lanes_;
  std::shared_ptr<RecentLines> recent_;  // null: nobody keeps them
  std::condition_variable ended_;
  bool has_ended_ = false;

  // Used only by the thread.
  std::size_t turn_ = 0;  // the next lane to write; after a part of a line it stays the same lane
  bool full_ = false;     // a pipe had no room
  std::thread thread_;
};

}  // namespace headgate::observe
