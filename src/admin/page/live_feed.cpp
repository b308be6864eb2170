#include "headgate/admin/live_feed.hpp"

#include "admin/feed_endpoint.hpp"

#include "headgate/core/text.hpp"

#include <time.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <mutex>
#include <utility>

namespace headgate::admin {
namespace {

using Steady = std::chrono::steady_clock::time_point;

/// A state is given up if one of its parts has not been answered within this time.
constexpr auto kPatience = std::chrono::seconds(10);

/// The CPU time of this thread.
Duration spent_here() noexcept {
  timespec time{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return std::chrono::duration_cast<Duration>(std::chrono::seconds(time.tv_sec) +
                                              std::chrono::nanoseconds(time.tv_nsec));
}

/// Removes line breaks and indentation from JSON, because the data of an event is one line. Strings in JSON contain no
/// raw line breaks.
std::string in_one_line(std::string_view json) {
  std::string out;
  out.reserve(json.size());
  for (std::size_t at = 0; at < json.size();) {
    const auto end = std::min(json.find('\n', at), json.size());
    out += json.substr(at, end - at);
    at = std::min(json.find_first_not_of(" \n", end), json.size());
  }
  return out;
}

}  // namespace

Duration pause_after(Duration spent, std::size_t readers, std::size_t bytes) noexcept {
  // Copying a state to a reader and through its socket takes about a nanosecond per byte.
  const auto copies = std::chrono::duration_cast<Duration>(std::chrono::nanoseconds(readers * bytes));
  return std::clamp<Duration>((spent + copies) * LiveFeed::kShare, LiveFeed::kEvery, LiveFeed::kSeldom);
}

struct LiveFeed::State {
  std::vector<Part> parts;
  std::vector<AdminEndpoint> endpoints;
  std::function<std::vector<std::string>()> events;

  std::mutex mutex;
  std::vector<Reader*> readers;
  std::shared_ptr<const std::string> look;  ///< The last state, as it is sent; null before the first one.
  std::uint64_t number = 0;                 ///< Number of that state.
  Steady due{};                             ///< Time at which the next state is due.
  Steady began{};                           ///< Start of the state that is being made.
  bool making = false;
  bool closed = false;

  bool is_closed() {
    const std::lock_guard lock(mutex);
    return closed;
  }
  static void begin(const std::shared_ptr<State>& self);
  void publish(std::string text, Duration spent);
};

/// The answers that make up one state. The destructor joins them, on the thread that releases the last reference.
struct LiveFeed::Gathered {
  explicit Gathered(std::shared_ptr<State> whose) : state(std::move(whose)), answers(state->parts.size(), "null") {}
  Gathered(const Gathered&) = delete;
  Gathered& operator=(const Gathered&) = delete;
  ~Gathered() {
    if (state->is_closed()) return;  // the gateway is ending, so there are no events any more
    const auto before = spent_here();
    std::string text = "event: look\ndata: {\"at\":" + std::to_string(at.count());
    for (std::size_t i = 0; i < answers.size(); ++i) text += ",\"" + state->parts[i].name + "\":" + answers[i];
    text += ",\"events\":[" + joined(state->events(), ",") + "]}\n\n";
    state->publish(std::move(text), spent + spent_here() - before);
  }

  void answered(std::size_t part, const AdminAnswer& answer) {
    if (answer.status < 400) answers[part] = in_one_line(answer.body);
  }

