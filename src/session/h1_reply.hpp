#pragma once
// Writes a reply as HTTP/1.1. H1Session uses it.

#include "headgate/gateway/exchange.hpp"
#include "headgate/http/h1/write.hpp"
#include "headgate/net/h1_body.hpp"

namespace headgate::session {

/// The reply to one request. Lives as long as the exchange. Worker thread only.
class H1Reply final : public http::ReplyWriter {
 public:
  /// `wire` is the wire data of the request, and outlives the reply.
  H1Reply(net::H1Output& output, net::H1Body& body, gateway::Exchange& x, Duration write_timeout,
          const http::h1::Wire& wire)
      : output_(output),
        body_(body),
        x_(x),
        write_timeout_(write_timeout),
        wire_(wire),
        keeps_(wire.keep_alive),
        begun_at_(output.bytes()) {}

  Task<Result<void>> interim(const http::ReplyStart& start) override;
  Task<Result<void>> send(const http::ReplyStart& start, std::string_view first, http::EndStream last) override;
  Task<Result<void>> write(std::string_view bytes, http::EndStream last) override;
  Task<Result<void>> finish(const http::Fields& trailers) override;
  void tunnel(Duration timeout) override;
  bool started() const noexcept override { return started_; }
  std::uint64_t bytes_sent() const noexcept override { return output_.bytes() - begun_at_; }

  /// Returns whether the reply is complete. If it is not, H1Session resets the connection, so that the client does not
  /// take the partial reply for a complete one.
  bool complete() const noexcept { return complete_; }
  /// Returns whether the client was told that the connection stays open.
  bool keeps_connection() const noexcept { return keeps_; }

 private:
  net::H1Output& output_;
  net::H1Body& body_;
  gateway::Exchange& x_;
  Duration write_timeout_;
  const http::h1::Wire& wire_;
  bool keeps_;
  std::uint64_t begun_at_;
  bool started_ = false;
  bool complete_ = false;
  bool tunnel_ = false;
  bool bodiless_ = false;
};

}  // namespace headgate::session
