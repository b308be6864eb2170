#pragma once
// Collects the events that the code under test reports.

#include "headgate/observe/logs.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace headgate::test {

/// The events that are reported while this object lives.
class Events {
 public:
  Events() {
    observe::tap_events([this](std::string_view name, std::string_view json) {
      lines.push_back(std::string(name) + ' ' + std::string(json));
    });
  }
  ~Events() { observe::tap_events({}); }
  Events(const Events&) = delete;
  Events& operator=(const Events&) = delete;

  std::vector<std::string> lines;
};

}  // namespace headgate::test
