#pragma once
// Reads one answer from a stream. The body is counted and dropped.

#include "headgate/core/task.hpp"
#include "headgate/load/crowd.hpp"
#include "headgate/net/read_buffer.hpp"

#include <chrono>

namespace headgate::load {

/// An answer, and the state of its connection.
struct ReadAnswer {
  error_code failed;        ///< why there is no complete answer; not set if `seen` is the answer
  bool began = false;       ///< a byte of the answer has arrived
  bool keep_alive = false;  ///< another request may follow
  SeenAnswer seen;
};

/// Reads one answer, and waits for it at most until `until`. `head_only` is for the answer to HEAD, which has no body.
Task<ReadAnswer> read_answer(net::ReadBuffer& buffer, bool head_only, std::chrono::steady_clock::time_point until);

}  // namespace headgate::load
