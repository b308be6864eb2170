#include "drain_answer.hpp"

#include "gateway/bodies/body_values.hpp"
#include "gateway/path/path.hpp"

#include <chrono>

namespace headgate::gateway {
namespace {

constexpr unsigned kMaxDrained = 1'000;  // of each worker
/// The longest time for which an answer is read: the longest calls of language models take some minutes.
constexpr auto kLongestDrain = std::chrono::minutes(10);

/// Counts one answer until the end of its scope.
class CountedDrain {
 public:
  explicit CountedDrain(unsigned& count) noexcept : count_(count) { ++count_; }
  CountedDrain(const CountedDrain&) = delete;
  CountedDrain& operator=(const CountedDrain&) = delete;
  ~CountedDrain() { --count_; }

 private:
  unsigned& count_;
};

}  // namespace

bool drains_answer(const Path& path, const Exchange& x, bool request_sent) noexcept {
  return request_sent && x.bodies && x.bodies->plan().drains_answer && path.drained < kMaxDrained;
}

Task<void> drain_answer(Path& path, Exchange& x, http::BodyReader& from) {
  const auto until = x.clock->steady() + kLongestDrain;
  const CountedDrain counted(path.drained);
  while (!from.ended() && x.clock->steady() < until) {
    const auto bytes = co_await from.read();
    if (bytes.has_error()) break;
  }
  if (from.ended()) x.bodies->drained();
}

}  // namespace headgate::gateway
