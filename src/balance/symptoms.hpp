#pragma once
// What Ejection sees of one server while it is in rotation.

#include "headgate/balance/ejection.hpp"
#include "headgate/balance/share_window.hpp"

namespace headgate::balance {

struct Ejection::Symptoms {
  explicit Symptoms(Duration of_last) : share(of_last) {}

  std::uint32_t row = 0;    ///< failures since its last answer
  bool unreachable = true;  ///< none of them had a connection
  ShareWindow share;

  std::uint32_t outstanding = 0;     ///< answers that it owes
  std::uint32_t unanswered = 0;      ///< of those asked for since its last answer
  Duration silent{0};                ///< how long it owed one, since its last answer
  std::uint32_t peers_answered = 0;  ///< during that time

  std::uint32_t asked = 0;  ///< in the current segment
  std::uint32_t heads = 0;
  bool lags = false;  ///< in the last segment it left most requests without an answer, and its peers did not

  Latencies fresh;  ///< of the current window
  Steady window_begun{};
  Steady window_ended{};  ///< of the window before
  Duration p95{0};        ///< in the window before
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
