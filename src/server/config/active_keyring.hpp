#pragma once
// The keyring of the active configuration; each reload brings a new one.

#include "headgate/admin/admin_board.hpp"
#include "headgate/keyring/keyring.hpp"
#include "headgate/services/service.hpp"

#include <memory>
#include <utility>

namespace headgate::server {

/// Main thread only. Starts before the workers run, because they need its keys for their first requests.
class ActiveKeyring final : public services::Service {
 public:
  /// `board` must outlive this object.
  explicit ActiveKeyring(admin::AdminBoard& board) : board_(board) {}

  /// Stops the previous keyring and uses `next` in its place.
  void use(std::shared_ptr<keyring::Keyring> next) {
    stop();
    keyring_ = std::move(next);
    board_.use_keyring(keyring_);
  }
  void stop() override {
    if (keyring_) keyring_->stop();
  }

  /// Returns the keyring, or null before the first one.
  keyring::Keyring* get() const noexcept { return keyring_.get(); }
  keyring::Keyring* operator->() const noexcept { return get(); }

 private:
  admin::AdminBoard& board_;
  std::shared_ptr<keyring::Keyring> keyring_;
};

}  // namespace headgate::server
