#include "headgate/upstream/health_call.hpp"

#include "headgate/core/literals.hpp"
#include "headgate/net/descriptors.hpp"
#include "headgate/net/http_call.hpp"

#include <boost/asio/error.hpp>
#include <boost/asio/post.hpp>

#include <algorithm>
#include <utility>

namespace headgate::upstream {
namespace {

using ConnectedTo = net::ConnectError::At;

/// Maximum number of body bytes that are read; the status alone decides.
constexpr std::uint64_t kMaxCheckBody = 64UL * 1024;

bool expected(const HealthOptions& options, unsigned status) {
  return std::any_of(options.expect.begin(), options.expect.end(),
                     [&](const StatusRange& range) { return range.least <= status && status <= range.most; });
}

class HealthCall final : public HealthCheck {
 public:
  HealthCall(boost::asio::io_context& loop, const HealthTarget& target, std::vector<net::Tcp::endpoint> addresses,
             HealthDone done) {
    net::HttpRequest request;
    request.url = {.scheme = target.tls ? net::Scheme::https : net::Scheme::http,
                   .host = target.server.host,
                   .port = target.server.port,
                   .target = target.options.path};
    request.tls = target.tls;
    request.addresses = std::move(addresses);
    // The Host field is the same as in requests, even for a server on the default port of its scheme.
    request.host = target.options.host.empty() ? target.server.text : target.options.host;
    request.deadline = target.options.timeout;
    request.max_body = kMaxCheckBody;
    call_ = net::HttpCall::start(loop, std::move(request),
                                 [options = target.options, done = std::move(done)](const net::HttpResult& result) {
                                   if (result.has_error()) return done(result.error());
                                   if (expected(options, result->status)) return done({});
                                   done("it answered " + std::to_string(result->status));
                                 });
  }
  HealthCall(const HealthCall&) = delete;
  HealthCall& operator=(const HealthCall&) = delete;
  ~HealthCall() override { call_->cancel(); }

 private:
  std::shared_ptr<net::HttpCall> call_;
};

std::string why_not(const net::ConnectError& error, Duration timeout) {
  if (error.code == boost::asio::error::timed_out && error.at == ConnectedTo::address)
    return "no connection could be opened within " + headgate::to_text(timeout);
  if (error.at == ConnectedTo::address && net::is_own_want(error.code)) return net::kOwnWant;
  if (error.at == ConnectedTo::name) return "its name cannot be resolved: " + error.reason;
  if (error.at == ConnectedTo::address) return "no connection can be opened: " + error.reason;
  return (error.distrusted ? "" : "TLS failed: ") + error.reason;
}

class Dialled final : public HealthCheck {
 public:
  Dialled(boost::asio::io_context& loop, const HealthTarget& target, std::vector<net::Tcp::endpoint> addresses,
          HealthDone done)
      : call_(std::make_shared<Call>(loop, target, std::move(done))) {
    call_->connector.use(std::move(addresses));
    boost::asio::post(loop, [call = call_] {
      if (call->done) spawn(run(call), "health_check");
    });
  }
  Dialled(const Dialled&) = delete;
  Dialled& operator=(const Dialled&) = delete;
  ~Dialled() override {
    call_->done = nullptr;
    call_->connector.stop();
  }

 private:
  struct Call {
    Call(boost::asio::io_context& loop, const HealthTarget& target, HealthDone told)
        : connector(loop, net::Timers::of(loop), target.server.host, target.server.port),
          options{.whole = target.options.timeout, .tls = target.tls},
          done(std::move(told)) {}
    net::Connector connector;
    net::ConnectOptions options;
    HealthDone done;
  };

  static Task<void> run(std::shared_ptr<Call> call) {
    auto connected = co_await call->connector.connect(call->options);
    if (connected.has_value()) connected->stream->close();
    const auto done = std::exchange(call->done, nullptr);
    if (!done) co_return;
    done(connected.has_value() ? std::string() : why_not(connected.error(), call->options.whole));
  }

  std::shared_ptr<Call> call_;
};

}  // namespace

BeginHealthCheck health_calls(boost::asio::io_context& loop, AddressesOf addresses_of) {
  return [&loop, addresses_of = std::move(addresses_of)](const HealthTarget& target,
                                                         HealthDone done) -> std::unique_ptr<HealthCheck> {
    auto addresses = addresses_of(target.server.host, target.server.port);
    if (target.options.path.empty())
      return std::make_unique<Dialled>(loop, target, std::move(addresses), std::move(done));
    return std::make_unique<HealthCall>(loop, target, std::move(addresses), std::move(done));
  };
}

}  // namespace headgate::upstream
