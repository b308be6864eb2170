#include "headgate/shed/gradient.hpp"

#include <algorithm>
#include <cmath>

namespace headgate::shed {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

// As Netflix has them (concurrency-limits, Gradient2Limit).
constexpr double kTolerance = 1.5;
constexpr double kQueue = 4;
constexpr double kSmoothing = 0.2;
constexpr double kMinGradient = 0.5;
constexpr double kLongWindows = 600;  // the long average forgets half in about 200 windows
constexpr unsigned kWarmUp = 10;      // windows whose plain mean begins the long average
constexpr double kRecovered = 2;      // long / short beyond which the long average falls quickly
constexpr double kRecovery = 0.95;
constexpr std::uint32_t kStart = 20;

// Our own.
constexpr Duration kShortest = milliseconds(100);
constexpr Duration kLongest = seconds(1);
constexpr double kEnough = 10;         // samples of a window
constexpr double kQueueShare = 0.05;   // of the limit, where that is more than kQueue: else a large one takes minutes
constexpr double kFirstGrowth = 2.25;  // a quarter in each window
constexpr double kGrowth = 1.25;       // a twentieth in each window, while more gives more
constexpr double kInQueue = 0.87;      // the most that a queue leaves of the limit, and nothing is added
constexpr double kCertain = 2;         // standard errors
constexpr double kRelearn = 0.2;       // of the difference, for answers that are slow without a queue

}  // namespace

Gradient::Gradient(Bounds bounds)
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

// A window is at least as long as an answer usually takes: before that, a change of the limit shows no effect.
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
  const bool half_used = done.refused || done.most_in_flight * 2.0 >= limit_;
  // Only where the limit holds requests back does it decide how many are in flight, and so what follows from them.
  const bool held_back = done.refused || done.most_in_flight >= limit();
  if (held_back && done.count > 0)
    scaling_.add(used, used / done.mean);
  else if (!half_used)
    scaling_.clear();
  const bool queue = held_back && scaling_.scaling() == Scaling::none;
  if (done.count > 0) learn(done.mean, queue);
  if (!half_used) return;

  double change = 1;
  if (done.count > 0) {
    const double error = done.count > 1 ? std::sqrt(done.squares / (done.count - 1) / done.count) : 0;
    change = gradient(done.mean - kCertain * error);
  }
  change = std::clamp(std::min(change, 1 - done.drops / samples), kMinGradient, 1.0);
  if (change < 1 || queue) congested_ = true;
  double wanted = 0;
  if (queue)
    wanted = limit_ * std::clamp(long_ / std::max(done.mean, 1.0), kMinGradient, kInQueue);
  else if (held_back && change == 1 && (!congested_ || scaling_.scaling() == Scaling::more))
    wanted = limit_ * (congested_ ? kGrowth : kFirstGrowth);
  else
    wanted = limit_ * change + std::max(kQueue, limit_ * kQueueShare);
  limit_ += kSmoothing * (wanted - limit_);
  limit_ = std::clamp<double>(limit_, bounds_.least, bounds_.most);
}

void Gradient::learn(double latency, bool queue) {
  if (windows_ < kWarmUp) {
    ++windows_;
    long_ += (latency - long_) / windows_;
    return;
  }
  if (latency > long_) {
    if (queue) return;
    const bool slow = scaling_.scaling() == Scaling::more && gradient(latency) < 1;
    long_ += (latency - long_) * (slow ? kRelearn : 2 / (kLongWindows + 1));
    return;
  }
  long_ += (latency - long_) * 2 / (kLongWindows + 1);
  if (long_ / latency > kRecovered) long_ *= kRecovery;
}

double Gradient::gradient(double latency) const noexcept {
  return latency <= 0 ? 1 : std::clamp(kTolerance * long_ / latency, kMinGradient, 1.0);
}

}  // namespace headgate::shed
