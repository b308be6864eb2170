#pragma once
// What a worker shares with the code that connects, waits and reads on its loop.

#include "headgate/core/clock.hpp"
#include "headgate/core/random.hpp"
#include "headgate/net/read_buffer.hpp"
#include "headgate/net/timers.hpp"

#include <boost/asio/io_context.hpp>

namespace headgate::upstream {

/// All of it outlives its users. Worker thread only.
struct Environment {
  boost::asio::io_context& loop;
  net::Timers& timers;
  net::Blocks& blocks;
  Clock& clock;
  Random& random;
};

}  // namespace headgate::upstream
