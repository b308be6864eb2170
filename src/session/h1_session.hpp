#pragma once
// A client connection over HTTP/1.1. It has a coroutine and buffers only while it serves a request.

#include "session.hpp"

#include "headgate/gateway/active_exchange.hpp"
#include "headgate/gateway/problem.hpp"
#include "headgate/http/h1/parse.hpp"
#include "headgate/net/h1_body.hpp"

#include <cstdint>

namespace headgate::session {

class H1Reply;

/// A session that serves one exchange after another. Worker thread only.
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
  static void client_active(void* self, net::Stream& stream);
  static net::MinPace pace(const void* self);
  void serve() override;
  Task<void> serve_all();
  /// Answers without reading the request, then closes.
  Task<void> refuse_unread(unsigned status, const char* why);
  Task<Next> serve_each(Exchange& x);
  /// Takes the head if it has already arrived and is complete and valid. This is the fast path; otherwise read_head()
  /// reads more or reports the error.
  bool take_head(Exchange& x);
  Task<Next> read_head(Exchange& x);
  /// Sets the body of the request, and returns the reply to write.
  H1Reply begin_answer(Exchange& x);
  Task<Next> refuse(Exchange& x, http::ParseError refusal);
  /// Returns whether the next request can be read at once after an exchange. This is the fast path; otherwise settle()
  /// does the rest.
  bool settled(const H1Reply& reply) const noexcept;
  Task<Next> settle(const H1Reply& reply);
  void watch_client();
  /// Makes the session idle for at most `most`. `again` is true if it was idle before and no byte of a request has
  /// come.
  void rest(Duration most, bool again);
  void close(gateway::ActiveExchange::Because because) noexcept;

  net::H1Body body_;
  net::H1Output output_;
  http::h1::Wire wire_;  // framing and keep-alive of the current request
  gateway::ActiveExchange exchange_;
  headgate::Clock::Steady idle_until_{};  // end of the idle time; used only over TLS
  bool fresh_ = true;                     // no request has arrived yet
  // whether the session waits for its turn, for the rest of a head, or for the rest of a body whose request was
  // answered already
  bool waits_ = false;
  std::uint64_t rest_ = 0;  // maximum number of bytes that may still arrive of a request that was answered early
};

}  // namespace headgate::session
