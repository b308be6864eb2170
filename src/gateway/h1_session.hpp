#pragma once
// One client connection speaking HTTP/1.1. While a request is served it is a coroutine with buffers.

#include "active_exchange.hpp"
#include "session.hpp"

#include "headgate/gateway/problem.hpp"
#include "headgate/http/h1/parse.hpp"
#include "headgate/net/h1_body.hpp"

#include <cstdint>

namespace headgate::gateway {

class H1Reply;

/// A session of one stream of exchanges, one after another. Worker thread only.
class H1Session final : public Session {
 public:
  H1Session(Sessions& owner, net::ReadBuffer input, Peer peer);

  void begin() override;
  /// Answers 503 and closes.
  void reject() override;
  void break_off() noexcept override;

 private:
  enum class Next { exchange, idle, close, linger };

  static Task<Result<void>> say_continue(void* self);
  static void stirred(void* self, net::Stream& stream);
  void serve() override;
  Task<void> serve_all();
  Task<void> refuse_service();
  Task<Next> serve_each(Exchange& x);
  /// Whether a whole head that can be served is there already, as it nearly always is; else read_head() tells.
  bool take_head(Exchange& x);
  Task<Next> read_head(Exchange& x);
  /// Makes the body readable, and the reply to be written.
  H1Reply begin_answer(Exchange& x);
  Task<Next> refuse(Exchange& x, http::h1::ParseError refusal);
  /// Whether nothing is left to be done behind an exchange, as nearly always; else settle() does it.
  bool settled(const H1Reply& reply) const noexcept;
  Task<Next> settle(const H1Reply& reply);
  void watch_client();
  void close(ActiveExchange::Because because) noexcept;

  net::H1Body body_;
  net::H1Output output_;
  ActiveExchange exchange_;
  bool fresh_ = true;  // no request has come yet
};

}  // namespace headgate::gateway
