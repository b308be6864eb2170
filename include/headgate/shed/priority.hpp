#pragma once
// How important a request is, and which layer refused it. The log, the metrics and the configuration have these words.

#include "headgate/core/per_enum.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace headgate::shed {

/// What goes first when there is too much: low, then normal. Critical goes last.
enum class Priority : std::uint8_t { critical, normal, low, count };
inline constexpr std::size_t kPriorities = kCountOf<Priority>;
inline constexpr WordsOf<Priority> kPriorityWords({"critical", "normal", "low"});

/// Which part of the load shedding refused a request.
enum class Layer : std::uint8_t {
  fleet,        ///< all gateways together have as many requests at the upstream as it may get
  concurrency,  ///< this worker has as many requests at the upstream as its adaptive limit allows
  loop_lag,     ///< this worker is behind with its own work
  queue,        ///< it waited for a place, and found none in time
  servers,      ///< every server that may be chosen has as many requests as it may, and none became free in time
  count
};
inline constexpr std::size_t kLayers = kCountOf<Layer>;
inline constexpr WordsOf<Layer> kLayerWords({"fleet", "concurrency", "loop_lag", "queue", "servers"});

constexpr std::string_view to_text(Priority priority) noexcept { return kPriorityWords[priority]; }
constexpr std::string_view to_text(Layer layer) noexcept { return kLayerWords[layer]; }

/// The priority with this name, in lower case; nothing for any other text.
constexpr std::optional<Priority> priority_of(std::string_view word) noexcept {
  for (std::size_t i = 0; i < kPriorities; ++i)
    if (kPriorityWords[i] == word) return static_cast<Priority>(i);
  return std::nullopt;
}

}  // namespace headgate::shed