  const std::shared_ptr<State> state;
  /// Time at which the calls were made. Most of them answer at once, so rates are computed between two such times.
  const std::chrono::milliseconds at = std::chrono::duration_cast<std::chrono::milliseconds>(now().time_since_epoch());
  /// Each element is written by one thread, before that thread releases this object.
  std::vector<std::string> answers;
  Duration spent{};
};

class LiveFeed::Reader final : public AdminStream {
 public:
  explicit Reader(std::shared_ptr<State> state) : state_(std::move(state)) { state_->readers.push_back(this); }
  ~Reader() override {
    const std::lock_guard lock(state_->mutex);
    std::erase(state_->readers, this);
  }
  std::string take() override {
    {
      const std::lock_guard lock(state_->mutex);
      const auto now = std::chrono::steady_clock::now();
      const bool lost = state_->making && now - state_->began > kPatience;
      if (!state_->closed && now >= state_->due && (!state_->making || lost)) {
        state_->making = true;
        state_->began = now;
        begins_ = true;
      }
    }
    if (std::exchange(begins_, false)) State::begin(state_);
    const std::lock_guard lock(state_->mutex);
    if (state_->number == seen_ || state_->making) return {};
    seen_ = state_->number;
    return *state_->look;
  }
  void on_more(std::function<void()> wake) override {
    const std::lock_guard lock(state_->mutex);
    wake_ = std::move(wake);
  }
  bool ended() const override {
    const std::lock_guard lock(state_->mutex);
    return state_->closed;
  }
  std::string_view heartbeat() const override { return ":\n\n"; }
  Duration pause() const override {
    const std::lock_guard lock(state_->mutex);
    const auto left = std::chrono::duration_cast<Duration>(state_->due - std::chrono::steady_clock::now());
    return std::clamp<Duration>(left + std::chrono::milliseconds(1), std::chrono::milliseconds(10), kEvery);
  }
  void wake() const {  // Needs the lock.
    if (wake_) wake_();
  }

 private:
  std::shared_ptr<State> state_;
  std::function<void()> wake_;
  std::uint64_t seen_ = 0;
  bool begins_ = false;
};

void LiveFeed::State::begin(const std::shared_ptr<State>& self) {
  const auto before = spent_here();
  const auto gathered = std::make_shared<Gathered>(self);
  for (std::size_t i = 0; i < self->parts.size(); ++i) {
    const auto& part = self->parts[i];
    const auto match = find_endpoint(self->endpoints, "GET", part.path);
    if (match.endpoint == nullptr) continue;
    // Every reader of the feed gets the same state, so the calls have only the rights of a reader.
    AdminCall call;
    call.query = part.query;
    call.role = AdminRole::reader;
    if (match.endpoint->answer)
      gathered->answered(i, match.endpoint->answer(call));
    else if (match.endpoint->answer_later)
      match.endpoint->answer_later(call, [gathered, i](const AdminAnswer& answer) { gathered->answered(i, answer); });
  }
  gathered->spent = spent_here() - before;
}

void LiveFeed::State::publish(std::string text, Duration spent) {
  const std::lock_guard lock(mutex);
  due = std::chrono::steady_clock::now() + pause_after(spent, readers.size(), text.size());
  look = std::make_shared<const std::string>(std::move(text));
  ++number;
  making = false;
  for (const auto* each : readers) each->wake();
}

LiveFeed::LiveFeed() : state_(std::make_shared<State>()) {}

LiveFeed::~LiveFeed() { close(); }

void LiveFeed::use(std::vector<Part> parts, std::vector<AdminEndpoint> endpoints,
                   std::function<std::vector<std::string>()> events) {
  state_->parts = std::move(parts);
  state_->endpoints = std::move(endpoints);
  state_->events = std::move(events);
}

std::unique_ptr<AdminStream> LiveFeed::open() {
  const std::lock_guard lock(state_->mutex);
  if (state_->closed || state_->readers.size() >= kReaders) return nullptr;
  return std::make_unique<Reader>(state_);
}

std::size_t LiveFeed::readers() const {
  const std::lock_guard lock(state_->mutex);
  return state_->readers.size();
}

void LiveFeed::close() {
  const std::lock_guard lock(state_->mutex);
  state_->closed = true;
  for (const auto* each : state_->readers) each->wake();
}

AdminEndpoint live_endpoint(LiveFeed& feed) {
  return feed_endpoint(feed, "/api/v1/live", "What the dashboard shows, again and again",
                       "At most " + std::to_string(LiveFeed::kReaders) + " dashboards can be open at a time.");
}

}  // namespace headgate::admin
