#include "progress.hpp"

#include "headgate/simulate/share_text.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <utility>

namespace headgate::cli {
namespace {

constexpr std::chrono::milliseconds kFirst(500);
constexpr std::chrono::milliseconds kStep(200);

}  // namespace

Progress::Progress() : terminal_(::isatty(STDERR_FILENO) == 1) { begin({}); }

void Progress::begin(std::string part) {
  part_ = std::move(part);
  began_ = SteadyClock::now();
  if (!shown_) due_ = began_ + kFirst;
}

void Progress::show(std::uint64_t done, std::uint64_t all, std::uint64_t requests) {
  if (!terminal_) return;
  const auto now = SteadyClock::now();
  if (now < due_) return;
  due_ = now + kStep;
  shown_ = true;
  const auto line = progress_line(part_, std::chrono::duration<double>(now - began_).count(), done, all, requests);
  std::fprintf(stderr, "\r\x1b[K%s", line.c_str());
  std::fflush(stderr);
}

void Progress::clear() {
  if (!std::exchange(shown_, false)) return;
  std::fputs("\r\x1b[K", stderr);
  std::fflush(stderr);
}

std::string progress_line(const std::string& part, double seconds, std::uint64_t done, std::uint64_t all,
                          std::uint64_t requests) {
  constexpr std::size_t kBar = 24;
  std::string out = part.empty() ? part : part + "  ";
  const auto share = all == 0 ? 0 : std::min(1.0, static_cast<double>(done) / static_cast<double>(all));
  if (all > 0) {
    const auto full = static_cast<std::size_t>(share * kBar);
    out += '[';
    for (std::size_t i = 0; i < kBar; ++i) out += i < full ? "\u2588" : "\u00b7";
    out += "] " + std::to_string(static_cast<unsigned>(share * 100)) + " %  ";
  }
  out += simulate::number_text(requests) + " requests";
  if (seconds > 0) {
    const auto rate = static_cast<std::uint64_t>(static_cast<double>(requests) / seconds);
    out += ", " + simulate::number_text(rate) + " a second";
    if (share > 0.01) {
      const auto left = seconds / share - seconds;
      out += ", " + simulate::span_text(std::chrono::seconds(static_cast<std::int64_t>(left + 1))) + " left";
    }
  }
  return out;
}

}  // namespace headgate::cli
