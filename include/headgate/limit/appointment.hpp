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
  Instant from;   ///< moment at which its permits have come back and the appointment can be used
  Instant until;  ///< moment at which the appointment expires
  /// time for which the use of the appointment is remembered; longer than the time from the offer to `until`
  Duration lasts{0};
  std::int64_t cost = 1;  ///< number of reserved permits
  std::uint64_t id = 0;   ///< random id of the appointment
  bool operator==(const Appointment&) const = default;
};

/// Writes "a1.<from>.<until>.<lasts>.<cost>.<id>" with times in microseconds; letters, digits and dots only.
std::string to_text(const Appointment& appointment);
/// Parses the result of to_text(); empty for any other text. Does not check who wrote it.
std::optional<Appointment> parse_appointment(std::string_view text);

enum class Punctuality : std::uint8_t { early, in_time, late };
Punctuality arrival(const Appointment& appointment, Instant now) noexcept;

/// Returns whether a limit with this rule can offer appointments. Two conditions must hold: the time at which each
/// permit of a debt comes back is known, and requests do not wait for permits.
bool can_appoint(const Rule& rule) noexcept;

/// Returns the moment at which the permits of a debt have come back. `booked` are the checks of one limit (How::debt),
/// which were decided at `now`.
Instant due(std::span<const Check> booked, std::span<const Decision> decisions, Instant now) noexcept;

/// Returns the appointment for a debt that is due at `due`; empty if `due` is too far ahead, in which case the caller
/// must give back the debt. `id` is random.
std::optional<Appointment> appoint(const AppointmentTerms& terms, std::int64_t cost, Instant now, Instant due,
                                   std::uint64_t id) noexcept;

/// Returns a rule with a single permit, which the first use of the appointment takes. `of` is a rule of the same limit.
/// In a cluster, the new counter is in the same slot as the counter of `of`.
Rule use_of(const Appointment& appointment, const Rule& of);

/// Returns a rule that limits how many permits one address may reserve if other addresses use the same counter. In any
/// period of length `terms.ahead`, an address may reserve a tenth of the permits that come back in that period, but at
/// least 10. `of` are the rules of the limit; in a cluster, the new counter is in the same slot as theirs.
Rule share_of_address(const AppointmentTerms& terms, std::span<const Rule> of, std::string_view address);

}  // namespace headgate::limit
