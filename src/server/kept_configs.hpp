#pragma once
// The configuration in force as it was read, and the one before it, so that an operator can go back.

#include "ready_config.hpp"
#include "reload.hpp"

#include <optional>
#include <utility>

namespace headgate::server {

/// Main thread only. A configuration that says the same as the one in force takes nothing's place: then the one before
/// both is still the one to go back to.
class KeptConfigs {
 public:
  /// The file was read, and what it says took effect.
  void use_file(ReadyConfig next) {
    if (now_.config && !changed_keys(*now_.config, *next.config).empty()) before_ = std::move(now_);
    now_ = std::move(next);
    is_file_ = true;
  }
  /// previous() took effect; `same` is what was made from it. Then what it replaces is the previous one.
  void use_previous(ReadyConfig same) {
    before_ = std::exchange(now_, std::move(same));
    is_file_ = !is_file_;
  }

  const ReadyConfig& now() const noexcept { return now_; }
  /// Not set: since the start nothing else was in force.
  const std::optional<ReadyConfig>& previous() const noexcept { return before_; }
  /// Whether what was read last is in force.
  bool is_file() const noexcept { return is_file_; }

 private:
  ReadyConfig now_;
  std::optional<ReadyConfig> before_;
  bool is_file_ = true;
};

}  // namespace headgate::server
