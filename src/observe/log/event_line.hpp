#pragma once
// Formats events as lines: pure functions of event and time.

#include "headgate/core/time.hpp"
#include "headgate/observe/event.hpp"

#include <span>
#include <string>
#include <string_view>

namespace headgate::observe {

struct Event {
  LogLevel level = LogLevel::info;
  std::string_view name;
  std::string_view sentence;
  std::span<const EventField> fields;
};

/// {"ts":…,"level":…,"instance":…,"event":…,"message":…,…}
void append_json_event(const Event& event, std::string_view instance, Instant at, std::string& out);
/// The same under the names of the Elastic Common Schema, its fields as headgate.*.
void append_ecs_event(const Event& event, std::string_view instance, Instant at, std::string& out);

/// The value of `field` as plain text: not quoted, not escaped.
std::string plain_value(const EventField& field);

/// For people: time, level, the event's name, its sentence, its fields as name=value.
void append_text_event(const Event& event, Instant at, std::string& out);

}  // namespace headgate::observe
