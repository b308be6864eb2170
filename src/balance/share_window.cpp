#include "headgate/balance/share_window.hpp"

namespace headgate::balance {

void ShareWindow::add(Steady now, std::uint32_t good, std::uint32_t bad) noexcept {
  if (now - begun_ >= part_ * static_cast<int>(kParts)) {
    clear();
    begun_ = now;
  }
  while (now - begun_ >= part_) {
    begun_ += part_;
    at_ = (at_ + 1) % kParts;
    good_ -= parts_[at_].good;
    bad_ -= parts_[at_].bad;
    parts_[at_] = {};
  }
  parts_[at_].good += good;
  parts_[at_].bad += bad;
  good_ += good;
  bad_ += bad;
}

void ShareWindow::clear() noexcept {
  parts_ = {};
  good_ = 0;
  bad_ = 0;
}

}  // namespace headgate::balance
