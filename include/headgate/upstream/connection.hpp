#pragma once
// One connection to a server, speaking HTTP/1.1: lent to one exchange at a time.

#include "headgate/http/h1/parse.hpp"
#include "headgate/net/h1_body.hpp"
#include "headgate/upstream/failure.hpp"
#include "headgate/upstream/options.hpp"

#include <memory>
#include <string_view>

namespace headgate::upstream {

class Server;

/// Worker thread only. Destroying it closes the connection; Server::give_back keeps it.
class Connection {
 public:
  Connection(net::StreamPtr stream, net::Blocks& blocks, Server& server, const Options& options);
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  net::H1Output& output() noexcept { return output_; }
  /// How long a body of its answers may be silent, from here on.
  void between_bytes(Duration most) noexcept { body_.timeout(most); }
  /// What follows is no longer HTTP: the body is all bytes to the end of the connection.
  http::BodyReader& tunnel(Duration timeout);
  /// Reads the next head, interim or final, waiting up to `timeout` for its end.
  Task<Result<void, Failure>> read_head(http::ReplyHead& head, std::string_view request_method, Duration timeout);
  /// The body of the head last read.
  http::BodyReader& body() noexcept { return body_; }
  /// Whether the connection may carry another request: the answer was read whole and nothing follows it.
  bool reusable() const noexcept;

  net::Stream& stream() noexcept { return *stream_; }
  Server& server() noexcept { return server_; }
  bool reused() const noexcept { return reused_; }

 private:
  friend class Server;
  net::StreamPtr stream_;
  net::Input input_;
  net::H1Output output_;
  net::H1Body body_;
  Server& server_;
  std::size_t head_bytes_;
  bool reused_ = false;
  bool keep_alive_ = false;
};

using ConnectionPtr = std::unique_ptr<Connection>;

}  // namespace headgate::upstream
