#pragma once
// Waits until what an operator did has come to every gateway.

#include "blackbox/harness/gateway.hpp"

#include <chrono>
#include <string>
#include <thread>

namespace headgate::test {

inline int status_of(const Proxy& proxy, const std::string& source = "127.0.0.1") {
  return proxy.client(source).get().status();
}

/// Whether `holds` does at some moment `within` from now.
template <class Holds>
bool comes(std::chrono::steady_clock::duration within, Holds&& holds) {
  const auto end = std::chrono::steady_clock::now() + within;
  while (std::chrono::steady_clock::now() < end) {
    if (holds()) return true;
    std::this_thread::sleep_for(Milliseconds(20));
  }
  return false;
}

}  // namespace headgate::test
