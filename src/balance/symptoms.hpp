#pragma once
// The observations of Ejection about one server in rotation.

#include "headgate/balance/ejection.hpp"
#include "headgate/balance/share_window.hpp"

namespace headgate::balance {

struct Ejection::Symptoms {
  explicit Symptoms(Duration of_last) : share(of_last) {}

  std::uint32_t row = 0;    ///< failures since its last answer
  bool unreachable = true;  ///< whether none of these failures had a connection
  ShareWindow share;

  std::uint32_t outstanding = 0;     ///< number of requests that the server has not answered yet
  std::uint32_t unanswered = 0;      ///< number of these requests that were sent after the server's last answer
  Duration silent{0};                ///< for how long the server has owed an answer, counted from its last answer
  std::uint32_t peers_answered = 0;  ///< number of answers from peers during this silence

  std::uint32_t asked = 0;  ///< requests in the current segment
  std::uint32_t heads = 0;
  bool lags = false;  ///< in the last segment it left most requests unanswered, and its peers did not

  Latencies fresh;  ///< latencies of the current window
  Steady window_begun{};
  Steady window_ended{};  ///< end of the previous window
  Duration p95{0};        ///< p95 of the previous window
  unsigned slow_windows = 0;

  void clear(Steady now) {
    auto window = share;
    window.clear();
    *this = Symptoms(Duration(0));
    share = window;
    window_begun = now;
  }
};

}  // namespace headgate::balance
