#pragma once
// How the descriptors that the process may have are shared: clients first, then connections to servers, and a rest that
// only the admin interface takes. The kernel gives the lowest number that is free, so a number says how many are in
// use.

#include "headgate/core/result.hpp"

#include <cstdint>

namespace headgate::net {

/// Of a process that may have so many. The numbers of each end before its own number; `all` is the limit.
struct DescriptorShares {
  int clients = 0;  ///< connections of clients
  int servers = 0;  ///< and to servers, Redis and others; a quarter of all, less what the admin interface has
  int all = 0;
  int admin() const noexcept { return all - servers; }
};
DescriptorShares shares_of(int all) noexcept;
/// Those of this process, as its limit is now. Any thread.
DescriptorShares descriptor_shares() noexcept;

/// About how many the process has open: the lowest number that is free. Two system calls, however many there are. Any
/// thread.
int descriptors_in_use() noexcept;

/// Whether an error of opening a connection says only that this process or machine has no more of something: of
/// descriptors or memory. It says nothing about the other side.
bool is_own_want(const error_code& ec) noexcept;
/// The same in words for logs, about the other side as "it".
inline constexpr const char* kOwnWant = "this gateway has no descriptor left for a connection to it";

/// Counts a connection that was not opened for want of descriptors, and logs one in ten seconds. Any thread.
void note_own_want() noexcept;
/// How many there were.
std::uint64_t own_wants() noexcept;

}  // namespace headgate::net
