#pragma once
// The page of a waiting room: no scripts, nothing to load, readable in light and dark and for screen readers.

#include "headgate/core/text_arena.hpp"
#include "headgate/core/time.hpp"
#include "headgate/gateway/waiting_room.hpp"

#include <cstdint>
#include <optional>
#include <string_view>

namespace headgate::gateway {

/// Fills the parts of the page that are the same for all callers.
void prepare_page(CompiledRoom& room);

/// The page. `position` 0: not known; then it has no sentence about it. A view into `text`.
std::string_view room_page(TextArena& text, const CompiledRoom& room, std::int64_t position,
                           std::optional<Duration> wait, std::uint64_t refresh);

}  // namespace headgate::gateway
