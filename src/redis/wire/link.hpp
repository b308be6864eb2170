#pragma once
// Bytes to and from one server: connects to the first of its addresses that will do, TLS included, and writes without
// waiting.

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

/// What a link tells its user, on the worker's thread. Each may call back into the link, and close it.
class LinkUser {
 public:
  virtual ~LinkUser() = default;
  virtual void opened() = 0;  ///< bytes can be written; comes again where an address did not do and the next one does
  virtual void received(std::string_view bytes) = 0;
  virtual void wrote() = 0;                            ///< one system call carried bytes out
  virtual void closed(const std::string& reason) = 0;  ///< the connection is gone, or no address would do
};

/// Worker thread only. Its tasks keep it alive while it connects or writes. Closed and open as often as its user likes.
class Link : public std::enable_shared_from_this<Link> {
 public:
  Link(boost::asio::io_context& loop, std::shared_ptr<const Setup> setup);
  ~Link();
  Link(const Link&) = delete;
  Link& operator=(const Link&) = delete;

  /// Connects to `node`; `user` is kept until closed() was told or close() called.
  void open(const RedisNode& node, std::shared_ptr<LinkUser> user);
  /// Without a word to the user.
  void close();
  /// The other side is not what was looked for: the node's next address is tried, or closed(`reason`) told.
  void give_up(const std::string& reason);
  /// The other side is what was looked for: once it is lost, no other address of it is tried.
  void keep() noexcept { kept_ = true; }

  /// After opened(): sends now what the kernel takes, and the rest as soon as it can.
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

  std::string leaving_;               ///< what is being written
  std::string pending_;               ///< behind it
  std::array<char, 64UL * 1024> in_;  ///< holds the answers to a thousand calls: one turn of the loop reads them all

  std::uint64_t life_ = 0;  ///< what belongs to an earlier stream finds another number and does nothing
  bool kept_ = false;
  bool writing_ = false;  ///< the rest of what the kernel did not take at once
};

}  // namespace headgate::redis
