#pragma once
// What happens beside requests, told to whoever runs the gateway: one call for every line of the error log. What
// belongs to it are fields from the start, so that nothing a peer says can pass for another field.

#include "headgate/observe/options.hpp"

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <string_view>
#include <variant>

namespace headgate::observe {

/// A name and a value. Views live for the call. One made of nothing is left out.
struct EventField {
  EventField() = default;
  EventField(std::string_view field, std::string_view text) : name(field), value(text) {}
  EventField(std::string_view field, std::integral auto number)
      : name(field), value(static_cast<std::int64_t>(number)) {}
  EventField(std::string_view field, double number) : name(field), value(number) {}

  std::string_view name;
  std::variant<std::string_view, std::int64_t, double> value;
};

/// One line in the error log where `level` is to be told: when, what (`name`, a word in snake_case: the same event is
/// always called the same), for people a sentence without its dot (may be empty), and the fields. Any thread; waits for
/// no disk.
void event(LogLevel level, std::string_view name, std::string_view sentence,
           std::initializer_list<EventField> fields = {});

}  // namespace headgate::observe
