#pragma once
// Events for the operator: one call per line of the error log. Details are separate fields, so that no text from a peer
// can look like another field.

#include "headgate/observe/options.hpp"

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <string_view>
#include <variant>

namespace headgate::observe {

/// A name and a value. Views live for the call. A default-constructed field is left out.
struct EventField {
  EventField() = default;
  EventField(std::string_view field, std::string_view text) : name(field), value(text) {}
  EventField(std::string_view field, std::integral auto number)
      : name(field), value(static_cast<std::int64_t>(number)) {}
  EventField(std::string_view field, double number) : name(field), value(number) {}

  std::string_view name;
  std::variant<std::string_view, std::int64_t, double> value;
};

/// Writes one line to the error log if `level` is logged: the time, the name, an optional sentence without its dot for
/// people, and the fields. `name` is a word in snake_case; the same event always has the same name. Any thread; does
/// not wait for a disk.
void event(LogLevel level, std::string_view name, std::string_view sentence,
           std::initializer_list<EventField> fields = {});

/// While one lives, event() reports nothing on its thread: what a simulation decides did not happen. They may be
/// nested.
class NoEvents {
 public:
  NoEvents() noexcept;
  ~NoEvents();
  NoEvents(const NoEvents&) = delete;
  NoEvents& operator=(const NoEvents&) = delete;
};

}  // namespace headgate::observe
