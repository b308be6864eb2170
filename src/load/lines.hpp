#pragma once
// The connections to one target. Each carries one request at a time; a request that finds no free connection waits in a
// queue.

#include "request_writer.hpp"

#include "headgate/core/task.hpp"
#include "headgate/load/crowd.hpp"
#include "headgate/net/connect.hpp"
#include "headgate/net/read_buffer.hpp"

#include <boost/asio/io_context.hpp>

#include <chrono>
#include <coroutine>
#include <cstddef>
#include <deque>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace headgate::load {

/// The connections. Used only on the thread of the loop. Before the owner destroys this object, it calls close() and
/// runs the loop until running() is 0.
class Lines {
 public:
  using Moment = std::chrono::steady_clock::time_point;
  static constexpr std::size_t kMaxWaiting = 10'000;  ///< maximum number of requests in the queue

  /// The receiver of results.
  class Owner {
   public:
    virtual ~Owner() = default;
    virtual std::string_view ticket(std::uint32_t caller) const = 0;
    /// Returns whether a request should still be sent; called just before it leaves the queue. If the result is false,
    /// nothing more is reported about the request.
    virtual bool wants(const DueRequest& request) = 0;
    /// Called when a request that was sent at `sent` has ended. `queued` is when it was put into the queue.
    virtual void ended(const DueRequest& request, SeenAnswer seen, Moment queued, Moment sent) = 0;
  };

  /// `options` and `owner` outlive this object. Opens at most `most` connections, at least one.
  Lines(boost::asio::io_context& loop, const LoadOptions& options, const LoadTarget& target, std::size_t most,
        Owner& owner);

  /// Sends or queues a request. Returns false, without sending it, if too many requests wait already.
  bool send(const DueRequest& request, Moment now);
  /// Drops the queue, and returns the number of dropped requests.
  std::size_t forget_waiting();
  /// Ends all requests under way, and reports each of them to the owner as unfinished.
  void close();
  std::size_t running() const noexcept { return running_; }      ///< number of connections whose task has not ended
  std::size_t in_flight() const noexcept { return in_flight_; }  ///< number of requests that are sent or queued
  std::uint64_t opened() const noexcept { return opened_; }      ///< number of connections opened since the start

 private:
  struct Queued {
    DueRequest request;
    Moment at;
  };
  struct Line {
    net::StreamPtr stream;
    std::optional<net::ReadBuffer> buffer;
    std::optional<Queued> given;
    std::coroutine_handle<> parked;
  };
  class Parked;
  class Running;

  Task<void> run(Line& line);
  Task<SeenAnswer> ask(Line& line, const DueRequest& request, Moment& sent);
  Task<bool> connect(Line& line, Moment until, SeenAnswer& seen);
  void drop(Line& line);

  boost::asio::io_context& loop_;
  const LoadOptions& options_;
  const LoadTarget& target_;
  std::size_t most_;
  Owner& owner_;
  RequestWriter writer_;
  net::Blocks blocks_;
  net::Connector connector_;
  std::deque<Queued> waiting_;
  std::vector<std::unique_ptr<Line>> lines_;
  std::vector<Line*> free_;
  std::size_t running_ = 0;
  std::size_t in_flight_ = 0;
  std::uint64_t opened_ = 0;
  bool closing_ = false;
};

}  // namespace headgate::load
