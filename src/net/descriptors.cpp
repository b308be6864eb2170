#include "headgate/net/descriptors.hpp"

#include "headgate/observe/event.hpp"

#include <boost/system/errc.hpp>

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <limits>

namespace headgate::net {
namespace {

using WantTicks = std::chrono::steady_clock::duration;
constexpr auto kTellWantsEvery = std::chrono::seconds(10);
/// Descriptors for the admin interface: its connections, and a few that linger or are new.
constexpr int kMaxForAdmin = 352;
constexpr int kMinForAdmin = 8;

std::atomic<std::uint64_t> own_want_count{0};
std::atomic<WantTicks> last_told_want{WantTicks{}};

}  // namespace

DescriptorShares shares_of(int all) noexcept {
  const int admin = std::clamp(all / 16, std::min(kMinForAdmin, all / 8), kMaxForAdmin);
  return {.clients = all - all / 4, .servers = all - admin, .all = all};
}

DescriptorShares descriptor_shares() noexcept {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur > std::numeric_limits<int>::max())
    return shares_of(std::numeric_limits<int>::max());
  return shares_of(static_cast<int>(limit.rlim_cur));
}

int descriptors_in_use() noexcept {
  const int free = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  if (free < 0) return descriptor_shares().all;
  ::close(free);
  return free;
}

bool is_own_want(const error_code& ec) noexcept {
  namespace errc = boost::system::errc;
  return ec == errc::too_many_files_open || ec == errc::too_many_files_open_in_system || ec == errc::no_buffer_space ||
         ec == errc::not_enough_memory;
}

void note_own_want() noexcept {
  own_want_count.fetch_add(1, std::memory_order_relaxed);
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  auto last = last_told_want.load(std::memory_order_relaxed);
  if (last != WantTicks{} && now - last < kTellWantsEvery) return;
  if (!last_told_want.compare_exchange_strong(last, now, std::memory_order_relaxed)) return;
  observe::event(observe::LogLevel::error, "descriptors_short",
                 "connections to servers could not be opened: raise the limit of open files, or lower "
                 "\"bounds.connections\"",
                 {{"limit", descriptor_shares().all}, {"times", own_want_count.load(std::memory_order_relaxed)}});
}

std::uint64_t own_wants() noexcept { return own_want_count.load(std::memory_order_relaxed); }

}  // namespace headgate::net
