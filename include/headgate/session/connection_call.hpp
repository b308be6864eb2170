#pragma once
// What an operator asks about client connections: which there are, which requests are under way, and the end of some.
// Each worker looks at its own, some in each turn of its loop, and gives what it found to the call.

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

/// The connections of one address, or of one block of IPv6.
struct AddressUse {
  std::uint32_t open = 0;
  std::uint32_t idle = 0;      ///< wait for the next request; those that do neither are about to send one
  std::uint32_t requests = 0;  ///< have a request under way
  Duration oldest{0};          ///< since it was accepted
};

/// Shared by whoever asks and by all workers. Thread-safe.
class ConnectionCall {
 public:
  enum class What : std::uint8_t {
    addresses,    ///< counts the connections of each address
    requests,     ///< lists requests under way, the oldest first
    end_request,  ///< ends the request `name`
    end_address   ///< closes the connections of `address`, and ends the requests of its callers
  };
  struct Wanted {
    What what = What::addresses;
    std::size_t most = 0;                               ///< requests that are listed
    std::optional<std::string> route{}, server{};       ///< only requests there
    std::optional<boost::asio::ip::address> address{};  ///< of IPv6: its whole block
    RequestName name{};
    std::vector<std::string> callers{};  ///< as AccessLog::callers()
  };
  /// What one worker found or ended.
  struct Part {
    std::map<std::string, AddressUse> addresses;  ///< by address, or block
    std::vector<RequestUnderWay> requests;        ///< the oldest `most`
    std::uint64_t matching = 0;                   ///< requests, also those that are not listed
    std::uint64_t answered = 0;                   ///< requests that were ended and get a 503
    std::uint64_t broken_off = 0;                 ///< requests whose connection was closed, or whose stream was reset
    std::uint64_t closed = 0;                     ///< connections without a request that were closed
  };
  struct Found {
    std::size_t workers = 0;
    std::vector<Part> parts;  ///< of those that have answered
  };

  /// `all` is called once every worker has answered, on the thread of the last one.
  ConnectionCall(Wanted wanted, std::function<void()> all) : wanted_(std::move(wanted)), all_(std::move(all)) {}

  const Wanted& wanted() const noexcept { return wanted_; }
  /// Nobody waits any more: what has not begun is left.
  void give_up() noexcept { over_ = true; }
  bool over() const noexcept { return over_; }
  /// Takes what has come so far.
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

/// Gives the call to all workers, and returns. Without a worker the call is answered at once. Any thread.
void ask_workers(Totals& totals, const std::shared_ptr<ConnectionCall>& call);

}  // namespace headgate::session
