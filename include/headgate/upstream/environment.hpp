#pragma once
// What a worker lends to those who connect, wait and read on its loop.

#include "headgate/core/clock.hpp"
#include "headgate/net/read_buffer.hpp"
#include "headgate/net/timers.hpp"

#include <boost/asio/io_context.hpp>

namespace headgate::upstream {

/// All of it outlives whom it is lent to. Worker thread only.
struct Environment {
  boost::asio::io_context& loop;
  net::Timers& timers;
  net::Blocks& blocks;
  Clock& clock;
};

}  // namespace headgate::upstream
