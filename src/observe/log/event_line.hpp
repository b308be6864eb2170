#pragma once
// Formats events as lines. Pure functions of an event and a time.

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

/// Appends {"ts":…,"level":…,"instance":…,"event":…,"message":…,…}.
void append_json_event(const Event& event, std::string_view instance, Instant at, std::string& out);
/// Appends the same event with the names of the Elastic Common Schema. The fields of the event itself get names that
/// begin with "headgate.".
void append_ecs_event(const Event& event, std::string_view instance, Instant at, std::string& out);

/// Returns the value of `field` as plain text, without quotes and escapes.
std::string plain_value(const EventField& field);

/// Appends a line for people: time, level, name of the event, sentence, and fields as name=value.
void append_text_event(const Event& event, Instant at, std::string& out);

}  // namespace headgate::observe
