#pragma once
// A port for a program that cannot choose one itself.

#include <cstdint>

namespace headgate::test {

/// A port that nobody uses on any address. It is below those that the kernel gives away by itself: of these, anybody's
/// next outgoing connection may get it, and then no wildcard address can be bound to it.
std::uint16_t free_port();

}  // namespace headgate::test
