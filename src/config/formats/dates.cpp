#include "dates.hpp"

#include <chrono>

namespace headgate::config {

std::string date_text(Instant at) {
  const std::chrono::year_month_day day(std::chrono::floor<std::chrono::days>(at));
  const auto two = [](unsigned number) { return (number < 10 ? "0" : "") + std::to_string(number); };
  return std::to_string(static_cast<int>(day.year())) + '-' + two(static_cast<unsigned>(day.month())) + '-' +
         two(static_cast<unsigned>(day.day()));
}

}  // namespace headgate::config
