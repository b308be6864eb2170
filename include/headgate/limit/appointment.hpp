#pragma once
// Appointments: a rejected request reserves the next permits of its limit, and is told when to come back. Pure
// arithmetic; who may keep one is signed by gateway/limits/appointments.

#include "headgate/limit/limit.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace headgate::limit {

/// One appointment, for one request. Its permits were taken when it was made.
struct Appointment {
  Instant from;           ///< when its permits have come back
  Instant until;          ///< kept before this, else lost
  Duration lasts{0};      ///< how long its use is remembered: longer than from the offer to `until`
  std::int64_t cost = 1;  ///< the permits that it reserved
  std::uint64_t id = 0;   ///< random
  bool operator==(const Appointment&) const = default;
};

/// "a1.<from>.<until>.<lasts>.<cost>.<id>", with times in microseconds; letters, digits and dots.
std::string to_text(const Appointment& appointment);
/// Reads the result of to_text(); nothing for another text. It says nothing about who wrote it.
std::optional<Appointment> parse_appointment(std::string_view text);

enum class Punctuality : std::uint8_t { early, in_time, late };
Punctuality arrival(const Appointment& appointment, Instant now) noexcept;

/// Returns whether a limit of this rule can hand out appointments: a debt of it says when each permit has come back.
bool can_appoint(const Rule& rule) noexcept;

/// When the permits of a debt have come back. `booked` are the checks of one limit (How::debt), decided at `now`.
Instant due(std::span<const Check> booked, std::span<const Decision> decisions, Instant now) noexcept;

/// The appointment for a debt that is due at `due`. Nothing if that is too far ahead; then the debt must be given back.
/// `id` is random.
std::optional<Appointment> appoint(const AppointmentTerms& terms, std::int64_t cost, Instant now, Instant due,
                                   std::uint64_t id) noexcept;

/// A rule with one permit, which the first use of the appointment takes. `of` is a rule of its limit: the counter
/// stands beside the one of that rule, in the same slot of a cluster.
Rule use_of(const Appointment& appointment, const Rule& of);

/// A rule for what one address may book of a counter that strangers share: a tenth of the permits that come back within
/// `terms.ahead`, at least 10, in any time of this length. `of` are the rules of the limit; the counter stands beside
/// theirs.
Rule share_of_address(const AppointmentTerms& terms, std::span<const Rule> of, std::string_view address);

}  // namespace headgate::limit
