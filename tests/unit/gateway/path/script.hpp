#pragma once
// Shared by the scripted peers of the path: a trace, bodies on the virtual clock, and a bug at any place.

#include "support/virtual_clock.hpp"

#include "headgate/http/exchange_io.hpp"

#include <boost/asio/error.hpp>

#include <algorithm>
#include <deque>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace headgate::gateway::test {

using headgate::test::VirtualClock;
using headgate::test::Wait;
namespace error = boost::asio::error;

constexpr Duration kNever = std::chrono::hours(24 * 365);

/// The trace of the path, in order; and where to throw.
struct Trace {
  std::vector<std::string> lines;
  std::string bug_in;  ///< the word in the trace at which it throws

  void note(const std::string& word, const std::string& more = {}) {
    lines.push_back(more.empty() ? word : word + " " + more);
    if (!bug_in.empty() && word == bug_in) throw std::runtime_error("a bug in " + word);
  }
  bool has(std::string_view line) const { return std::find(lines.begin(), lines.end(), line) != lines.end(); }
};

/// A part of a body, which arrives `after` the wait begins; or the error that ends it.
struct Piece {
  std::string bytes;
  Duration after{0};
  error_code broken;
};

/// A scripted body. Reads time out on the virtual clock.
class ScriptedBody final : public http::BodyReader {
 public:
  ScriptedBody(VirtualClock& clock, Trace& trace, std::string name)
      : clock_(clock), trace_(trace), name_(std::move(name)) {}

  void begin(std::deque<Piece> pieces, Duration timeout) {
    pieces_ = std::move(pieces);
    timeout_ = timeout;
  }
  void timeout(Duration timeout) { timeout_ = timeout; }
  std::uint64_t at_most() const noexcept { return at_most_; }

  bool take_at_most(std::uint64_t most) noexcept override {
    at_most_ = most;
    std::uint64_t all = 0;
    for (const auto& piece : pieces_) all += piece.bytes.size();
    return all <= most;
  }
  Result<std::string_view> ready() override {
    if (pieces_.empty() || pieces_.front().after > Duration(0) || pieces_.front().broken) return std::string_view{};
    return take();
  }
  Task<Result<std::string_view>> read() override {
    if (pieces_.empty()) co_return std::string_view{};
    trace_.note(name_);
    auto& next = pieces_.front();
    Wait wait(clock_, std::min(next.after, timeout_));
    waiting_ = &wait;
    const auto ended = co_await wait;
    waiting_ = nullptr;
    if (ended) co_return ended;
    if (next.after > timeout_) {
      next.after -= timeout_;
      co_return error_code(error::timed_out);
    }
    if (next.broken) co_return next.broken;
    co_return take();
  }
  bool ended() const noexcept override { return pieces_.empty(); }
  void cancel() noexcept override {
    if (waiting_) waiting_->end(error::operation_aborted);
  }
  const http::Fields& trailers() const noexcept override { return none_; }

 private:
  std::string_view take() {
    taken_ = std::move(pieces_.front().bytes);
    pieces_.pop_front();
    return taken_;
  }

  VirtualClock& clock_;
  Trace& trace_;
  std::string name_;
  std::deque<Piece> pieces_;
  std::string taken_;
  Duration timeout_{0};
  std::uint64_t at_most_ = 0;
  Wait* waiting_ = nullptr;
  http::Fields none_;
};

}  // namespace headgate::gateway::test
