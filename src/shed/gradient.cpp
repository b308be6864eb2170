#include "headgate/shed/gradient.hpp"

#include <algorithm>
#include <cmath>

namespace headgate::shed {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

// Values of Netflix (concurrency-limits, Gradient2Limit).
constexpr double kTolerance = 1.5;
constexpr double kSmoothing = 0.2;
constexpr double kMinGradient = 0.5;
// Number of windows for the long average. The weight of a window halves in about 200 windows.
constexpr double kLongWindows = 600;
constexpr unsigned kWarmUp = 10;  // Number of windows whose plain mean starts the long average.
// Ratio of the long average to the short one above which the long average falls quickly.
constexpr double kRecovered = 2;
constexpr double kRecovery = 0.95;
constexpr std::uint32_t kStart = 20;

// Values of this project.
constexpr Duration kShortest = milliseconds(100);
constexpr Duration kLongest = seconds(1);
constexpr double kEnough = 20;  // Number of samples that a window needs.
// The growth of the limit is the largest of kMinQueue, kQueueRoot times the square root of the limit, and kQueueShare
// times the limit. Without the last one, a large limit would take minutes to grow.
constexpr double kQueueRoot = 0.5;
constexpr double kMinQueue = 1;
constexpr double kQueueShare = 0.05;
constexpr double kFirstGrowth = 2.25;  // The limit grows by a quarter in each window.
constexpr double kGrowth =
    1.25;  // The limit grows by a twentieth in each window, while more requests give more throughput.
constexpr double kInQueue = 0.87;  // Upper bound of that ratio if there is a queue, so that the limit shrinks.
constexpr double kCertain = 2;     // Number of standard errors within which a difference may be chance.
constexpr double kRelearn = 0.2;   // Share of the difference that is learned if answers are slow without a queue.
constexpr unsigned kKnown = 5;     // Windows without refusals after which the usual latency is known.
constexpr double kFull = 0.8;      // Share of the limit in use that makes a queue likely.
// Share of the limit in use that makes a queue likely while the usual latency is unknown.
constexpr double kFullAtFirst = 0.65;

}  // namespace

Gradient::Gradient(ConcurrencyRange bounds)
    : bounds_(bounds), limit_(std::clamp(kStart, bounds.least, std::max(bounds.least, bounds.most))) {}

Duration Gradient::usual_latency() const noexcept { return Duration(static_cast<Duration::rep>(long_)); }

void Gradient::answered(Duration latency, std::uint32_t in_flight, Steady now) {
  note(in_flight, now);
  const auto value = std::max<double>(1, static_cast<double>(latency.count()));
  window_.count += 1;
  const double difference = value - window_.mean;
  window_.mean += difference / window_.count;
  window_.squares += difference * (value - window_.mean);
  close_if_due(now);
}

void Gradient::dropped(std::uint32_t in_flight, Steady now) {
  note(in_flight, now);
  window_.drops += 1;
  close_if_due(now);
}

void Gradient::refused() noexcept { window_.refused = true; }

void Gradient::note(std::uint32_t in_flight, Steady now) {
  if (window_.began == Steady()) window_.began = now;
  window_.in_flight += in_flight;
  window_.most_in_flight = std::max(window_.most_in_flight, in_flight);
}

// A window is at least as long as an answer usually takes, because a change of the limit has no visible effect before
// that.
void Gradient::close_if_due(Steady now) {
  const auto age = std::chrono::duration_cast<Duration>(now - window_.began);
  const bool enough = window_.count + window_.drops >= kEnough;
  if (age < std::clamp(usual_latency(), kShortest, kLongest) || (!enough && age < kLongest)) return;
  close(now);
}

void Gradient::close(Steady now) {
  const auto done = window_;
  window_ = Window{.began = now};
  const double samples = done.count + done.drops;
  const double used = done.in_flight / samples;
  const double rate = done.count / std::chrono::duration<double>(now - done.began).count();
  const double error = done.count > 1 ? std::sqrt(done.squares / (done.count - 1) / done.count) : 0;
  const bool half_used = done.refused || done.most_in_flight * 2.0 >= limit_;
  // The number of requests in flight, and their latency, are an effect of the limit only if the limit holds requests
  // back.
  const bool held_back = done.refused || done.most_in_flight >= limit();
  if (held_back && done.count > 0)
    scaling_.add(used, rate);
  else if (!half_used)
    scaling_.clear();
  if (held_back ? congested_ && scaling_.scaling() == Scaling::more : windows_ >= kKnown) known_ = true;
  const bool full = used >= (known_ ? kFull : kFullAtFirst) * limit_ || done.mean > kTolerance * long_;
  const bool queue = held_back && full && scaling_.scaling() == Scaling::none;
  if (done.count > 0) learn(done.mean, kCertain * error, held_back);
  if (!half_used) return;

  double change = done.count > 0 ? gradient(done.mean - kCertain * error) : 1;
  change = std::clamp(std::min(change, 1 - done.drops / samples), kMinGradient, 1.0);
  if (change < 1 || queue) congested_ = true;
  double wanted = 0;
  if (queue)
    wanted = limit_ * std::clamp(long_ / std::max(done.mean, 1.0), kMinGradient, kInQueue);
  else if (held_back && change == 1 && (!congested_ || scaling_.scaling() == Scaling::more))
    wanted = limit_ * (congested_ ? kGrowth : kFirstGrowth);
  else
    wanted = limit_ * change + std::max({kMinQueue, std::sqrt(limit_) * kQueueRoot, limit_ * kQueueShare});
  limit_ += kSmoothing * (wanted - limit_);
  limit_ = std::clamp<double>(limit_, bounds_.least, bounds_.most);
}

// Learns the usual latency. While the limit holds requests back, a latency in a queue could be mistaken for the usual
// one. So only latencies that are certainly lower are learned, and higher ones only if there is no queue.
void Gradient::learn(double latency, double error, bool held_back) {
  if (windows_ < kWarmUp) {
    ++windows_;
    long_ += (latency - long_) / windows_;
    return;
  }
  if (latency > long_) {
    const bool slow = scaling_.scaling() == Scaling::more && gradient(latency) < 1;
    if (held_back && !slow) return;
    long_ += (latency - long_) * (slow ? kRelearn : 2 / (kLongWindows + 1));
    return;
  }
  if (held_back) long_ = std::min(long_, latency + error);
  long_ += (latency - long_) * 2 / (kLongWindows + 1);
  if (long_ / latency > kRecovered) long_ *= kRecovery;
}

double Gradient::gradient(double latency) const noexcept {
  return latency <= 0 ? 1 : std::clamp(kTolerance * long_ / latency, kMinGradient, 1.0);
}

}  // namespace headgate::shed
