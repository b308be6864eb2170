// Peers that take what is written to them too slowly.

#include "unit/net/loop.hpp"

#include "headgate/net/stream.hpp"

#include <array>

namespace headgate::net {
namespace {

using test::milliseconds;
using test::seconds;
namespace error = boost::asio::error;

MinPace write_pace(const void* owner) { return *static_cast<const MinPace*>(owner); }

class StreamPaceTest : public test::Loop {
 protected:
  /// Writes twelve megabytes to a peer that takes `piece` bytes every ten milliseconds.
  error_code write_to_one_that_takes(std::size_t piece, const MinPace& pace) {
    near_->demand_pace({&write_pace, &pace});
    const std::string bytes(12U << 20, 'x');
    const std::array<std::string_view, 1> pieces{bytes};
    error_code why;
    bool done = false;
    const auto writing = [&]() -> Task<void> {
      const auto sent = co_await near_->write_all(pieces, seconds(3));
      if (sent.has_error()) why = sent.error();
      done = true;
    };
    spawn(writing(), "test");
    while (!done) {
      std::size_t left = piece;
      while (left > 0) {
        const auto got = heard(left).size();
        if (got == 0) break;
        left -= got;
      }
      run_until(done, milliseconds(10));
    }
    return why;
  }
};

TEST_F(StreamPaceTest, EndsAWriteToAPeerThatTakesTooLittle) {
  const MinPace pace{50'000'000, milliseconds(200)};
  const auto begun = std::chrono::steady_clock::now();
  EXPECT_EQ(write_to_one_that_takes(1000, pace), too_slow());
  EXPECT_LT(std::chrono::steady_clock::now() - begun, seconds(2)) << "not after the timeout of a silent peer";
}

TEST_F(StreamPaceTest, EndsNoWriteToAPeerThatTakesEnough) {
  const MinPace pace{100'000, milliseconds(500)};
  const auto begun = std::chrono::steady_clock::now();
  EXPECT_EQ(write_to_one_that_takes(40'000, pace), error_code());
  EXPECT_GT(std::chrono::steady_clock::now() - begun, 2 * pace.within) << "it was looked at more than once";
}

TEST_F(StreamPaceTest, EndsAWriteToASilentPeerAsLate) {
  const MinPace pace{1, std::chrono::hours(1)};
  EXPECT_EQ(write_to_one_that_takes(0, pace), error::timed_out);
}

}  // namespace
}  // namespace headgate::net
