#pragma once
// One HTTP/1.1 client connection. While it serves a request, it has a coroutine and buffers.

#include "session.hpp"

#include "headgate/gateway/active_exchange.hpp"
#include "headgate/gateway/problem.hpp"
#include "headgate/http/h1/parse.hpp"
#include "headgate/net/h1_body.hpp"

#include <cstdint>

namespace headgate::session {

class H1Reply;

/// Serves one exchange after another. Worker thread only.
class H1Session final : public Session {
 public:
  H1Session(Sessions& owner, net::ReadBuffer input, Peer peer);

  void begin() override;
  /// Answers 503 and closes.
  void reject() override;
  void break_off() noexcept override;
  Stopped stop(Afterwards afterwards, std::span<const std::uint32_t> streams) noexcept override;
  bool waits_for_request() const noexcept override { return idle() || waits_; }
  UnderWay under_way(std::uint32_t from) const noexcept override {
    return {from == 0 ? exchange_.current() : nullptr, 0};
  }

 private:
  enum class Next { exchange, idle, close, linger };

  static Task<Result<void>> say_continue(void* self);
  static void stirred(void* self, net::Stream& stream);
  static net::MinPace pace(const void* self);
  void serve() override;
  Task<void> serve_all();
  /// Answers without reading the request, and closes.
  Task<void> refuse_unread(unsigned status, const char* why);
  Task<Next> serve_each(Exchange& x);
  /// The fast path: true if a complete and valid head has been read already. Else read_head() finds out why not.
  bool take_head(Exchange& x);
  Task<Next> read_head(Exchange& x);
  /// Sets the request's body, and returns the reply to write.
  H1Reply begin_answer(Exchange& x);
  Task<Next> refuse(Exchange& x, http::ParseError refusal);
  /// The fast path after an exchange: true if the next request can be read. Else settle() does what is left.
  bool settled(const H1Reply& reply) const noexcept;
  Task<Next> settle(const H1Reply& reply);
  void watch_client();
  /// Becomes idle, for `most` at most. `again`: it was, and what came was no byte of a request.
  void rest(Duration most, bool again);
  void close(gateway::ActiveExchange::Because because) noexcept;

  net::H1Body body_;
  net::H1Output output_;
  http::h1::Wire wire_;  // of the current request
  gateway::ActiveExchange exchange_;
  headgate::Clock::Steady idle_until_{};  // only over TLS
  bool fresh_ = true;                     // no request has come yet
  bool waits_ = false;                    // for its turn, the rest of a head, or of a body that was answered already
  std::uint64_t rest_ = 0;                // at most so many bytes belong to what was answered early
};

}  // namespace headgate::session
