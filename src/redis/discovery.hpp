#pragma once
// Keeps asking those who know where the servers are: Sentinels, or nodes of a cluster.

#include "health_log.hpp"
#include "link.hpp"
#include "setup.hpp"

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

/// Who wants to know. Worker thread.
class DiscoveryOwner {
 public:
  virtual ~DiscoveryOwner() = default;
  /// The answer of `asked`; false where it is of no help, and the next one is to be asked.
  virtual bool found(const Reply& reply, const Node& asked) = 0;
  /// Nobody could tell. Asked again by itself.
  virtual void nobody(const std::string& reason) = 0;
};

/// One question, asked of one candidate after another until one answers, again after a while, and soon where there is
/// trouble. Who does not answer, or whose answer does not end the trouble, goes to the end of the line. Worker thread
/// only; handlers keep it alive until stop().
class Discovery final : public LinkUser, public std::enable_shared_from_this<Discovery> {
 public:
  using Clock = std::chrono::steady_clock;

  struct Question {
    std::vector<std::string> words;
    std::string username;
    std::string password;
    Clock::duration calm;  ///< between two questions while all is well
  };

  /// `who` is what the log calls the candidates together.
  Discovery(boost::asio::io_context& loop, std::shared_ptr<const Setup> setup, Question question, std::string who);

  /// Asks at once; `owner` is kept until stop().
  void start(std::vector<Node> candidates, std::shared_ptr<DiscoveryOwner> owner);
  /// Who can be asked has changed; the one asked last stays first where it is still among them.
  void candidates(std::vector<Node> now);
  /// `who`, one of them, knows something new: it is asked at once, and first from now on.
  void ask(const Node& who);
  /// Whether what was found is of use. Asks at once when that ends, and every 100 ms until it is again.
  void well(bool now);
  /// What was found is not quite true any more: asks soon, once.
  void doubt();
  /// Final.
  void stop();

 private:
  using Executor = boost::asio::io_context::executor_type;
  using Timer = boost::asio::basic_waitable_timer<Clock, boost::asio::wait_traits<Clock>, Executor>;

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
  void ask_in(Clock::duration time);
  void to_the_end_of_the_line();

  Executor executor_;
  const Question question_;
  std::shared_ptr<DiscoveryOwner> owner_;
  std::vector<Node> candidates_;

  std::shared_ptr<Link> link_;
  ReplyReader reader_{ReplyReader::Keep::everything};
  bool open_ = false;           ///< the link, to the first candidate
  std::size_t unanswered_ = 0;  ///< commands
  Timer timer_;                 ///< of the question under way, or of the pause before the next

  bool looking_ = false;
  std::size_t tried_ = 0;  ///< candidates, in this round
  bool well_ = false;
  bool in_vain_ = false;  ///< the last answer did not end the trouble
  bool stopped_ = false;
  Clock::time_point looked_at_{};
  HealthLog log_;
};

}  // namespace headgate::redis
