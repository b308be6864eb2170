#pragma once
// Appointments as the signed text that callers receive. An appointment is valid for one limit, tier and key.

#include "headgate/gateway/exchange.hpp"
#include "headgate/limit/appointment.hpp"

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace headgate::gateway {

/// The field that carries an appointment, in answers and in requests.
inline constexpr std::string_view kAppointmentField = "Appointment";
inline constexpr std::size_t kMaxAppointmentText = 256;

/// The limit, tier and caller that an appointment is valid for.
struct AppointmentOf {
  std::string_view limit;
  std::string_view tier;
  std::string_view key;
};

/// Returns "<appointment>.<signature>". The first of `keys` signs.
std::string sign(const limit::Appointment& appointment, const AppointmentOf& of, std::span<const std::string> keys);
/// Returns the appointment, if one of `keys` signed it for `of`. Text after a ';' is ignored.
std::optional<limit::Appointment> read_signed(std::string_view text, const AppointmentOf& of,
                                              std::span<const std::string> keys);

/// The appointment that a request uses.
struct KeptAppointment {
  limit::Appointment appointment;
  const RouteLimit* of = nullptr;
  limit::Rule use;    ///< the rule that lets the appointment be used once
  bool used = false;  ///< whether the appointment was used before; the request is then checked like any other
};

}  // namespace headgate::gateway
