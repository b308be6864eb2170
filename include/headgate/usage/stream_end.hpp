#pragma once
// The last events of a streamed answer that a gateway ends before the model does.

#include "headgate/scan/pointer.hpp"
#include "headgate/scan/scan.hpp"

#include <cstddef>
#include <cstdint>
#include <string>

namespace headgate::usage {

struct Provider;

/// Indexes of the values that the last events of a stream repeat. Pointers::kNone if the API has no such value.
struct StreamNames {
  std::size_t id = scan::Pointers::kNone;
  std::size_t model = scan::Pointers::kNone;
  std::size_t created = scan::Pointers::kNone;
  std::size_t object = scan::Pointers::kNone;    ///< names the kind of the answer
  std::size_t event = scan::Pointers::kNone;     ///< the type of the last event
  std::size_t position = scan::Pointers::kNone;  ///< the block, or the number of the last event
};

/// Adds the pointers that last_events() needs to those of an answer.
StreamNames add_stream_names(const Provider& provider, scan::Pointers& answer);

/// Returns the events, or the line, that end the stream as if the model had reached its maximum of output tokens
/// (`finish_reason` "length", `stop_reason` "max_tokens"). They stand behind a complete event. `answer` is the scan of
/// the stream so far; `alternatives` is the number of answers under way, and `output` the number of output tokens to
/// report where an API cannot do without it.
std::string last_events(const Provider& provider, const StreamNames& names, const scan::Scan& answer,
                        std::int64_t alternatives, std::int64_t output);

/// Returns the number of alternatives (`n`) that the request asks for, from 1 to 128.
std::int64_t alternatives_in(const Provider& provider, const scan::Scan& request) noexcept;

}  // namespace headgate::usage
