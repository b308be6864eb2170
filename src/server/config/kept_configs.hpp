#pragma once
// The configuration in force as it was read, and the one before it, so that an operator can go back.

#include "ready_config.hpp"
#include "reload.hpp"

#include <cstdint>
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
    file_ = File::in_force;
    promoted_ = false;
  }
  /// What decided beside it took effect. The file says what was in force before, or neither of them.
  void use_promoted(ReadyConfig next) {
    file_ = file_ == File::in_force ? File::before : File::neither;
    before_ = std::exchange(now_, std::move(next));
    promoted_ = true;
  }
  /// The file was read, and cannot be used: it says what neither of them says.
  void refused_file() noexcept { file_ = File::neither; }
  /// previous() took effect; `same` is what was made from it. Then what it replaces is the previous one.
  void use_previous(ReadyConfig same) {
    before_ = std::exchange(now_, std::move(same));
    if (file_ != File::neither) file_ = is_file() ? File::before : File::in_force;
    promoted_ = false;
  }

  const ReadyConfig& now() const noexcept { return now_; }
  /// Not set: since the start nothing else was in force.
  const std::optional<ReadyConfig>& previous() const noexcept { return before_; }
  /// Whether what was read last is in force.
  bool is_file() const noexcept { return file_ == File::in_force; }
  /// Whether a candidate was promoted, and nothing else took effect since.
  bool is_promoted() const noexcept { return promoted_; }

 private:
  enum class File : std::uint8_t { in_force, before, neither };

  ReadyConfig now_;
  std::optional<ReadyConfig> before_;
  File file_ = File::in_force;  // which of them it is
  bool promoted_ = false;
};

}  // namespace headgate::server
