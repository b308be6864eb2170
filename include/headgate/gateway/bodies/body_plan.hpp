#pragma once
// The values that the limits of a route read from the bodies of its requests and answers, such as the model and the
// tokens of a call. Compiled with the route; see gateway/bodies for the reading.

#include "headgate/scan/pointer.hpp"
#include "headgate/usage/provider.hpp"
#include "headgate/usage/stream_end.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace headgate::gateway {

/// The pointers that the limits of a route read in bodies. Immutable once the route is compiled; any thread.
struct BodyPlan {
  scan::Pointers request;
  scan::Pointers answer;
  const usage::Provider* provider = nullptr;  ///< the API whose usage is read; null if no limit names one
  bool reads_request = false;                 ///< whether a key, a cost or a hold needs the request's body
  bool reads_answer = false;                  ///< whether a cost is read from the answer's body
  bool measures_graphql = false;              ///< whether a cost is the size of a GraphQL request
  bool refuses_tunnels = false;               ///< whether the bytes in a tunnel would avoid a cost
  bool needs_price = false;                   ///< whether a call is refused if its model has no price
  bool drains_answer = false;                 ///< whether an answer is read to its end although its client has left
  bool extends = false;                       ///< whether a stream that has used its hold needs more permits to go on
  /// Whether a streamed call that would report no usage is changed so that it does: `stream_options.include_usage` is
  /// added, and the chunk with the usage is removed from the client's stream.
  bool asks_usage = false;
  usage::StreamNames names;        ///< the values of a stream that its last events repeat, if a hold is extended
  std::size_t stream = 0;          ///< the index of `/stream` in `request`, if usage is asked for
  std::size_t stream_options = 0;  ///< the same of `/stream_options`
  /// The members that may be added to a request without a maximum of output, if a hold can be clamped.
  std::vector<usage::MostMember> most_members;
  std::size_t model = scan::Pointers::kNone;  ///< the index of `/model` in `request`, if `on_reject` changes it
  std::size_t root = scan::Pointers::kNone;   ///< the index of the whole body in `request`, if a hold can be clamped
  /// Whether a request is refused if its body cannot be read: it is too long, malformed, compressed or of another type.
  bool refuses = false;
  std::uint64_t most = 0;  ///< the largest body of a request that is read, in bytes
  /// the names of `body:` in keys, each with its index in `request`
  std::vector<std::pair<std::string, std::size_t>> keys;

  /// Returns the index of the key source `body:<name>`; nothing if the route does not count by it.
  std::optional<std::size_t> key(std::string_view name) const noexcept {
    for (const auto& [known, index] : keys)
      if (known == name) return index;
    return std::nullopt;
  }
};

/// Returns why `text` is no pointer to one value, as a sentence without its full stop; "" if it is one.
std::string fault_of_pointer(std::string_view text);

}  // namespace headgate::gateway
