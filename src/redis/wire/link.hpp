#pragma once
// A byte stream to one server: connects to the first address that works, including TLS, and writes without waiting.

#include "redis/setup.hpp"

#include "headgate/core/task.hpp"
#include "headgate/net/connect.hpp"
#include "headgate/redis/options.hpp"

#include <boost/asio/io_context.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace headgate::redis {

/// The receiver of a link's events, on the worker's thread. Each function may call back into the link and close it.
class LinkUser {
 public:
  virtual ~LinkUser() = default;
  /// called when bytes can be written; called again if an address failed and the next one works
  virtual void opened() = 0;
  virtual void received(std::string_view bytes) = 0;
  virtual void wrote() = 0;                            ///< called after a system call that sent bytes
  virtual void closed(const std::string& reason) = 0;  ///< called when the connection is gone or no address works
};

/// The link. Worker thread only. Its tasks keep it alive while it connects or writes. It can be opened and closed any
/// number of times.
class Link : public std::enable_shared_from_this<Link> {
 public:
  Link(boost::asio::io_context& loop, std::shared_ptr<const Setup> setup);
  ~Link();
  Link(const Link&) = delete;
  Link& operator=(const Link&) = delete;

  /// Connects to `node`. `user` is kept until its closed() or this object's close() was called.
  void open(const RedisNode& node, std::shared_ptr<LinkUser> user);
  /// Closes without telling the user.
  void close();
  /// Rejects the server at this address: tries the next address of the node, or calls closed(`reason`).
  void give_up(const std::string& reason);
  /// Accepts the server at this address: if the connection is lost later, no other address of the node is tried.
  void keep() noexcept { kept_ = true; }

  /// Sends as many bytes as the kernel accepts now, and the rest as soon as possible. Call it after opened().
  void write(std::string_view bytes);

 private:
  static Task<void> connect(std::shared_ptr<Link> self, std::uint64_t life, std::size_t skip);
  static Task<void> write_rest(std::shared_ptr<Link> self, std::uint64_t life);
  static void readable(void* self, net::Stream& stream);

  void start(std::size_t skip);
  void settled(const net::Connected& connected);
  void read();
  std::string why_unread(const error_code& ec) const;
  void end(const std::string& reason);
  void close_stream();

  boost::asio::io_context& loop_;
  const std::shared_ptr<const Setup> setup_;
  std::shared_ptr<LinkUser> user_;
  std::optional<net::Connector> connector_;
  net::StreamPtr stream_;
  std::size_t next_address_ = 0;
  bool last_address_ = true;

  std::string leaving_;  ///< bytes that are being written
  std::string pending_;  ///< bytes to write after leaving_
  /// large enough for the answers to a thousand calls, so that one turn of the loop can read them all
  std::array<char, 64UL * 1024> in_;

  std::uint64_t life_ = 0;  ///< number of streams; handlers of earlier streams find another number and do nothing
  bool kept_ = false;
  bool writing_ = false;  ///< whether a task is writing the bytes that the kernel did not accept at once
};

}  // namespace headgate::redis
