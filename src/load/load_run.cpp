#include "headgate/load/load_run.hpp"

#include "lines.hpp"

#include "headgate/net/loop_clock.hpp"

#include <sys/resource.h>

#include <algorithm>
#include <utility>

namespace headgate::load {
namespace {

constexpr auto kSecond = std::chrono::seconds(1);
constexpr auto kPatienceAfterStop = std::chrono::seconds(2);
/// Maximum number of requests that are sent in a row before the loop reads answers.
constexpr unsigned kTogether = 256;

Duration cpu_time() noexcept {
  rusage used{};
  ::getrusage(RUSAGE_SELF, &used);
  const auto in = [](const timeval& time) {
    return std::chrono::seconds(time.tv_sec) + std::chrono::microseconds(time.tv_usec);
  };
  return in(used.ru_utime) + in(used.ru_stime);
}

}  // namespace

struct LoadRun::State final : Lines::Owner {
  State(boost::asio::io_context& loop, LoadOptions given, std::function<void(const LoadSecond&)> tell)
      : options(std::move(given)),
        each_second(std::move(tell)),
        clock(loop),
        crowd(options.timetable, options.patient),
        next_due(clock.alarm(&State::pump_of, this)),
        next_second(clock.alarm(&State::second_of, this)) {
    for (const auto& target : options.targets)
      targets.push_back(
          std::make_unique<Lines>(loop, options, target, options.connections / options.targets.size(), *this));
  }

  Duration since_start(Lines::Moment moment) const { return std::chrono::duration_cast<Duration>(moment - began); }

  void start() {
    began = clock.steady();
    cpu_before = cpu_time();
    next_second->set(kSecond);
    pump();
  }

  void pump() {
    if (ended_all) return;
    pumping = true;
    unsigned sent = 0;
    while (sent++ < kTogether) {
      const auto moment = clock.steady();
      const auto request = crowd.take(since_start(moment));
      if (!request) break;
      if (since_start(moment) - request->due > kLate) ++late_self;
      if (!targets[turn++ % targets.size()]->send(*request, moment)) ++not_sent;
    }
    pumping = false;
    arm();
  }

  /// Sets the alarm for the next due request, unless it is set for an earlier time.
  void arm() {
    if (ended_all) return;
    const auto next = crowd.next();
    if (!next) return finish_if_done();
    if (alarm_at && *alarm_at <= *next) return;
    alarm_at = *next;
    next_due->set(std::max(*next - since_start(clock.steady()), Duration(0)));
  }

  std::string_view ticket(std::uint32_t caller) const override { return crowd.ticket(caller); }

  bool wants(const DueRequest& request) override { return crowd.wants(request); }

  void ended(const DueRequest& request, SeenAnswer seen, Lines::Moment queued, Lines::Moment sent) override {
    if (sent - queued > kLate) ++late_connections;
    const auto now = since_start(clock.steady());
    if (seen.ending == Ending::answered) in_second.add(now - request.due);
    crowd.saw(request, std::move(seen), since_start(sent), now);
    if (!pumping) arm();  // the caller's next request may be due before all others
  }

  void second() {
    const auto now = clock.steady();
    const auto cpu = cpu_time();
    const auto passed = std::max(since_start(now) - second_began, Duration(1));
    busiest = std::max(busiest, std::chrono::duration<double>(cpu - cpu_before) / passed);
    cpu_before = cpu;
    second_began = since_start(now);
    tell_second();
    in_second.clear();
    ++seconds;
    const auto give_up = stopped_at ? *stopped_at + kPatienceAfterStop : options.timetable.length + options.timeout;
    if (since_start(now) >= give_up) return finish();
    arm();
    if (ended_all) return;
    next_second->set(
        std::max<Duration>(kSecond * static_cast<Duration::rep>(seconds + 1) - since_start(now), Duration(0)));
  }

  void tell_second() {
    const auto& figures = crowd.so_far();
    const auto sum = [&](std::uint64_t CallerFigures::*of) { return figures.callers.*of + figures.attackers.*of; };
    LoadSecond all{.number = seconds + 1,
                   .sent = sum(&CallerFigures::sent),
                   .allowed = sum(&CallerFigures::allowed),
                   .rejected = sum(&CallerFigures::rejected),
                   .in_line = sum(&CallerFigures::in_line),
                   .other = sum(&CallerFigures::other),
                   .no_answer = sum(&CallerFigures::no_answer),
                   .late = late_self + late_connections + not_sent};
    auto told = all;
    for (const auto of : {&LoadSecond::sent, &LoadSecond::allowed, &LoadSecond::rejected, &LoadSecond::in_line,
                          &LoadSecond::other, &LoadSecond::no_answer, &LoadSecond::late})
      told.*of -= before.*of;
    before = all;
    told.p50 = in_second.at(0.5);
    told.p99 = in_second.at(0.99);
    told.waiting = crowd.waiting();
    if (each_second) each_second(told);
  }

  void stop() {
    if (stopped_at) return finish();
    stopped_at = since_start(clock.steady());
    crowd.stop();
    for (const auto& each : targets) not_sent += each->forget_waiting();
    finish_if_done();
  }

  void finish_if_done() {
    const bool busy =
        std::any_of(targets.begin(), targets.end(), [](const auto& each) { return each->in_flight() > 0; });
    if (!busy) finish();
  }

  void finish() {
    if (std::exchange(ended_all, true)) return;
    took = since_start(clock.steady());
    next_due.reset();
    next_second.reset();
    for (const auto& each : targets) {
      not_sent += each->forget_waiting();
      each->close();
    }
  }

  static void pump_of(void* self) {
    auto& state = *static_cast<State*>(self);
    state.alarm_at.reset();
    state.pump();
  }
  static void second_of(void* self) { static_cast<State*>(self)->second(); }

  LoadOptions options;
  std::function<void(const LoadSecond&)> each_second;
  net::LoopClock clock;
  Crowd crowd;
  std::unique_ptr<Alarm> next_due;
  std::unique_ptr<Alarm> next_second;
  std::vector<std::unique_ptr<Lines>> targets;
  std::size_t turn = 0;
  Lines::Moment began;
  std::optional<Duration> alarm_at;  // time for which the alarm next_due is set; empty if it is not set
  std::optional<Duration> stopped_at;
  bool pumping = false;
  bool ended_all = false;
  Percentiles in_second;
  LoadSecond before;
  std::uint64_t seconds = 0;
  Duration second_began{0};
  Duration cpu_before{0};
  Duration took{0};
  double busiest = 0;
  std::uint64_t late_self = 0;
  std::uint64_t late_connections = 0;
  std::uint64_t not_sent = 0;
};

LoadRun::LoadRun(boost::asio::io_context& loop, LoadOptions options, std::function<void(const LoadSecond&)> each_second)
    : state_(std::make_unique<State>(loop, std::move(options), std::move(each_second))) {}

LoadRun::~LoadRun() = default;

void LoadRun::start() { state_->start(); }

void LoadRun::stop() { state_->stop(); }

bool LoadRun::ended() const noexcept {
  const auto& targets = state_->targets;
  return state_->ended_all &&
         std::all_of(targets.begin(), targets.end(), [](const auto& each) { return each->running() == 0; });
}

LoadReport LoadRun::report() const {
  LoadReport out;
  out.figures = state_->crowd.figures();
  out.took = state_->took;
  out.late_self = state_->late_self;
  out.late_connections = state_->late_connections;
  out.not_sent = state_->not_sent;
  for (const auto& each : state_->targets) out.connections += each->opened();
  out.busiest = state_->busiest;
  return out;
}

}  // namespace headgate::load
