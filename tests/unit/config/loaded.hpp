#pragma once
// A configuration that must be right.

#include "headgate/config/diagnostic.hpp"
#include "headgate/config/load.hpp"

#include <gtest/gtest.h>

#include <string>
#include <utility>

namespace headgate::config {

/// Of `source`; fails the test with its diagnostics where it has any that prevent it.
inline Config loaded(const std::string& source) {
  auto result = load(source);
  EXPECT_TRUE(result.config) << render_text(result.diagnostics, "f", source);
  return result.config ? std::move(*result.config) : Config{};
}

/// What tells where `config` was read from is not there.
inline Config without_origin(Config config) {
  config.places = {};
  config.described = {};
  config.fingerprints = {};
  config.file.clear();
  config.sha256.clear();
  return config;
}

}  // namespace headgate::config
