#pragma once
// The objects of a worker that its upstream connections share. Used by server and the diallers.

#include "headgate/core/clock.hpp"
#include "headgate/core/random.hpp"
#include "headgate/net/read_buffer.hpp"
#include "headgate/net/timers.hpp"

#include <boost/asio/io_context.hpp>

namespace headgate::upstream {

/// The shared objects, which outlive their users. Worker thread only.
struct Environment {
  boost::asio::io_context& loop;
  net::Timers& timers;
  net::Blocks& blocks;
  Clock& clock;
  Random& random;
};

}  // namespace headgate::upstream
