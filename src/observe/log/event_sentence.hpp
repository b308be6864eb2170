#pragma once
// Turns an event into one English sentence for people. The admin interface delivers it as `sentence`; the dashboard and
// `headgate events` show it.

#include "event_line.hpp"

#include <string>

namespace headgate::observe {

/// Returns the sentence of `event` with its route, limit, server and so on, a capital letter and a full stop. An event
/// without a pattern of its own gets its message, or its name in words if it has no message.
std::string sentence_of(const Event& event);

}  // namespace headgate::observe
