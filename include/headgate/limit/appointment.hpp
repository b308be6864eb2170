#pragma once
// Appointments: a rejected request reserves the next permits of its limit and is told when to come back. Pure
// arithmetic; gateway/limits/appointments signs them. Used by gateway and config.

#include "headgate/limit/limit.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace headgate::limit {

/// An appointment for one request. Its permits were taken when it was made.
struct Appointment {
  Instant from;           ///< when its permits have come back, and it may be used
  Instant until;          ///< when it expires
  Duration lasts{0};      ///< how long its use is remembered; longer than from the offer to `until`
  std::int64_t cost = 1;  ///< number of reserved permits
  std::uint64_t id = 0;   ///< random
  bool operator==(const Appointment&) const = default;
};

/// Writes "a1.<from>.<until>.<lasts>.<cost>.<id>" with times in microseconds; letters, digits and dots only.
std::string to_text(const Appointment& appointment);
/// Parses the result of to_text(); empty for any other text. Does not check who wrote it.
std::optional<Appointment> parse_appointment(std::string_view text);

enum class Punctuality : std::uint8_t { early, in_time, late };
Punctuality arrival(const Appointment& appointment, Instant now) noexcept;

/// Returns whether a limit with this rule can offer appointments: its debt must tell when each permit has come back.
bool can_appoint(const Rule& rule) noexcept;

/// Returns when the permits of a debt have come back. `booked` are the checks of one limit (How::debt), decided at
/// `now`.
Instant due(std::span<const Check> booked, std::span<const Decision> decisions, Instant now) noexcept;

/// Returns the appointment for a debt that is due at `due`; empty if that is too far ahead, and then the debt must be
/// given back. `id` is random.
std::optional<Appointment> appoint(const AppointmentTerms& terms, std::int64_t cost, Instant now, Instant due,
                                   std::uint64_t id) noexcept;

/// Returns a rule with a single permit, which the first use of the appointment takes. `of` is a rule of its limit: the
/// counter is beside the counter of that rule, in the same slot of a cluster.
Rule use_of(const Appointment& appointment, const Rule& of);

/// Returns a rule for the number of permits that one address may reserve of a counter that strangers share: a tenth of
/// the permits that come back within `terms.ahead`, at least 10, in any period of this length. `of` are the rules of
/// the limit; the counter is beside theirs.
Rule share_of_address(const AppointmentTerms& terms, std::span<const Rule> of, std::string_view address);

}  // namespace headgate::limit
