#include "headgate/balance/table.hpp"

namespace headgate::balance {

void note_latency(Server& server, Duration took) noexcept {
  constexpr int kOf = 8;
  server.latency = server.latency == Duration(0) ? took : server.latency + (took - server.latency) / kOf;
}

}  // namespace headgate::balance
