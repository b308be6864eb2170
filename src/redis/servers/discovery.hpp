#pragma once
// Periodic queries to the nodes that know where the servers are: Sentinels, or nodes of a cluster.

#include "redis/setup.hpp"
#include "redis/wire/health_log.hpp"
#include "redis/wire/link.hpp"

#include "headgate/core/time.hpp"
#include "headgate/redis/options.hpp"
#include "headgate/redis/reply.hpp"

#include <boost/asio/basic_waitable_timer.hpp>
#include <boost/asio/io_context.hpp>

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace headgate::redis {

/// The receiver of the answers. Worker thread.
class DiscoveryOwner {
 public:
  virtual ~DiscoveryOwner() = default;
  /// Handles the answer of `asked`. Returns false if the answer is not usable; the next candidate is then queried.
  virtual bool found(const Reply& reply, const RedisNode& asked) = 0;
  /// Called when no candidate could answer. Discovery queries again on its own.
  virtual void nobody(const std::string& reason) = 0;
};

/// Sends a query to one candidate after another until one answers. Repeats this after a while, or soon if there is
/// trouble, that is, if the last result is not usable. A candidate that does not answer, or whose answer does not end
/// the trouble, moves to the end of the list. Worker thread only; handlers keep it alive until stop().
class Discovery final : public LinkUser, public std::enable_shared_from_this<Discovery> {
 public:
  struct Question {
    std::vector<std::string> words;
    std::string username;
    std::string password;
    SteadyClock::duration calm;  ///< interval between two queries while there is no trouble
  };

  /// `who` names the candidates in the log.
  Discovery(boost::asio::io_context& loop, std::shared_ptr<const Setup> setup, Question question, std::string who);

  /// Queries at once; keeps `owner` until stop().
  void start(std::vector<RedisNode> candidates, std::shared_ptr<DiscoveryOwner> owner);
  /// Replaces the candidates. The candidate queried last stays first if it is still in the list.
  void candidates(std::vector<RedisNode> now);
  /// Queries `who` at once, and from now on before the other candidates, because it has reported a change.
  void check(const RedisNode& who);
  /// Sets whether the last result is usable. If not, queries every 100 ms until one is.
  void well(bool now);
  /// Queries once soon, because a part of the last result is out of date.
  void doubt();
  /// Ends all queries for good.
  void stop();

 private:
  using Executor = boost::asio::io_context::executor_type;
  using Timer = boost::asio::basic_waitable_timer<SteadyClock, boost::asio::wait_traits<SteadyClock>, Executor>;

  void opened() override;
  void received(std::string_view bytes) override;
  void wrote() override {}
  void closed(const std::string& reason) override;

  void look();
  void ask_first();
  void say();
  void take(const Reply& reply);
  void failed(const std::string& reason);
  void rest();
  void ask_in(SteadyClock::duration time);
  void to_the_end_of_the_line();

  const bool tells_;  ///< Setup::tells
  Executor executor_;
  const Question question_;
  std::shared_ptr<DiscoveryOwner> owner_;
  std::vector<RedisNode> candidates_;

  std::shared_ptr<Link> link_;
  ReplyReader reader_{ReplyReader::Keep::everything};
  bool open_ = false;           ///< whether the link to the first candidate is open
  std::size_t unanswered_ = 0;  ///< number of commands without an answer
  Timer timer_;                 ///< for the active query, or for the pause before the next one

  bool looking_ = false;
  std::size_t tried_ = 0;  ///< number of candidates tried in this round
  bool well_ = false;
  bool in_vain_ = false;  ///< whether the last answer did not end the trouble
  bool stopped_ = false;
  SteadyClock::time_point looked_at_{};
  HealthLog log_;
};

}  // namespace headgate::redis
