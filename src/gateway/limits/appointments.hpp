#pragma once
// Appointments as callers hold them: signed, and bound to one limit, tier and key.

#include "headgate/gateway/exchange.hpp"
#include "headgate/limit/appointment.hpp"

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace headgate::gateway {

/// The field with an appointment, in answers and in requests.
inline constexpr std::string_view kAppointmentField = "Appointment";
inline constexpr std::size_t kMaxAppointmentText = 256;

/// What an appointment is for. Another caller, limit or tier cannot use it.
struct AppointmentOf {
  std::string_view limit;
  std::string_view tier;
  std::string_view key;
};

/// "<appointment>.<signature>". The first of `keys` signs.
std::string sign(const limit::Appointment& appointment, const AppointmentOf& of, std::span<const std::string> keys);
/// The appointment, if one of `keys` signed it for `of`. What follows a ';' is not read.
std::optional<limit::Appointment> read_signed(std::string_view text, const AppointmentOf& of,
                                              std::span<const std::string> keys);

/// The appointment that a request keeps.
struct KeptAppointment {
  limit::Appointment appointment;
  const RouteLimit* of = nullptr;
  limit::Rule use;    ///< its one permit is taken with the first use
  bool used = false;  ///< it was used before: the request is checked like any other
};

}  // namespace headgate::gateway
