#pragma once
// Events for the operator, one line of the error log for each call. Details are separate fields, so that text from a
// peer cannot look like another field.

#include "headgate/observe/options.hpp"

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <string_view>
#include <variant>

namespace headgate::observe {

/// A name and a value. The views are valid during the call. A default-constructed field is left out.
struct EventField {
  EventField() = default;
  EventField(std::string_view field, std::string_view text) : name(field), value(text) {}
  EventField(std::string_view field, std::integral auto number)
      : name(field), value(static_cast<std::int64_t>(number)) {}
  EventField(std::string_view field, double number) : name(field), value(number) {}

  std::string_view name;
  std::variant<std::string_view, std::int64_t, double> value;
};

/// Writes one line to the error log if `level` is logged: the time, the name, the fields, and an optional sentence for
/// people, without its final dot. `name` is a word in snake_case; the same event always has the same name. Any thread;
/// does not wait for a disk.
void event(LogLevel level, std::string_view name, std::string_view sentence,
           std::initializer_list<EventField> fields = {});

/// Suppresses event() on this thread during its lifetime, because events of a simulation did not really happen. May be
/// nested.
class NoEvents {
 public:
  NoEvents() noexcept;
  ~NoEvents();
  NoEvents(const NoEvents&) = delete;
  NoEvents& operator=(const NoEvents&) = delete;
};

}  // namespace headgate::observe
