#include "headgate/admin/event_feed.hpp"

#include "admin/feed_endpoint.hpp"
#include "admin/views/request_rows.hpp"

#include "headgate/core/whole_number.hpp"
#include "headgate/observe/logs.hpp"

#include <algorithm>
#include <deque>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace headgate::admin {

struct EventFeed::State {
  struct Queue {
    std::deque<std::string> waiting;  ///< As they are sent.
    std::uint64_t lost = 0;
    std::function<void()> wake;
  };
  std::mutex mutex;
  std::vector<Queue*> readers;  ///< The open streams.
  std::deque<std::string> last;
  std::uint64_t number = 0;
  bool closed = false;

  void publish(std::string_view name, std::string_view json) {
    const std::lock_guard lock(mutex);
    ++number;
    if (last.size() >= kKept) last.pop_front();
    last.emplace_back(json);
    if (readers.empty()) return;
    const auto text =
        "id: " + std::to_string(number) + "\nevent: " + std::string(name) + "\ndata: " + std::string(json) + "\n\n";
    for (auto* each : readers) {
      if (each->waiting.size() >= kQueue) {
        each->waiting.pop_front();
        ++each->lost;
      }
      each->waiting.push_back(text);
      if (each->wake) each->wake();
    }
  }
};

class EventFeed::Reader final : public AdminStream {
 public:
  explicit Reader(std::shared_ptr<State> state) : state_(std::move(state)) {
    // Sent at once, so that the reader knows that the connection works.
    queue_.waiting.emplace_back(": events of this gateway\n\n");
    state_->readers.push_back(&queue_);
  }
  ~Reader() override {
    const std::lock_guard lock(state_->mutex);
    std::erase(state_->readers, &queue_);
  }
  std::string take() override {
    const std::lock_guard lock(state_->mutex);
    std::string out;
    if (queue_.lost > 0)
      out =
          "event: lost\ndata: {\"event\":\"lost\",\"count\":" + std::to_string(std::exchange(queue_.lost, 0)) + "}\n\n";
    for (const auto& each : queue_.waiting) out += each;
    queue_.waiting.clear();
    return out;
  }
  void on_more(std::function<void()> wake) override {
    const std::lock_guard lock(state_->mutex);
    queue_.wake = std::move(wake);
  }
  bool ended() const override {
    const std::lock_guard lock(state_->mutex);
    return state_->closed;
  }
  std::string_view heartbeat() const override { return ":\n\n"; }
  Duration pause() const override { return kPause; }

 private:
  std::shared_ptr<State> state_;
  State::Queue queue_;
};

EventFeed::EventFeed() : state_(std::make_shared<State>()) {
  observe::tap_events([state = state_](std::string_view name, std::string_view json) { state->publish(name, json); });
}

EventFeed::~EventFeed() {
  observe::tap_events({});
  close();
}

std::unique_ptr<AdminStream> EventFeed::open() {
  const std::lock_guard lock(state_->mutex);
  if (state_->closed || state_->readers.size() >= kReaders) return nullptr;
  return std::make_unique<Reader>(state_);
}

std::size_t EventFeed::readers() const {
  const std::lock_guard lock(state_->mutex);
  return state_->readers.size();
}

std::vector<std::string> EventFeed::last() const {
  const std::lock_guard lock(state_->mutex);
  return {state_->last.begin(), state_->last.end()};
}

EventFeed::Behind EventFeed::behind(std::uint64_t after) const {
  const std::lock_guard lock(state_->mutex);
  const auto& kept = state_->last;
  Behind out{.number = state_->number, .missed = 0, .events = {}};
  const auto before = out.number - kept.size();  // Number of events that are no longer kept.
  const auto from = after > out.number ? before : std::max(after, before);
  out.missed = after < before ? before - after : 0;
  out.events.assign(kept.begin() + static_cast<std::ptrdiff_t>(from - before), kept.end());
  return out;
}

void EventFeed::close() {
  const std::lock_guard lock(state_->mutex);
  state_->closed = true;
  for (auto* each : state_->readers)
    if (each->wake) each->wake();
}

AdminEndpoint events_endpoint(EventFeed& feed) {
  return feed_endpoint(feed, "/api/v1/events", "Follow the events of this gateway",
                       "At most " + std::to_string(EventFeed::kReaders) +
                           " readers can follow the events, and none after a drain has begun.");
}

namespace {

AdminAnswer told_events(const EventFeed& feed, const AdminCall& call) {
  const auto after = whole_number<std::uint64_t>(call.asked("after").value_or("0"));
  if (!after) return {.status = 400, .body = "\"after\" is the number of an event."};
  const auto most = limit_asked(call, EventFeed::kKept, EventFeed::kKept);
  if (!most)
    return {.status = 400, .body = "\"limit\" is a number from 1 to " + std::to_string(EventFeed::kKept) + '.'};
  const auto found = feed.behind(*after);
  const auto left_out = found.events.size() - std::min(found.events.size(), *most);
  std::string body =
      "{\"number\":" + std::to_string(found.number) + ",\"missed\":" + std::to_string(found.missed) + ",\"events\":[";
  for (auto i = left_out; i < found.events.size(); ++i) body += (i == left_out ? "" : ",") + found.events[i];
  return {.body = body + "]}\n", .type = AdminAnswer::kJson};
}

}  // namespace

AdminEndpoint last_events_endpoint(const EventFeed& feed) {
  return {.method = "GET",
          .path = "/api/v1/events/last",
          .answer = [&feed](const AdminCall& call) { return told_events(feed, call); },
          .about = {.summary = "The last events of this gateway, the oldest first",
                    .answer = "LastEvents",
                    .query = {{"after", "only those behind the event of this number"},
                              {"limit", "how many of the last of them at most (100)"}}}};
}

}  // namespace headgate::admin
