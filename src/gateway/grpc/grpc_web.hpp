#pragma once
// The form of gRPC for pages in browsers: any version of HTTP, with the trailers as the last frame of the body. Source:
// PROTOCOL-WEB.md of the gRPC project.

#include "web_text.hpp"

#include "headgate/gateway/exchange.hpp"
#include "headgate/http/exchange_io.hpp"

#include <string>
#include <string_view>

namespace headgate::gateway {

/// Returns whether the request is a gRPC-Web call: a POST with the media type application/grpc-web or
/// application/grpc-web-text, alone or before "+".
bool is_grpc_web(const http::RequestHead& request) noexcept;

/// A gRPC-Web call. The object wraps the body and the reply of its exchange, so that the path handles the call as a
/// gRPC call. Worker thread only; lives as long as its exchange.
class GrpcWeb {
 public:
  /// Turns the request of `x` into a gRPC request, and replaces its body and its reply.
  explicit GrpcWeb(Exchange& x);
  GrpcWeb(const GrpcWeb&) = delete;
  GrpcWeb& operator=(const GrpcWeb&) = delete;

 private:
  /// The caller's messages, without the base64 of the text form.
  class Body final : public http::BodyReader {
   public:
    Body(http::BodyReader& from, bool text) : from_(from), text_(text) {}
    bool take_at_most(std::uint64_t most) noexcept override;
    Result<std::string_view> ready() override;
    Task<Result<std::string_view>> read() override;
    bool ended() const noexcept override { return from_.ended(); }
    void cancel() noexcept override { from_.cancel(); }
    const http::Fields& trailers() const noexcept override { return from_.trailers(); }

   private:
    Result<std::string_view> decoded(const Result<std::string_view>& bytes);

    http::BodyReader& from_;
    bool text_;
    WebTextDecoder decoder_;
    std::string bytes_;
  };

  /// The answer, whose trailers become a frame. An answer that is not gRPC passes unchanged.
  class Reply final : public http::ReplyWriter {
   public:
    Reply(http::ReplyWriter& to, bool text) : to_(to), text_(text) {}
    Task<Result<void>> interim(const http::ReplyStart& start) override { return to_.interim(start); }
    Task<Result<void>> send(const http::ReplyStart& start, std::string_view first, http::EndStream last) override;
    Task<Result<void>> write(std::string_view bytes, http::EndStream last) override;
    Task<Result<void>> finish(const http::Fields& trailers) override;
    void tunnel(Duration timeout) override { to_.tunnel(timeout); }
    bool started() const noexcept override { return to_.started(); }
    std::uint64_t bytes_sent() const noexcept override { return to_.bytes_sent(); }

   private:
    std::string_view coded(std::string_view bytes);

    http::ReplyWriter& to_;
    bool text_;
    bool translates_ = false;
    http::ReplyStart start_;
    http::Fields fields_;
    std::string type_;
    std::string bytes_;
  };

  Body body_;
  Reply reply_;
};

}  // namespace headgate::gateway
