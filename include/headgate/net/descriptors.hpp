#pragma once
// The shares of the process's file descriptors: client connections first, then connections to servers, and a rest for
// the admin interface only. The kernel gives a new descriptor the lowest free number, so this number tells how many are
// in use.

#include "headgate/core/result.hpp"

#include <cstdint>

namespace headgate::net {

/// The shares of a process that may have `all` descriptors. `clients`, `servers` and `all` are upper bounds: a
/// connection is opened only if the number of its descriptor is below the bound of its kind.
struct DescriptorShares {
  int clients = 0;  ///< bound for client connections
  /// The bound for connections to servers, Redis and others. Only these connections may use the descriptors from
  /// `clients` up to this bound: a quarter of all, less the share of the admin interface.
  int servers = 0;
  int all = 0;
  int admin() const noexcept { return all - servers; }
};
DescriptorShares shares_of(int all) noexcept;
/// Returns the shares for the current limit of this process. Any thread.
DescriptorShares descriptor_shares() noexcept;

/// Returns about how many descriptors the process has open: the lowest free number. Takes two system calls, however
/// many are open. Any thread.
int descriptors_in_use() noexcept;

/// Returns whether the error only means that this process or machine is out of descriptors or memory. Such an error of
/// opening a connection says nothing about the other side.
bool is_own_want(const error_code& ec) noexcept;
/// The text for such an error in logs; "it" is the other side.
inline constexpr const char* kOwnWant = "this gateway has no descriptor left for a connection to it";

/// Counts a connection that was not opened for lack of descriptors, and logs at most one such connection in ten
/// seconds. Any thread.
void note_own_want() noexcept;
/// Returns the number of calls of note_own_want() since startup.
std::uint64_t own_wants() noexcept;

}  // namespace headgate::net
