#pragma once
// Further permits for a streamed answer that has used its hold.

#include "gateway/path/path.hpp"

#include "headgate/core/task.hpp"
#include "headgate/gateway/exchange.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace headgate::gateway {

/// The holds of one exchange while its answer passes. Lives in the exchange's relay. Worker thread only.
class Extension {
 public:
  Extension(Path& path, Exchange& x) noexcept : path_(path), x_(x) {}

  /// Returns whether what has passed so far has used the hold of a limit with `extend`. Call it after the bytes have
  /// passed.
  bool is_due() noexcept;
  /// Takes a quarter of the hold more, or what is left. Returns false if nothing is left, so that the stream must end;
  /// x then names the limit. A store that does not answer ends no stream.
  Task<bool> take();

 private:
  /// The checks of one store.
  struct Asked {
    std::vector<limit::Check> checks;
    std::vector<limit::Decision> decisions;
    std::vector<CheckedLimit*> limits;  ///< the limit of each check
    std::vector<std::size_t> at;        ///< index of each check in the admission
  };

  bool extends(const CheckedLimit& checked) const noexcept;
  std::int64_t held(const CheckedLimit& checked) const noexcept;
  void collect(bool in_redis, std::int64_t most, Asked& out);
  Task<Result<bool>> decide(Asked& here, Asked& there);
  void give_back(const Asked& asked);
  void taken(const Asked& asked);
  /// Returns the least that the rejecting rules have left, and notes the limit of the least.
  std::int64_t left(const Asked& here, const Asked& there);

  Path& path_;
  Exchange& x_;
  std::uint64_t next_at_ = 0;  ///< number of bytes of the answer at which the holds are compared again
};

}  // namespace headgate::gateway
