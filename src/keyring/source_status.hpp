#pragma once
// The state of a source of keys. The source's loop updates it, and any thread may read it.

#include "headgate/keyring/keyring.hpp"

#include <mutex>
#include <string>
#include <utility>

namespace headgate::keyring {

/// The state of one source. Any thread.
class SourceStatus {
 public:
  explicit SourceStatus(std::string source, SourceKind kind = SourceKind::keys) {
    report_.source = std::move(source);
    report_.kind = kind;
  }

  SourceReport report() const {
    const std::lock_guard lock(mutex_);
    return report_;
  }
  /// Takes over the counts of the same source; `keys` is the number of its keys in force now.
  void go_on_from(SourceReport before, std::uint64_t keys) {
    const std::lock_guard lock(mutex_);
    before.source = report_.source;
    before.keys = keys;
    report_ = std::move(before);
  }
  /// Records that the source gave keys, or reported that they are unchanged.
  void succeeded(std::uint64_t keys, Instant now) {
    const std::lock_guard lock(mutex_);
    report_.keys = keys;
    report_.fetched = now;
    ++report_.successes;
    report_.fresh = true;
    report_.trouble.clear();
  }
  void failed(const std::string& why) {
    const std::lock_guard lock(mutex_);
    ++report_.failures;
    report_.fresh = false;
    report_.trouble = why;
  }

 private:
  mutable std::mutex mutex_;
  SourceReport report_;
};

}  // namespace headgate::keyring
