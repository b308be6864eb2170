#pragma once
// One configuration after another: what is in force, what a worker makes of it, and what is kept across a reload.

#include "headgate/config/config.hpp"
#include "headgate/gateway/snapshot.hpp"
#include "headgate/keyring/keyring.hpp"
#include "headgate/server/gateway_service.hpp"

#include <functional>
#include <memory>
#include <optional>

namespace headgate::server {

/// A configuration, what callers are checked against, and what all workers share of both. Immutable.
struct InForce {
  std::shared_ptr<const config::Config> config;
  std::shared_ptr<const gateway::Site> site;
  std::shared_ptr<const gateway::Grants> grants;
  std::function<void(std::size_t issuer)> missing_key;  ///< any thread
};

/// What is put in force, with the keyring that it begins with: the main thread's own, open and not started.
struct Beginning {
  std::shared_ptr<const InForce> in_force;
  std::shared_ptr<keyring::Keyring> keyring;
};
/// `before` may be null. Throws std::runtime_error where a file of keys cannot be used. Main thread, which runs `loop`.
Beginning put_in_force(boost::asio::io_context& loop, config::Config config, const keyring::Keyring* before);

/// The same configuration, and other credentials. Those that nobody uses any more go on `loop`: a million keys are no
/// worker's to free.
std::shared_ptr<const InForce> with_credentials(boost::asio::io_context& loop, const InForce& before,
                                                std::shared_ptr<const identity::Credentials> credentials);

/// Reads again; nothing where that cannot be used, and the log says why.
std::optional<Beginning> next_in_force(boost::asio::io_context& loop, const ReadAgain& read_again,
                                       const keyring::Keyring& before);

/// In the log: what is in force now, and what of it waits for a restart of this process, which began with `running`.
void say_what_changed(const InForce& before, const InForce& after, const config::Config& running);

/// A worker's snapshot before, and the configuration it was made of.
struct Kept {
  const config::Config& config;
  const gateway::Snapshot& snapshot;
};

/// A worker's snapshot; upstreams and Redis connections whose options are as they were are taken from `kept` (null at
/// the start), with their pools. Worker thread, or before it runs.
gateway::SnapshotPtr make_snapshot(const InForce& in_force, const Kept* kept, upstream::Environment environment,
                                   observe::Registry& registry, observe::Writer worker);

}  // namespace headgate::server
