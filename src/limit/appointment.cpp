#include "headgate/limit/appointment.hpp"

#include "refill.hpp"

#include "headgate/limit/algorithm.hpp"

#include <algorithm>
#include <array>
#include <charconv>

namespace headgate::limit {
namespace {

constexpr std::string_view kVersion = "a1.";
// a margin, because Retry-After is rounded to whole seconds and clocks differ slightly
constexpr Duration kMargin = std::chrono::seconds(1);

std::int64_t number_of(Instant instant) noexcept { return instant.time_since_epoch().count(); }

/// Parses digits up to a dot or the end, and moves `text` past them.
template <class Number>
bool read(std::string_view& text, Number& out) {
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), out);
  if (error != std::errc() || text.front() == '-') return false;
  text.remove_prefix(static_cast<std::size_t>(stop - text.data()));
  if (text.empty()) return true;
  if (text.front() != '.') return false;
  text.remove_prefix(1);
  return !text.empty();
}

}  // namespace

std::string to_text(const Appointment& appointment) {
  std::string out(kVersion);
  out += std::to_string(number_of(appointment.from)) + '.' + std::to_string(number_of(appointment.until)) + '.' +
         std::to_string(appointment.lasts.count()) + '.' + std::to_string(appointment.cost) + '.' +
         std::to_string(appointment.id);
  return out;
}

std::optional<Appointment> parse_appointment(std::string_view text) {
  if (!text.starts_with(kVersion)) return std::nullopt;
  auto rest = text.substr(kVersion.size());
  std::array<std::int64_t, 4> numbers{};
  for (auto& number : numbers)
    if (rest.empty() || !read(rest, number)) return std::nullopt;
  Appointment out{.from = Instant(Duration(numbers[0])),
                  .until = Instant(Duration(numbers[1])),
                  .lasts = Duration(numbers[2]),
                  .cost = numbers[3]};
  if (rest.empty() || !read(rest, out.id) || !rest.empty() || to_text(out) != text) return std::nullopt;
  return out;
}

Punctuality arrival(const Appointment& appointment, Instant now) noexcept {
  if (now < appointment.from) return Punctuality::early;
  return now < appointment.until ? Punctuality::in_time : Punctuality::late;
}

bool can_appoint(const Rule& rule) noexcept { return rule.algorithm->even && rule.wait.count() == 0; }

Instant due(std::span<const Check> booked, std::span<const Decision> decisions, Instant now) noexcept {
  Duration longest{0};
  // A counter in debt is full again after the debt and an empty bucket have refilled.
  for (std::size_t i = 0; i < booked.size(); ++i)
    longest = std::max(longest, decisions[i].reset_after - Duration(size_of(*booked[i].rule).whole));
  return now + longest;
}

std::optional<Appointment> appoint(const AppointmentTerms& terms, std::int64_t cost, Instant now, Instant due,
                                   std::uint64_t id) noexcept {
  if (due - now > terms.ahead) return std::nullopt;
  return Appointment{
      .from = due, .until = due + terms.width, .lasts = terms.ahead + terms.width + kMargin, .cost = cost, .id = id};
}

Rule use_of(const Appointment& appointment, const Rule& of) {
  Rule rule;
  rule.limit = of.limit;
  rule.rate = {1, appointment.lasts};
  rule.algorithm = find_algorithm(kDefaultAlgorithm);
  rule.suffix = of.suffix + ":appointment:" + std::to_string(appointment.id);
  rule.seed = of.seed;
  return rule;
}

Rule share_of_address(const AppointmentTerms& terms, std::span<const Rule> of, std::string_view address) {
  constexpr std::int64_t kMinShare = 10;
  constexpr std::int64_t kMaxShare = kMaxRequests;
  auto places = kMaxShare;
  for (const auto& each : of) {
    const auto in_ahead = static_cast<double>(each.rate.count) * static_cast<double>(terms.ahead.count()) /
                          static_cast<double>(std::max<std::int64_t>(each.rate.period.count(), 1));
    places = std::min(places, static_cast<std::int64_t>(std::min(in_ahead, static_cast<double>(kMaxShare))));
  }
  Rule rule;
  rule.limit = of.front().limit;
  rule.rate = {static_cast<std::uint64_t>(std::max(places / 10, kMinShare)), terms.ahead};
  rule.burst = rule.rate.count;
  rule.algorithm = find_algorithm("sliding_window");
  rule.suffix = of.front().suffix + ":appointments of " + std::string(address);
  rule.seed = of.front().seed;
  return rule;
}

}  // namespace headgate::limit
