#pragma once
// Calls to the auth services of routes: each is a task of its own, and exchanges wait for it. docs/forward_auth.md
// explains what they are for.

#include "gateway/auth/auth_memory.hpp"

#include "headgate/gateway/auth_service.hpp"
#include "headgate/gateway/exchange.hpp"
#include "headgate/net/block_pool.hpp"

#include <boost/intrusive/list.hpp>

#include <map>
#include <memory>
#include <string>
#include <string_view>

namespace headgate::gateway {

class AuthQuestion;

/// Of one worker; its thread only. Shared with the calls under way, which may outlive the gateway's use of it.
class AuthCalls : public std::enable_shared_from_this<AuthCalls> {
 public:
  /// `lent` counts the memory of what is asked; null: nobody does.
  AuthCalls(Clock& clock, net::LentBytes::Share* lent);
  AuthCalls(const AuthCalls&) = delete;
  AuthCalls& operator=(const AuthCalls&) = delete;
  ~AuthCalls();

  /// What the service of its route says of the request. If answers are remembered, those who ask the same at the same
  /// time share one call. Null: the client has left meanwhile. Sets Exchange::unanswered if the service was asked and
  /// its answer was not waited for.
  Task<AuthAnswerPtr> ask(Exchange& x);
  /// The same if it is remembered; else null. Asks nobody.
  AuthAnswerPtr remembered(Exchange& x);

  /// Another configuration is in force: no answer from before counts, and none of a request that began before does for
  /// others.
  void adopt(std::shared_ptr<const CompiledConfig> next);
  /// Breaks off what is under way, and asks nothing any more.
  void stop();

 private:
  struct Call;
  struct Waiter;
  struct Tried {
    std::string why;     ///< empty: there was an answer
    bool again = false;  ///< its connection was kept open, and was closed meanwhile
  };
  using Hook = boost::intrusive::list_base_hook<boost::intrusive::link_mode<boost::intrusive::auto_unlink>>;
  using List = boost::intrusive::list<Hook, boost::intrusive::constant_time_size<false>>;

  /// For at most `left`: for a call under way, or for one that begins now.
  Task<AuthAnswerPtr> wait(Exchange& x, Call* joined, std::unique_ptr<AuthQuestion> question, Duration left);
  static Task<void> run(std::shared_ptr<AuthCalls> self, std::unique_ptr<Call> call);
  static Task<void> exchange(Call& call);
  static Task<Tried> try_once(Call& call, upstream::AttemptPtr server);
  static Task<Tried> read_answer(Call& call, upstream::Attempt& server, Clock::Steady sent_at);
  /// Nobody waits for the call any more.
  void conclude(Call& call, AuthAnswer&& answer);
  /// Whether what the service says of the request counts for others, too.
  bool shares(const Exchange& x) const noexcept;
  /// Tells the log, but not of each call.
  void failed(const AuthService& service, std::string_view why);

  Clock& clock_;
  net::LentBytes::Share* lent_;
  AuthMemory memory_;
  List under_way_;
  std::map<identity::Sha256, Call*> by_name_;               ///< those that others may wait for
  std::shared_ptr<const CompiledConfig> current_;           ///< of another one nothing is shared
  std::map<std::string, Clock::Steady, std::less<>> told_;  ///< by upstream: when the log was last told that it fails
  bool stopped_ = false;
};

}  // namespace headgate::gateway
