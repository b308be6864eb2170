#pragma once
// Asks the system's resolver for the addresses of names, without connecting. Used by server and upstream.

#include "headgate/core/result.hpp"
#include "headgate/net/stream.hpp"

#include <boost/asio/io_context.hpp>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace headgate::net {

/// A function that gets all addresses of a name, of both families, in the system's order; at least one. The error says
/// why there are none.
using LookedUp = std::function<void(const Result<std::vector<Tcp::endpoint>>&)>;

/// Look-ups on threads of their own. A resolver that hangs for half a minute delays neither the loop nor the end of the
/// process, because these threads are not joined. The loop's thread.
class LookUps {
 public:
  /// `loop` outlives this object.
  explicit LookUps(boost::asio::io_context& loop);
  ~LookUps();
  LookUps(const LookUps&) = delete;
  LookUps& operator=(const LookUps&) = delete;

  /// Looks the name up and calls `found` once, from the loop and not within ask(). If this object is destroyed before,
  /// `found` is never called. At most kAtOnce look-ups are under way; the others wait.
  void ask(const std::string& host, std::uint16_t port, LookedUp found);
  static constexpr std::size_t kAtOnce = 4;

 private:
  struct Question {
    std::string host;
    std::uint16_t port = 0;
    LookedUp found;
  };
  struct Shared;
  void begin(Question question);
  void ended();

  std::shared_ptr<Shared> shared_;
  std::deque<Question> waiting_;
  std::size_t under_way_ = 0;
};

}  // namespace headgate::net
