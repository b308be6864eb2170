#pragma once
// Reads one answer from a stream. The body is counted and dropped.

#include "headgate/core/task.hpp"
#include "headgate/load/crowd.hpp"
#include "headgate/net/read_buffer.hpp"

#include <chrono>

namespace headgate::load {

/// One answer, and what may be done with its connection.
struct ReadAnswer {
  error_code failed;        ///< why there is no whole answer; none: `seen` is one
  bool began = false;       ///< whether a byte of it came
  bool keep_alive = false;  ///< whether another request may follow
  SeenAnswer seen;
};

/// Waits until `until` at most. `head_only`: the answer to HEAD, which has no body.
Task<ReadAnswer> read_answer(net::ReadBuffer& buffer, bool head_only, std::chrono::steady_clock::time_point until);

}  // namespace headgate::load
