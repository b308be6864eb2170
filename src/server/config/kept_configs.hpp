#pragma once
// The active configuration as it was read, and the previous one, so that an operator can go back.

#include "ready_config.hpp"
#include "reload.hpp"

#include <cstdint>
#include <optional>
#include <utility>

namespace headgate::server {

/// Main thread only. A configuration that is equal to the active one does not replace the previous one, which stays
/// available.
class KeptConfigs {
 public:
  /// Records that the file was read and has become active.
  void use_file(ReadyConfig next) {
    if (now_.config && !changed_keys(*now_.config, *next.config).empty()) before_ = std::move(now_);
    now_ = std::move(next);
    file_ = File::in_force;
    promoted_ = false;
  }
  /// Records that the candidate has become active. The file then contains the previous configuration, or neither the
  /// active nor the previous one.
  void use_promoted(ReadyConfig next) {
    file_ = file_ == File::in_force ? File::before : File::neither;
    before_ = std::exchange(now_, std::move(next));
    promoted_ = true;
  }
  /// Records that the file was read and cannot be used. The file then contains neither the active nor the previous
  /// configuration.
  void refused_file() noexcept { file_ = File::neither; }
  /// Records that previous() has become active again, as `same`, which was made from it. The configuration that was
  /// active until now becomes previous().
  void use_previous(ReadyConfig same) {
    before_ = std::exchange(now_, std::move(same));
    if (file_ != File::neither) file_ = is_file() ? File::before : File::in_force;
    promoted_ = false;
  }

  const ReadyConfig& now() const noexcept { return now_; }
  /// Returns the previous configuration; nothing if no other configuration has been active since the start.
  const std::optional<ReadyConfig>& previous() const noexcept { return before_; }
  /// Returns whether the active configuration is the one that was last read from the file.
  bool is_file() const noexcept { return file_ == File::in_force; }
  /// Returns whether a candidate was promoted, and no other configuration has become active since.
  bool is_promoted() const noexcept { return promoted_; }

 private:
  enum class File : std::uint8_t { in_force, before, neither };

  ReadyConfig now_;
  std::optional<ReadyConfig> before_;
  File file_ = File::in_force;  // which of the two configurations the file contains
  bool promoted_ = false;
};

}  // namespace headgate::server
