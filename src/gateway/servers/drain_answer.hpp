#pragma once
// Reads the rest of an answer whose client has left, for the cost at its end.

#include "headgate/core/task.hpp"
#include "headgate/gateway/exchange.hpp"
#include "headgate/http/exchange_io.hpp"

namespace headgate::gateway {

struct Path;

/// Returns whether the answer of this exchange is read to its end even if the client leaves. A request whose body was
/// not sent completely has no such answer, and each worker reads a bounded number of them at once.
bool drains_answer(const Path& path, const Exchange& x, bool request_sent) noexcept;

/// Reads the answer until it ends or breaks off, for at most ten minutes, and throws its bytes away.
Task<void> drain_answer(Path& path, Exchange& x, http::BodyReader& from);

}  // namespace headgate::gateway
