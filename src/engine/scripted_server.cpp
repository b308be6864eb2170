#include "headgate/engine/scripted_server.hpp"

#include "blank_body.hpp"

#include <boost/asio/error.hpp>

#include <algorithm>
#include <coroutine>
#include <utility>

namespace headgate::engine {
namespace {

namespace error = boost::asio::error;
using upstream::Failed;
using upstream::Failure;

/// A pause: co_await waits until its time is over, or until it is ended.
class Pause {
 public:
  Pause(Clock& clock, Duration time) : alarm_(clock.alarm(&Pause::over, this)), time_(time) {}
  Pause(const Pause&) = delete;
  Pause& operator=(const Pause&) = delete;

  void end() {
    alarm_.reset();
    if (task_) std::exchange(task_, nullptr).resume();
  }

  bool await_ready() const noexcept { return time_ <= Duration(0); }
  void await_suspend(std::coroutine_handle<> task) {
    task_ = task;
    alarm_->set(time_);
  }
  void await_resume() const noexcept {}

 private:
  static void over(void* self) { std::exchange(static_cast<Pause*>(self)->task_, nullptr).resume(); }

  std::unique_ptr<Alarm> alarm_;
  Duration time_;
  std::coroutine_handle<> task_;
};

class ScriptedAttempt final : public upstream::Attempt, public frame_pool::Pooled {
 public:
  ScriptedAttempt(Clock& clock, const std::string& server, const ScriptedAnswer& answer) noexcept
      : clock_(clock), server_(server), answer_(answer) {}

  std::string_view server() const noexcept override { return server_; }
  std::size_t at() const noexcept override { return 0; }
  Task<Result<void>> send(const upstream::RequestStart& start, std::string_view /*first*/, http::EndStream) override {
    head_only_ = start.method == "HEAD";
    due_ = clock_.steady() + answer_.after;
    co_return sent();
  }
  Task<Result<void>> write(std::string_view /*bytes*/, http::EndStream) override { co_return sent(); }
  Task<Result<void>> finish(const http::Fields&) override { co_return sent(); }
  Task<Result<void, Failure>> read_head(http::ReplyHead& head, Duration timeout) override {
    const auto left = std::chrono::duration_cast<Duration>(due_ - clock_.steady());
    if (left > Duration(0) && !cancelled_) {
      Pause pause(clock_, std::min(left, timeout));
      waiting_ = &pause;
      co_await pause;
      waiting_ = nullptr;
      if (!cancelled_ && left > timeout)
        co_return Failure{.what = Failed::reply_timeout, .cause = make_error_code(error::timed_out)};
    }
    if (cancelled_) co_return Failure{.what = Failed::closed, .cause = make_error_code(error::operation_aborted)};
    head.status = answer_.status;
    head.reason = {};
    head.fields.assign(answer_.fields.begin(), answer_.fields.end());
    const bool bare = head_only_ || answer_.status == 204 || answer_.status == 304;
    head.framing = {};
    if (!bare) head.framing = {http::Framing::Kind::length, answer_.bytes};
    body_.begin(head.framing.length, bare ? std::string_view{} : answer_.text);
    co_return Result<void, Failure>();
  }
  http::BodyReader& body() noexcept override { return body_; }
  http::BodyReader& tunnel(Duration /*timeout*/) override { return body_; }
  void cancel() noexcept override {
    cancelled_ = true;
    const upstream::AttemptPtr self(this);
    if (waiting_ != nullptr) waiting_->end();
  }

 private:
  Result<void> sent() const {
    if (cancelled_) return make_error_code(error::operation_aborted);
    return {};
  }

  Clock& clock_;
  const std::string& server_;
  const ScriptedAnswer& answer_;
  Clock::Steady due_;
  BlankBody body_;
  Pause* waiting_ = nullptr;
  bool head_only_ = false;
  bool cancelled_ = false;
};

/// Returns how many concurrent requests these servers may have together; 0 if unlimited.
std::uint32_t places_of(const upstream::ServerGroupOptions& options) noexcept {
  std::uint32_t all = 0;
  for (const auto& server : options.servers) {
    if (server.max_in_flight == 0) return 0;
    all += server.max_in_flight;
  }
  return all;
}

}  // namespace

const ScriptedAnswer& Scripts::of(const balance::Choice& choice) const {
  static const ScriptedAnswer usual;
  const auto at = answers_.find(choice.over);
  return at == answers_.end() ? usual : *at->second;
}

ScriptedUpstream::ScriptedUpstream(Clock& clock, const upstream::ServerGroupOptions& options, const Scripts& scripts)
    : clock_(clock), name_(options.name), scripts_(scripts) {
  if (const auto most = places_of(options)) places_.emplace(most);
  if (options.concurrency) concurrency_.emplace(*options.concurrency);
}

upstream::AttemptPtr ScriptedUpstream::take_idle(balance::Choice& choice) noexcept {
  // NOLINTNEXTLINE(bugprone-unhandled-exception-at-new): without memory a simulation ends
  return new ScriptedAttempt(clock_, name_, scripts_.of(choice));
}

Task<Result<upstream::AttemptPtr, Failure>> ScriptedUpstream::connect(balance::Choice& choice) {
  co_return take_idle(choice);
}

bool ScriptedUpstream::reserve(balance::Choice& choice) {
  if (!places_) return true;
  if (!places_->take()) return false;
  choice.place = balance::Place(*places_, 0, std::chrono::duration_cast<Duration>(clock_.steady().time_since_epoch()));
  return true;
}

upstream::PlaceUse ScriptedUpstream::place_use() const {
  return places_ ? upstream::PlaceUse{places_->taken(), places_->most()} : upstream::PlaceUse();
}

Duration ScriptedUpstream::time_for(std::size_t attempts) const {
  return places_ ? places_->usual() * static_cast<Duration::rep>(attempts) / places_->most() : Duration(0);
}

}  // namespace headgate::engine
