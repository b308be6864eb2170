#include "headgate/room/line.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace headgate::room {
namespace {

// Tolerance for clocks, in microseconds. A step whose time is at most this much older than the latest step counts as
// simultaneous. If it is older, the clock was set back, and the room follows the clock.
constexpr std::int64_t kSetBack = 10'000'000;
constexpr std::int64_t kSliceNumbers = 65535;

std::int64_t up(std::int64_t amount, std::int64_t parts) noexcept { return (amount + parts - 1) / parts; }

class Step {
 public:
  Step(LineState& state, const RoomRule& rule, const Question& question, std::int64_t now)
      : s_(state), rule_(rule), q_(question), slices_(slices_of(rule)), now_(now) {}

  Answer run() {
    begin();
    heal();
    mark();
    if (slices_.most > 0) end_stays();
    refill();
    Answer answer{.number = q_.number};
    const auto oldest = s_.marks.back();
    if (q_.ask == Ask::present) {
      call();
      answer.lost = q_.number <= oldest;
    }
    const bool newcomer = q_.ask == Ask::arrive || q_.ask == Ask::observe || answer.lost;
    if (newcomer)
      answer.number = new_number();
    else if (q_.ask != Ask::look)
      remember(q_.number);
    if (newcomer || q_.ask == Ask::look) call();
    if (q_.ask != Ask::look)
      answer.place =
          q_.ask == Ask::remain || answer.number <= s_.serving ? VisitorState::inside : VisitorState::waiting;
    if (q_.ask == Ask::observe) s_.serving = s_.next;
    const bool seen = answer.place == VisitorState::inside || q_.ask == Ask::observe;
    if (slices_.most > 0 && seen) take(answer.number, slices_.seen);
    answer.next = s_.next;
    answer.serving = s_.serving;
    if (slices_.most > 0) answer.taken = taken();
    return answer;
  }

 private:
  void begin() {
    if (s_.at == 0) {
      s_.at = now_;
      s_.credit = rule_.burst;
      s_.mark = now_ / slices_.grace;
    }
    if (now_ < s_.at) {
      if (s_.at - now_ > kSetBack)
        s_.at = now_;
      else
        now_ = s_.at;
    }
  }

  /// Raises the stored numbers to those of the question. After a take-over they may be lower than the numbers in
  /// tickets and in other gateways.
  void heal() {
    const auto before = s_.serving;
    s_.next = std::max({s_.next, q_.next, q_.number});
    s_.serving = std::max(s_.serving, q_.serving);
    if (q_.ask == Ask::remain) s_.serving = std::max(s_.serving, q_.number);
    called_elsewhere_ = s_.serving - before;
    s_.next = std::max(s_.next, s_.serving);
  }

  /// Moves the marks by at most one slice, even if nobody has asked for longer than that, so that visitors who could
  /// not ask keep their places.
  void mark() {
    const auto slice = now_ / slices_.grace;
    if (slice > s_.mark) {
      std::rotate(s_.marks.begin(), s_.marks.end() - 1, s_.marks.end());
      s_.marks[0] = s_.serving;
    }
    s_.mark = slice;
  }

  void end_stays() {
    const auto slice = now_ / slices_.stay;
    if (s_.width != slices_.stay || slice + 1 < s_.slice) {
      // The length of a slice has changed. The number of visitors inside is kept, but not their places.
      const auto inside = s_.width > 0 ? taken() : 0;
      s_.ends.fill(0);
      s_.places.assign(kPlaces, 0);
      s_.width = slices_.stay;
      s_.slice = slice;
      s_.ends[index(slice + slices_.seen)] = inside;
    }
    const auto gone = std::min<std::int64_t>(slice - s_.slice, kEnds);
    for (std::int64_t i = 0; i < gone; ++i) s_.ends[index(s_.slice + i)] = 0;
    s_.slice = std::max(s_.slice, slice);
  }

  void refill() {
    if (rule_.count > 0) {
      const auto count = static_cast<std::int64_t>(rule_.count);
      const auto period = rule_.period.count();
      const auto passed = now_ - s_.at;
      const auto parts = passed % period * count + s_.part;
      s_.credit += passed / period * count + parts / period;
      s_.part = parts % period;
      if (s_.credit >= rule_.burst) {
        s_.credit = rule_.burst;
        s_.part = 0;
      }
      // Numbers that were called elsewhere since the last question use up credit of this room as well.
      s_.credit = std::max<std::int64_t>(s_.credit - called_elsewhere_, 0);
    }
    s_.at = now_;
  }

