#include "servers.hpp"

#include "cluster.hpp"
#include "redis/setup.hpp"
#include "sentinel.hpp"
#include "single.hpp"

#include "headgate/net/tls/tls_context.hpp"

namespace headgate::redis {
namespace {

std::shared_ptr<const Setup> set_up(const RedisOptions& options, ReplyReader::Keep keep) {
  auto setup = std::make_shared<Setup>();
  setup->options = options;
  setup->keep = keep;
  // Only the connections for decisions report an outage, so that the connections of the shared logs do not report it
  // again.
  setup->tells = options.tells && keep == ReplyReader::Keep::decisions;
  if (options.topology == Topology::cluster) setup->options.database = 0;
  if (!options.tls) return setup;
  auto tls = net::TlsContext::of_client(*options.tls);
  if (tls)
    setup->tls = std::move(*tls);
  else
    setup->tls_error = std::move(tls.error());
  return setup;
}

}  // namespace

std::shared_ptr<Servers> Servers::make(boost::asio::io_context& loop, const RedisOptions& options,
                                       ReplyReader::Keep keep) {
  const auto setup = set_up(options, keep);
  if (options.topology == Topology::sentinel) {
    auto sentinel = std::make_shared<Sentinel>(loop, setup);
    sentinel->start();
    return sentinel;
  }
  if (options.topology == Topology::cluster) {
    auto cluster = std::make_shared<Cluster>(loop, setup);
    cluster->start();
    return cluster;
  }
  return std::make_shared<Single>(loop, setup);
}

}  // namespace headgate::redis
