#include "headgate/upstream/h1_upstream.hpp"

#include "h1_pool.hpp"

#include "headgate/balance/policy.hpp"

#include <boost/asio/error.hpp>
#include <boost/container/small_vector.hpp>

#include <utility>

namespace headgate::upstream {
namespace {

constexpr balance::Policy kPolicy = &balance::round_robin;

}  // namespace

H1Upstream::H1Upstream(Environment environment, const Options& options, TlsUse tls)
    : options_(options), table_(options.servers.size()), tls_(std::move(tls)) {
  for (std::size_t i = 0; i < options_.servers.size(); ++i)
    pools_.push_back(std::make_unique<H1Pool>(environment, options_, i, table_[i], tls_));
  if (options_.concurrency) concurrency_.emplace(*options_.concurrency);
}

H1Upstream::~H1Upstream() { H1Upstream::stop(); }

AttemptPtr H1Upstream::take_idle() noexcept {
  const auto at = kPolicy(table_.servers(), {turn_, {}});
  if (!at) return nullptr;
  auto connection = pools_[*at]->take_idle();
  if (connection) ++turn_;
  return connection;
}

Task<Result<AttemptPtr, Failure>> H1Upstream::connect() {
  boost::container::small_vector<bool, 16> tried(pools_.size(), false);
  Failure last;
  while (const auto at = kPolicy(table_.servers(), {turn_, {tried.data(), tried.size()}})) {
    ++turn_;
    tried[*at] = true;
    auto connected = co_await pools_[*at]->connect();
    if (connected.has_value()) co_return AttemptPtr(std::move(*connected));
    last = connected.error();
    if (last.cause == boost::asio::error::operation_aborted) break;
  }
  co_return last;
}

void H1Upstream::give_back(AttemptPtr attempt, Duration took) {
  auto connection = boost::static_pointer_cast<H1Connection>(std::move(attempt));
  auto& pool = connection->pool();
  balance::note_latency(pool.row(), took);
  pool.give_back(std::move(connection));
}

void H1Upstream::stop() {
  for (auto& pool : pools_) pool->stop();
}

}  // namespace headgate::upstream
