#include "cost_count.hpp"

#include "process.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <fstream>
#include <iterator>
#include <sstream>
#include <stdexcept>
#include <string_view>

namespace headgate::bench {

namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

std::string text_of(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::vector<std::string> under(Tool tool, const std::vector<std::string>& command, const std::string& folder,
                               const std::string& counts) {
  std::vector<std::string> words;
  if (tool == Tool::callgrind)
    words = {"valgrind", "--tool=callgrind", "--callgrind-out-file=" + folder + "/callgrind.out",
             "--log-file=" + counts};
  else
    words = {"strace", "-f", "-c", "-o", counts};
  words.insert(words.end(), command.begin(), command.end());
  return words;
}

/// "==7== Collected : 1234" of callgrind.
std::uint64_t instructions_in(const std::string& text) {
  constexpr std::string_view kName = "Collected : ";
  const auto at = text.rfind(kName);
  if (at == text.npos) throw std::runtime_error("callgrind has not counted:\n" + text);
  return std::stoull(text.substr(at + kName.size()));
}

/// Calls that wait, or register what to wait for. Their number depends on the load of the machine, because one wait may
/// find many requests.
constexpr std::array<std::string_view, 9> kWaits{"epoll_wait",     "epoll_pwait", "epoll_pwait2",    "epoll_ctl",
                                                 "poll",           "futex",       "clock_nanosleep", "restart_syscall",
                                                 "timerfd_settime"};

/// Of strace, a line for each call: share, seconds, microseconds each, how many, how many failed where any did, name.
std::uint64_t calls_in(const std::string& text) {
  std::uint64_t sum = 0;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    double ignored = 0;
    std::uint64_t calls = 0;
    if (!(words >> ignored >> ignored >> ignored >> calls)) continue;
    std::string name;
    for (std::string word; words >> word;) name = word;
    if (name != "total" && std::ranges::find(kWaits, name) == kWaits.end()) sum += calls;
  }
  if (sum == 0) throw std::runtime_error("strace has not counted:\n" + text);
  return sum;
}

void check(const Tally& tally, const Load& load, unsigned requests, const std::string& log) {
  // The first of each request may pass before it is rejected.
  const auto others = load.refused ? tally.ok : tally.refused;
  const auto tolerated = load.refused ? load.requests.size() : 0;
  if (tally.failed == 0 && tally.ok + tally.refused == requests && others <= tolerated) return;
  throw std::runtime_error(load.command.front() + " answered " + std::to_string(tally.ok) + " times with 200, " +
                           std::to_string(tally.refused) + " times with 429 and " + std::to_string(tally.failed) +
                           " times otherwise (" + std::to_string(tally.wrong) + tally.why + ") or not at all, of " +
                           std::to_string(requests) + ":\n" + text_of(log));
}

Calling calling(const Load& load, unsigned connections, unsigned requests_each) {
  return {.connections = connections,
          .requests_each = requests_each,
          .secrecy = load.secrecy,
          .streams = load.streams,
          .grpc = load.grpc,
          .decides = load.decides};
}

unsigned connections_of(const Load& load) { return load.streams > 1 ? kSharedConnections : kCostConnections; }
unsigned at_once(const Load& load) { return connections_of(load) * std::max(load.streams, 1U); }

/// A port may be open before it is served, and under these tools for a long time.
bool wait_for_answer(Traffic& traffic, const Load& load, const Process& process) {
  for (const auto until = Clock::now() + 600s; process.running() && Clock::now() < until;) {
    if (!wait_for_port(load.port, process)) continue;
    traffic.start(load.port, calling(load, 1, 1), load.requests);
    traffic.run_until(1, 10s);
    traffic.stop();
    if (traffic.tally().failed == 0) return true;
  }
  return false;
}

std::uint64_t count(Tool tool, Traffic& traffic, const Load& load, const std::string& folder, unsigned requests) {
  const std::string counts = folder + "/counts";
  const std::string log = folder + "/log";
  Process process(under(tool, load.command, folder, counts), -1, log);
  if (!wait_for_answer(traffic, load, process))
    throw std::runtime_error(load.command.front() + " did not start:\n" + text_of(log));
  const auto connections = connections_of(load);
  traffic.start(load.port, calling(load, connections, requests / connections), load.requests);
  traffic.run_until(requests, 120s);
  traffic.stop();
  check(traffic.tally(), load, requests, log);
  if (!process.end(60s)) throw std::runtime_error(load.command.front() + " did not end");
  const auto text = text_of(counts);
  return tool == Tool::callgrind ? instructions_in(text) : calls_in(text);
}

}  // namespace

double count_per_request(Tool tool, Traffic& traffic, const Load& load, const std::string& folder) {
  const auto few = kShortRun * at_once(load);
  const auto more = (kMore + at_once(load) - 1) / at_once(load) * at_once(load);
  const auto short_run = count(tool, traffic, load, folder, few);
  const auto long_run = count(tool, traffic, load, folder, few + more);
  return (static_cast<double>(long_run) - static_cast<double>(short_run)) / more;
}

}  // namespace headgate::bench