  void call() {
    auto most = s_.next - s_.serving;
    if (rule_.count > 0) most = std::min(most, s_.credit);
    if (slices_.most > 0)
      most = std::min({most, std::max<std::int64_t>(slices_.most - taken(), 0) * q_.stride, kMaxCalls});
    if (slices_.most > 0)
      for (auto number = s_.serving + 1; number <= s_.serving + most; ++number)
        if ((s_.next - number) % q_.stride == 0) take(number, slices_.called);
    s_.serving += most;
    if (rule_.count > 0) s_.credit -= most;
  }

  bool is_bounded() const { return rule_.at_most > 0 && !q_.owner.empty(); }

  /// Returns whether the number waits, may still enter, or has a place.
  bool is_held(std::int64_t number) const {
    if (number > s_.marks.back()) return true;
    if (slices_.most == 0) return false;
    const auto place = s_.places[static_cast<std::size_t>(place_of(number))];
    return place > 0 && slices_left(place) < static_cast<std::int64_t>(kEnds);
  }

  /// Returns the numbers that the owner still holds.
  std::vector<std::int64_t>& held() {
    auto& numbers = s_.owners.of(q_.owner);
    std::erase_if(numbers, [this](std::int64_t number) { return !is_held(number); });
    return numbers;
  }

  /// Takes the next number. If the owner has as many numbers as allowed, returns its newest one instead.
  std::int64_t new_number() {
    if (!is_bounded()) return s_.next += q_.stride;
    auto& numbers = held();
    if (numbers.size() >= rule_.at_most) return numbers.back();
    numbers.push_back(s_.next += q_.stride);
    return numbers.back();
  }

  /// After a take-over, a number may arrive that is not recorded for its owner.
  void remember(std::int64_t number) {
    if (!is_bounded()) return;
    auto& numbers = held();
    const auto at = std::lower_bound(numbers.begin(), numbers.end(), number);
    const bool known = at != numbers.end() && *at == number;
    if (!known && numbers.size() < rule_.at_most) numbers.insert(at, number);
  }

  std::int64_t slices_left(std::uint16_t place) const {
    return (place - 1 - s_.slice % kSliceNumbers + kSliceNumbers) % kSliceNumbers;
  }

  /// Extends the place of the number to at least `slices` more slices.
  void take(std::int64_t number, std::int64_t slices) {
    auto& place = s_.places[static_cast<std::size_t>(place_of(number))];
    const auto end = s_.slice + slices;
    if (place > 0) {
      const auto left = slices_left(place);
      if (left < static_cast<std::int64_t>(kEnds)) {
        if (left >= slices) return;
        auto& before = s_.ends[index(s_.slice + left)];
        before = std::max<std::int64_t>(before - 1, 0);
      }
    }
    ++s_.ends[index(end)];
    place = static_cast<std::uint16_t>(end % kSliceNumbers + 1);
  }

  std::int64_t taken() const { return std::accumulate(s_.ends.begin(), s_.ends.end(), std::int64_t{0}); }
  static std::size_t index(std::int64_t slice) { return static_cast<std::size_t>(slice) % kEnds; }

  LineState& s_;
  const RoomRule& rule_;
  const Question& q_;
  Slices slices_;
  std::int64_t now_;
  std::int64_t called_elsewhere_ = 0;
};

}  // namespace

Slices slices_of(const RoomRule& rule) noexcept {
  Slices out;
  // The oldest mark is 7 to 8 slices old.
  out.grace = std::max<std::int64_t>(up(rule.grace.count(), static_cast<std::int64_t>(kMarks) - 1), 1);
  if (rule.visitors == 0) return out;
  const auto longest = std::max(rule.grace, rule.stay).count();
  out.stay = std::max<std::int64_t>(up(longest, static_cast<std::int64_t>(kEnds) - 4), 1);
  out.called = up(rule.grace.count(), out.stay);
  out.seen = up(rule.stay.count(), out.stay);
  const auto places = static_cast<double>(kPlaces);
  const auto visitors = static_cast<double>(rule.visitors);
  out.most = std::max<std::int64_t>(std::llround(places * -std::expm1(-visitors / places)), 1);
  return out;
}

std::uint64_t inside_of(std::int64_t taken) noexcept {
  const auto places = static_cast<double>(kPlaces);
  const auto share = static_cast<double>(std::clamp<std::int64_t>(taken, 0, kPlaces - 1)) / places;
  return static_cast<std::uint64_t>(std::llround(-places * std::log1p(-share)));
}

std::int64_t place_of(std::int64_t number) noexcept {
  constexpr std::int64_t kPrime = 67'108'859;  // The largest prime below 2^26, so that a square is exact in Lua.
  const auto mixed = (number * 7919 + 123'457) % kPrime;
  return mixed * mixed % kPrime / 4096;
}

Answer step(LineState& state, const RoomRule& rule, const Question& question, Instant now) {
  return Step(state, rule, question, now.time_since_epoch().count()).run();
}

}  // namespace headgate::room
