#include "headgate/gateway/reservations/reservation_book.hpp"

#include "headgate/core/random.hpp"

#include <algorithm>

namespace headgate::gateway {
namespace {

constexpr std::size_t kInstanceDigits = 16;
constexpr std::size_t kNameDigits = 32;

bool is_reservation_id(std::string_view id) noexcept {
  return id.size() == kInstanceDigits + 1 + kNameDigits && id[kInstanceDigits] == '-' &&
         id.find_first_not_of("0123456789abcdef-") == id.npos;
}

}  // namespace

void SettleInbox::put(std::shared_ptr<SettleCall> call) {
  const std::lock_guard lock(mutex_);
  if (!bell_) return;
  calls_.push_back(std::move(call));
  bell_->ring();
}

std::vector<std::shared_ptr<SettleCall>> SettleInbox::take() {
  const std::lock_guard lock(mutex_);
  return std::exchange(calls_, {});
}

std::vector<std::shared_ptr<SettleCall>> SettleInbox::close() {
  const std::lock_guard lock(mutex_);
  bell_.reset();
  return std::exchange(calls_, {});
}

ReservationBook::ReservationBook(std::size_t most)
    : most_(most), instance_(random_name().substr(0, kInstanceDigits) + '-') {}

std::optional<std::string> ReservationBook::open(std::string_view owner, std::vector<std::string> limits,
                                                 std::shared_ptr<SettleInbox> worker) {
  auto id = instance_ + random_name();
  const std::lock_guard lock(mutex_);
  const auto known = owners_.find(owner);
  const auto has = known == owners_.end() ? 0 : known->second;
  if (has >= most_ - entries_.size()) {
    ++refused_;
    return std::nullopt;
  }
  if (!entries_.emplace(id, Entry{std::string(owner), std::move(limits), std::move(worker)}).second)
    return std::nullopt;
  if (known == owners_.end())
    owners_.emplace(owner, 1);
  else
    ++known->second;
  return id;
}

// The call is put into the inbox under the lock, so that a worker that stops finds either the entry or the call.
ReservationBook::Claimed ReservationBook::claim(const std::shared_ptr<SettleCall>& call) {
  using Kind = Claimed::Kind;
  const auto& said = call->said;
  const std::lock_guard lock(mutex_);
  const auto found = entries_.find(said.reservation);
  if (found == entries_.end()) {
    const bool elsewhere = is_reservation_id(said.reservation) && !said.reservation.starts_with(instance_);
    return {.kind = elsewhere ? Kind::elsewhere : Kind::unknown};
  }
  const auto& limits = found->second.limits;
  for (const auto& [limit, used] : said.used)
    if (std::ranges::find(limits, limit) == limits.end())
      return {.kind = Kind::unknown_limit, .limit = limit, .limits = limits};
  const auto worker = found->second.worker;
  erase(found);
  worker->put(call);
  return {.kind = Kind::taken};
}

bool ReservationBook::close(std::string_view id) {
  const std::lock_guard lock(mutex_);
  const auto found = entries_.find(id);
  if (found == entries_.end()) return false;
  erase(found);
  return true;
}

void ReservationBook::erase(Entries::iterator entry) {
  if (const auto owner = owners_.find(entry->second.owner); owner != owners_.end() && --owner->second == 0)
    owners_.erase(owner);
  entries_.erase(entry);
}

ReservationBook::Counts ReservationBook::counts() const {
  const std::lock_guard lock(mutex_);
  Counts out{.open = entries_.size(), .refused = refused_};
  for (const auto& [owner, open] : owners_) {
    if (open <= out.of_owner) continue;
    out.owner = owner;
    out.of_owner = open;
  }
  return out;
}

}  // namespace headgate::gateway
