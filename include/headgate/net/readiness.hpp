#pragma once
// Which connections can be read or written: one edge-triggered epoll set inside the worker's Asio loop.
// Asio's own readiness costs an epoll_ctl a wait (Boost 1.81, descriptor waits re-arm by EPOLL_CTL_MOD), two a proxied
// request; here a connection is registered once. Measured at 64 connections and 128 bytes: 14.3 µs of CPU a request
// before.

#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/basic_stream_descriptor.hpp>
#include <boost/smart_ptr/intrusive_ptr.hpp>

#include <cstddef>
#include <vector>

namespace headgate::net {

class Stream;

/// A service of an io_context, made at first use. Its loop's thread only. Waits only while connections are registered,
/// so a loop whose connections are all closed can run dry.
class Readiness final : public boost::asio::execution_context::service {
 public:
  using key_type = Readiness;
  inline static boost::asio::execution_context::id id;

  explicit Readiness(boost::asio::execution_context& context);

  /// From now on `stream` is told of each edge at `descriptor`. Throws std::system_error where the kernel has no memory
  /// for it.
  void add(int descriptor, Stream& stream);
  /// Gives `stream` a turn once the others that are ready have had theirs, for what it has not read yet: the kernel
  /// tells of that once only.
  void repeat(Stream& stream);
  /// The descriptor is about to be closed, which ends its registration.
  void remove() noexcept;

 private:
  using Descriptor = boost::asio::posix::basic_stream_descriptor<boost::asio::io_context::executor_type>;
  void shutdown() override;
  void wait();
  void dispatch();
  void dispatch_repeats();

  Descriptor set_;
  std::size_t registered_ = 0;
  std::vector<boost::intrusive_ptr<Stream>> repeats_;
  bool waiting_ = false;
};

}  // namespace headgate::net
