#pragma once
// A configuration as text, run request by request.

#include "support/rules.hpp"

#include "headgate/config/load.hpp"
#include "headgate/offline/offline_config.hpp"

#include <boost/asio/ip/address.hpp>

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace headgate::test {

struct SimulatedFile {
  explicit SimulatedFile(std::string_view text) {
    auto loaded = config::load(text);
    EXPECT_TRUE(loaded.config) << config::render_text(loaded.diagnostics, "it", text);
    if (!loaded.config) return;
    auto made = offline::OfflineConfig::make(*loaded.config);
    EXPECT_TRUE(made) << made.error();
    if (!made) return;
    offline = *made;
    simulation = offline->simulation({.start = kStart, .max_keys = 1000});
  }

  /// Sends it from 192.0.2.1 unless it has an address, and lets no time pass.
  unsigned status(engine::RequestArrival arrival) {
    if (arrival.address.is_unspecified()) arrival.address = boost::asio::ip::make_address("192.0.2.1");
    if (arrival.host.empty()) arrival.host = "api.example.com";
    unsigned out = 0;
    const std::function<void(const engine::ArrivalResult&)> tell = [&](const engine::ArrivalResult& decided) {
      out = decided.status;
      last_limit = decided.limit;
      last_tier = decided.tier;
    };
    simulation->send(arrival, tell);
    return out;
  }
  std::vector<unsigned> statuses(const engine::RequestArrival& arrival, std::size_t times) {
    std::vector<unsigned> out;
    while (out.size() < times) out.push_back(status(arrival));
    return out;
  }

  std::optional<offline::OfflineConfig> offline;
  std::unique_ptr<engine::Simulation> simulation;
  std::string last_limit;
  std::string last_tier;
};

}  // namespace headgate::test
