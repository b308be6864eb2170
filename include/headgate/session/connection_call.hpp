#pragma once
// An operator's request about client connections: list them, list the requests under way, or end some of them. Each
// worker walks its own connections in several turns of its loop and adds its findings to the call. admin uses it.

#include "headgate/core/time.hpp"
#include "headgate/gateway/request_under_way.hpp"

#include <boost/asio/ip/address.hpp>

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace headgate::session {

using gateway::RequestName;
using gateway::RequestUnderWay;

struct Totals;

/// The connections of one address, or of one IPv6 block.
struct AddressUse {
  std::uint32_t open = 0;
  /// connections without a request under way that have not begun to send one
  std::uint32_t idle = 0;
  std::uint32_t requests = 0;  ///< requests under way on these connections
  Duration oldest{0};          ///< time since the oldest connection was accepted
};

/// A call shared by the operator's request and all workers. Thread-safe.
class ConnectionCall {
 public:
  enum class What : std::uint8_t {
    addresses,    ///< counts the connections of each address
    requests,     ///< lists requests under way, the oldest first
    end_request,  ///< ends the request `name`
    /// closes the connections of `address`, and ends its requests on other connections, such as those of a proxy
    end_address
  };
  struct Wanted {
    What what = What::addresses;
    std::size_t most = 0;  ///< maximum number of requests to list
    /// names of a route and a server; if set, only their requests are meant
    std::optional<std::string> route{}, server{};
    std::optional<boost::asio::ip::address> address{};  ///< an IPv6 address stands for its whole block
    RequestName name{};
    /// names of the values to list for each caller, as AccessLog::callers() returns them
    std::vector<std::string> callers{};
  };
  /// The findings of one worker.
  struct Part {
    std::map<std::string, AddressUse> addresses;  ///< connections by address or IPv6 block
    std::vector<RequestUnderWay> requests;        ///< the oldest ones, at most `most`
    std::uint64_t matching = 0;                   ///< number of matching requests, including those not listed
    std::uint64_t answered = 0;                   ///< requests that were ended and are answered with 503
    std::uint64_t broken_off = 0;                 ///< requests whose connection was closed, or whose stream was reset
    std::uint64_t closed = 0;                     ///< connections without a request that were closed
  };
  struct Found {
    std::size_t workers = 0;
    std::vector<Part> parts;  ///< one part for each worker that has answered
  };

  /// `all` is called once every worker has answered, on the thread of the last worker.
  ConnectionCall(Wanted wanted, std::function<void()> all) : wanted_(std::move(wanted)), all_(std::move(all)) {}

  const Wanted& wanted() const noexcept { return wanted_; }
  /// Drops the call because its caller has left: workers skip steps that have not begun.
  void give_up() noexcept { over_ = true; }
  bool over() const noexcept { return over_; }
  /// Takes the findings so far.
  Found take();

 private:
  friend class Sessions;
  friend void ask_workers(Totals& totals, const std::shared_ptr<ConnectionCall>& call);
  void asked(std::size_t workers);
  void answer(Part part);

  const Wanted wanted_;
  const std::function<void()> all_;
  std::atomic<bool> over_{false};
  std::mutex mutex_;
  Found found_;
};

/// Gives the call to all workers and returns without waiting. Without any worker the call is answered at once. Any
/// thread.
void ask_workers(Totals& totals, const std::shared_ptr<ConnectionCall>& call);

}  // namespace headgate::session
