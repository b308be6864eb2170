#pragma once
// Copies of requests that go to another upstream. No exchange waits for them, and no client sees their answers.

#include "headgate/gateway/exchange.hpp"
#include "headgate/net/block_pool.hpp"
#include "headgate/upstream/attempt.hpp"

#include <boost/intrusive/list.hpp>

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>

namespace headgate::gateway {

/// The copies of one worker; its thread only. The copies under way share its ownership, because they may last longer
/// than the gateway uses it.
class Mirrors : public std::enable_shared_from_this<Mirrors> {
 public:
  /// `lent` counts the memory of the copies; null to count nothing.
  Mirrors(Clock& clock, Random& random, net::LentBytes::Share* lent) : clock_(clock), random_(random), lent_(lent) {}
  Mirrors(const Mirrors&) = delete;
  Mirrors& operator=(const Mirrors&) = delete;
  ~Mirrors();

  /// Copies the request of an exchange whose route has a mirror, if the request falls into the mirrored share. `start`
  /// is the head of the request for its server. `body` is the whole body if `whole` is set. The copy is sent only after
  /// the worker's current step, so the request itself goes first.
  void copy(const Exchange& x, const upstream::RequestStart& start, std::string_view body, bool whole);

  /// Cancels the copies under way and makes no further ones.
  void stop();

 private:
  struct Copy;
  /// The state of one upstream that gets copies.
  struct Target {
    std::uint32_t under_way = 0;
    Clock::Steady told{};  ///< when its failure was logged last
  };
  using Hook = boost::intrusive::list_base_hook<boost::intrusive::link_mode<boost::intrusive::auto_unlink>>;
  using List = boost::intrusive::list<Hook, boost::intrusive::constant_time_size<false>>;

  static Task<void> send(std::shared_ptr<Mirrors> self, std::unique_ptr<Copy> copy);
  /// Sends the copy. Returns why it failed; empty if there was a whole answer.
  static Task<std::string> exchange(Copy& copy);
  static Task<std::string> ask(Copy& copy, upstream::Attempt& server);
  Target& target(std::string_view upstream);
  /// Logs a failure, at most once in a while.
  void failed(Target& target, std::string_view upstream, std::string_view why);

  Clock& clock_;
  Random& random_;
  net::LentBytes::Share* lent_;
  List under_way_;
  std::map<std::string, Target, std::less<>> targets_;
  bool stopped_ = false;
};

}  // namespace headgate::gateway
