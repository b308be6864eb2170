#pragma once
// A lease: the permits of one key that were taken in advance, in batches.

#include "refill.hpp"

#include "headgate/limit/leases.hpp"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>

namespace headgate::limit {

/// The permits that were taken in one call.
struct Leases::Batch {
  std::int64_t tokens = 0;
  Moment expires;
  Moment refund_by;
  /// The time at which the last token has come back. Each earlier token comes back before the next one by the time of
  /// one token.
  Moment due = Moment::min();

  bool alive(Moment now) const noexcept { return tokens > 0 && expires > now; }

  /// Returns the number of tokens that have come back and have not expired.
  std::int64_t usable(Moment now, const Rate& rate) const noexcept { return alive(now) ? ripe(now, rate) : 0; }
  /// Returns the number of tokens that have come back, even if they have expired.
  std::int64_t ripe(Moment now, const Rate& rate) const noexcept {
    if (due <= now) return tokens;
    const Wide ahead = std::chrono::ceil<Duration>(due - now).count();
    const Wide behind = (ahead * static_cast<std::int64_t>(rate.count) + rate.period.count() - 1) / rate.period.count();
    return behind < tokens ? tokens - static_cast<std::int64_t>(behind) : 0;
  }
  /// Returns the time at which `count` tokens will have come back.
  Moment due_of(std::int64_t count, const Rate& rate) const noexcept {
    if (due == Moment::min()) return due;
    return due - Duration(time_of(tokens - count, rate).whole);
  }
};

struct Leases::Lease {
  Hash hash;
  std::shared_ptr<const Rule> rule;
  std::string key;
  RateEstimate* estimate = nullptr;  ///< exists at least as long as the lease
  Batch older;                       ///< the batch that is used first
  Batch newer;
  Batch owed;                ///< tokens to give back to Redis
  Batch refunding;           ///< tokens that are being given back
  int lent = 0;              ///< number of receipts that may still be put back
  std::int64_t pledged = 0;  ///< number of tokens that will be part of the requested reservation
  std::int64_t granted = 0;  ///< number granted in the last call
  std::int64_t cost = 1;     ///< cost of the last request
  Moment full_at;
  Moment used;
  Moment rests_until;
  std::uint32_t generation = 0;
  unsigned caution = 0;
  unsigned crowded = 0;  ///< number of times that a reservation is halved, because other limiters reserve, too
  bool starts_anew = false;
  bool coming = false;
  bool low = false;           ///< whether the lease is in low_
  bool over = false;          ///< whether the lease must end: the limit has another size now, or all leases are ending
  bool counted_on = false;    ///< see Leases::counted_on()
  bool short_of = false;      ///< whether a request found too few permits here and in Redis
  bool among_others = false;  ///< whether other limiters had reserved permits before the last reservation
  bool anew = false;          ///< whether permits were given back, so that Redis may have more than the reservation

  std::int64_t tokens(Moment now) const noexcept {
    return (older.alive(now) ? older.tokens : 0) + (newer.alive(now) ? newer.tokens : 0);
  }
  std::int64_t usable(Moment now) const noexcept {
    return older.usable(now, rule->rate) + newer.usable(now, rule->rate);
  }
  /// See Leases::going_back.
  std::int64_t going_back(Moment now) const noexcept {
    std::int64_t all = refunding.ripe(now, rule->rate);
    if (owed.refund_by > now) all += owed.ripe(now, rule->rate);
    for (const Batch* batch : {&older, &newer})
      if (batch->tokens > 0 && batch->expires <= now && batch->refund_by > now) all += batch->ripe(now, rule->rate);
    return all;
  }
  /// Returns the time at which there will be `count` tokens in total; Moment::max() if there will never be that many.
  Moment due_of(std::int64_t count, Moment now) const noexcept {
    const Rate& rate = rule->rate;
    const bool with_older = older.alive(now);
    if (with_older && older.tokens >= count) return older.due_of(count, rate);
    if (!newer.alive(now)) return Moment::max();
    if (with_older && older.tokens + newer.tokens >= count)
      if (const auto both = std::max(older.due, newer.due_of(count - older.tokens, rate)); both < older.expires)
        return both;
    return newer.tokens >= count ? newer.due_of(count, rate) : Moment::max();
  }
  /// Removes all tokens and returns their number.
  std::int64_t take_all() noexcept {
    std::int64_t all = 0;
    for (Batch* batch : {&owed, &older, &newer}) all += std::exchange(*batch, {}).tokens;
    return all;
  }

  void add(const Batch& batch) noexcept {
    if (older.tokens > 0 && newer.tokens > 0) {  // merged batches may count as older, but never as younger
      if (older.due != newer.due) {
        end(older);
        older = newer;
      } else {
        older.tokens += newer.tokens;
        older.refund_by = std::min(older.refund_by, newer.refund_by);
        older.expires = std::min(older.expires, newer.expires);
      }
      newer = {};
    } else if (newer.tokens > 0) {
      older = std::exchange(newer, {});
    }
    (older.tokens > 0 ? newer : older) = batch;
  }
  void owe(const Batch& batch) noexcept {
    owed.refund_by = owed.tokens > 0 ? std::min(owed.refund_by, batch.refund_by) : batch.refund_by;
    owed.due = owed.tokens > 0 ? std::max(owed.due, batch.due) : batch.due;
    owed.tokens += batch.tokens;
  }
  void end(Batch& batch) noexcept { owe(std::exchange(batch, {})); }
  void end_what_is_over(Moment now) noexcept {
    for (Batch* batch : {&older, &newer})
      if (batch->tokens > 0 && (over || batch->expires <= now)) end(*batch);
    // the window from which the permits were taken has ended, so it is too late for a refund
    if (owed.tokens > 0 && owed.refund_by <= now) owed = {};
  }
};

}  // namespace headgate::limit
