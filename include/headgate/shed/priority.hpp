#pragma once
// The priority of a request, and the layer that refused it. Log, metrics and configuration use these words.

#include "headgate/core/per_enum.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace headgate::shed {

/// The priority of a request. In an overload, low requests are refused first, then normal ones, and critical ones last.
enum class Priority : std::uint8_t { critical, normal, low, count };
inline constexpr std::size_t kPriorities = kCountOf<Priority>;
inline constexpr WordsOf<Priority> kPriorityWords({"critical", "normal", "low"});

/// The part of load shedding that refused a request.
enum class Layer : std::uint8_t {
  fleet,        ///< All gateways together have as many requests at the upstream as they may have.
  concurrency,  ///< This worker has as many requests at the upstream as its adaptive limit allows.
  loop_lag,     ///< This worker lags behind its own work.
  queue,        ///< The request waited for a place, and none became free in time.
  servers,      ///< Every eligible server has as many requests as it may have, and no place became free in time.
  count
};
inline constexpr std::size_t kLayers = kCountOf<Layer>;
inline constexpr WordsOf<Layer> kLayerWords({"fleet", "concurrency", "loop_lag", "queue", "servers"});

constexpr std::string_view to_text(Priority priority) noexcept { return kPriorityWords[priority]; }
constexpr std::string_view to_text(Layer layer) noexcept { return kLayerWords[layer]; }

/// Returns the priority with this lower-case name; empty for any other text.
constexpr std::optional<Priority> priority_of(std::string_view word) noexcept {
  for (std::size_t i = 0; i < kPriorities; ++i)
    if (kPriorityWords[i] == word) return static_cast<Priority>(i);
  return std::nullopt;
}

}  // namespace headgate::shed
