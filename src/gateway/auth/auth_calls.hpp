#pragma once
// Calls to the auth services of routes. Each call is a task of its own, for which exchanges wait. docs/forward_auth.md
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

/// The calls of one worker; its thread only. The calls under way share its ownership, because they may last longer than
/// the gateway uses it.
class AuthCalls : public std::enable_shared_from_this<AuthCalls> {
 public:
  /// `lent` counts the memory of questions and answers; null to count nothing.
  AuthCalls(Clock& clock, net::LentBytes::Share* lent);
  AuthCalls(const AuthCalls&) = delete;
  AuthCalls& operator=(const AuthCalls&) = delete;
  ~AuthCalls();

  /// Returns the answer of the route's service about the request. If answers are remembered, requests with the same
  /// question at the same time share one call. Null if the client has left meanwhile. Sets Exchange::unanswered if the
  /// service got the question but the exchange ended before the answer.
  Task<AuthAnswerPtr> ask(Exchange& x);
  /// Returns the remembered answer, or null. Makes no call.
  AuthAnswerPtr remembered(Exchange& x);

  /// Uses another configuration and forgets all answers. Answers to requests that began under the previous
  /// configuration are no longer shared.
  void adopt(std::shared_ptr<const CompiledConfig> next);
  /// Cancels the calls under way and makes no further ones.
  void stop();

 private:
  struct Call;
  struct Waiter;
  struct TryResult {
    std::string why;     ///< why there was no answer; empty if there was one
    bool again = false;  ///< whether the pooled connection had been closed, so that a new one may be tried
  };
  using Hook = boost::intrusive::list_base_hook<boost::intrusive::link_mode<boost::intrusive::auto_unlink>>;
  using List = boost::intrusive::list<Hook, boost::intrusive::constant_time_size<false>>;

  /// Waits at most `left` for a call under way, or for one that begins now.
  Task<AuthAnswerPtr> wait(Exchange& x, Call* joined, std::unique_ptr<AuthQuestion> question, Duration left);
  static Task<void> run(std::shared_ptr<AuthCalls> self, std::unique_ptr<Call> call);
  static Task<void> exchange(Call& call);
  static Task<TryResult> try_once(Call& call, upstream::AttemptPtr server);
  static Task<TryResult> read_answer(Call& call, upstream::Attempt& server, Clock::Steady sent_at);
  /// Ends a call with its answer: remembers the answer if it may be reused, and gives it to the waiting exchanges.
  void conclude(Call& call, AuthAnswer&& answer);
  /// Returns whether the answer about this request may be shared with others.
  bool shares(const Exchange& x) const noexcept;
  /// Logs a failure of the service, at most once in a while.
  void failed(const AuthService& service, std::string_view why);

  Clock& clock_;
  net::LentBytes::Share* lent_;
  AuthMemory memory_;
  List under_way_;
  std::map<identity::Sha256, Call*> by_name_;  ///< calls that other exchanges may join
  /// the active configuration; calls for another configuration are not shared
  std::shared_ptr<const CompiledConfig> current_;
  std::map<std::string, Clock::Steady, std::less<>> told_;  ///< the time when a failure was last logged, by upstream
  bool stopped_ = false;
};

}  // namespace headgate::gateway
