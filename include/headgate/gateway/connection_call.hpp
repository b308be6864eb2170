#pragma once
// What an operator asks about client connections: which there are, which requests are under way, and the end of some.
// Each worker looks at its own, some in each turn of its loop, and gives what it found to the call.

#include "headgate/core/time.hpp"

#include <boost/asio/ip/address.hpp>

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace headgate::gateway {

struct Totals;

/// The connections of one address, or of one block of IPv6.
struct AddressUse {
  std::uint32_t open = 0;
  std::uint32_t idle = 0;      ///< wait for the next request; those that do neither are about to send one
  std::uint32_t requests = 0;  ///< have a request under way
  Duration oldest{0};          ///< since it was accepted
};

/// Names a request among all that this process serves: nobody else ever has its name.
struct RequestName {
  std::uint32_t worker = 0;
  std::uint64_t connection = 0;
  std::uint64_t begun = 0;  ///< on the steady clock, in microseconds

  std::string text() const;  ///< "0-2f-1a2b3c"
  static std::optional<RequestName> read(std::string_view text);
  bool operator==(const RequestName&) const = default;
};

/// A request under way. Texts of its caller hold any bytes.
struct RequestUnderWay {
  RequestName name;
  Duration age{0};
  std::string method, host, path;  ///< without the query, as logged
  std::string route, upstream, server;
  boost::asio::ip::address address;  ///< as logged
  std::string limit, key;            ///< the limit that its answer names, and what it is counted by; in clear
  /// Values of ConnectionCall::Wanted::callers, in that order; empty if the caller has none.
  std::vector<std::string> callers;
  std::string_view state;
  std::uint64_t received = 0;  ///< bytes of its body
  std::uint64_t sent = 0;      ///< bytes of its answer
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
    std::uint64_t broken_off = 0;                 ///< requests whose connection was closed
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

}  // namespace headgate::gateway
