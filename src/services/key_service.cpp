#include "headgate/services/key_service.hpp"

#include "write_keys.hpp"

#include "headgate/identity/key_record.hpp"
#include "headgate/observe/event.hpp"

#include <algorithm>
#include <utility>

namespace headgate::services {
namespace {

using identity::ApiKeyRecord;
using observe::LogLevel;
using Done = KeyService::Done;
using Answer = Result<Done, Refusal>;

constexpr auto kTryAgain = std::chrono::seconds(5);
/// Lifetime of an entry, the longest that a log can express. The entry need not end with the key, because the record
/// itself says when the key expires.
constexpr auto kHolds = std::chrono::hours(24 * 3600);

Answer refused(unsigned status, std::string why) {
  return Answer(boost::system::in_place_error, Refusal{status, std::move(why)});
}

limit::LogEntry entry_of(const ApiKeyRecord& record, Instant now) {
  return {.since = now, .until = now + kHolds, .text = identity::record_text(record)};
}

Hash name_of(const ApiKeyRecord& record) {
  return LogRefill::name_of("", {reinterpret_cast<const char*>(record.digest.data()), record.digest.size()});
}

bool is_shared(const ApiKeyRecord& record) noexcept { return record.issued || record.revoked; }

/// Returns whether the record fits into a log entry. A record from the file may be too long, because people may have
/// added to it.
bool is_short(const ApiKeyRecord& record) { return identity::record_text(record).size() <= identity::kLongestShared; }

void tell_of(std::string_view name, std::string_view sentence, const ApiKeyRecord& record) {
  const auto id = identity::id_of(record.digest);
  observe::event(LogLevel::warning, name, sentence, {{"id", id}, {"owner", record.owner}});
}

}  // namespace

struct KeyService::Written {
  std::vector<Waiting> issue;
  std::vector<Waiting> revoke;
  Records held;  ///< The records that were not in the file before the write.
  std::string file;
  KeyFileResult result;
};

KeyService::KeyService(Clock& clock, OpenLog open)
    : clock_(clock),
      calls_(clock),
      open_(std::move(open)),
      log_(std::make_shared<LogExchange>(clock, [this](const std::vector<limit::LogEntry>& entries,
                                                       const std::function<void()>& done) { apply(entries, done); })),
      refill_(clock, *log_, [this] { return known(); }),
      alarm_(clock.alarm([](void* self) { static_cast<KeyService*>(self)->write(); }, this)) {}

void KeyService::serve(RunAside aside, Use use, TellTrouble trouble) {
  aside_ = std::move(aside);
  use_ = std::move(use);
  tell_trouble_ = std::move(trouble);
}

void KeyService::adopt(const std::shared_ptr<const ActiveConfig>& active) {
  if (const auto& keys = active->credentials) in_force({keys, &keys->api_keys()});
  const auto before = std::exchange(config_, active->config);
  const auto& now = config_->identity.api_key;
  const bool other_file = !before || before->identity.api_key.file != now.file;
  const bool begins = other_file || !before->identity.api_key.issue || before->redis != config_->redis;
  // Keys that were issued belong to the old file, so they are not written to the new one. But a revoked key stays
  // revoked, whichever file is used.
  if (before && other_file) std::erase_if(unwritten_, [](const auto& each) { return !each.second.revoked; });
  if (!now.issue) {
    refuse_waiting("the configuration no longer allows issuing and revoking keys");
    trouble({});
  }
  count();
  if (stopped_) return;
  if (!now.issue || !config_->redis) {
    if (log_->has_log()) log_->use(nullptr);
  } else if (begins || !log_->has_log()) {
    log_->use(open_(*config_));
  }
}

void KeyService::in_force(std::shared_ptr<const identity::ApiKeys> keys) {
  if (keys == keys_) return;
  keys_ = std::move(keys);
  note_ended();
  count();
}

/// Records the revoked keys, so that they stay revoked in this process even if an old file is restored, for example
/// from a backup.
void KeyService::note_ended() {
  for (const auto& each : keys_->records())
    if (each.revoked) ended_.insert_or_assign(each.digest, each);
  const auto at = clock_.wall();
  std::erase_if(ended_, [at](const auto& each) { return identity::is_past(each.second, at); });
  bool any = false;
  for (const auto& [digest, end] : ended_) {
    const auto* const now = keys_->find(digest);
    if (now == nullptr || !now->revoked) any = unwritten_.insert_or_assign(digest, end).second || any;
  }
  if (any) calls_.post([this] { hold_ended(); });
}

void KeyService::hold_ended() {
  if (stopped_ || !use_) return;
  observe::event(
      LogLevel::warning, "revoked_keys_kept",
      "the key file lists revoked keys as valid; they stay revoked, and headgate marks them as revoked in the file",
      {{"source", file()}});
  count_unwritten();
  use_(unwritten(), [] {});
  write();
}

/// Answers the callers whose changes have not been written, because nothing is written any more.
void KeyService::refuse_waiting(const char* why) {
  for (const auto& each : std::exchange(to_issue_, {}))
    each.tell(refused(409, "No key was issued: " + std::string(why) + '.'));
  for (const auto& each : std::exchange(to_revoke_, {})) each.tell(Done{.record = each.record, .unwritten = why});
}

KeyService::Records KeyService::unwritten() const {
  Records out;
  for (const auto& [digest, record] : unwritten_) out.push_back(record);
  return out;
}

void KeyService::issue(ApiKeyRecord record, Tell tell) {
  if (stopped_ || !use_) return tell(refused(503, "This gateway is shutting down."));
  if (!config_->identity.api_key.issue)
    return tell(refused(409, "No key can be issued here: \"identity.api_key.issue\" is not true."));
  const auto& all = keys_->records();
  const auto has_id = [&](const ApiKeyRecord& each) { return identity::same_id(each.digest, record.digest); };
  if (std::any_of(all.begin(), all.end(), has_id) ||
      std::any_of(to_issue_.begin(), to_issue_.end(), [&](const auto& each) { return has_id(each.record); }))
    return tell(refused(409, "There is a key with this SHA-256 already, or one that begins with the same id: " +
                                 identity::id_of(record.digest) + '.'));
  if (counts().issued + to_issue_.size() >= kMaxIssued)
    return tell(refused(409, "There are " + std::to_string(kMaxIssued) +
                                 " issued keys already, including revoked ones, and no more are accepted."));
  record.issued = std::chrono::floor<std::chrono::seconds>(clock_.wall());
  to_issue_.push_back({std::move(record), std::move(tell)});
  write();
}

void KeyService::revoke(const std::string& id, Tell tell) {
  if (stopped_ || !use_) return tell(refused(503, "This gateway is shutting down."));
  if (!config_->identity.api_key.issue)
    return tell(refused(409, "No key can be revoked here: \"identity.api_key.issue\" is not true."));
  const ApiKeyRecord* found = nullptr;
  const auto named = identity::named_by(id);
  for (const auto& each : keys_->records()) {
    if (!identity::same_id(each.digest, named)) continue;
    if (found != nullptr && found->digest != each.digest)
      return tell(refused(409, "Several keys have this id: change the key file by hand."));
    if (found == nullptr) found = &each;
  }
  if (found == nullptr) return tell(refused(404, "No key has this id."));
  const bool again = found->revoked.has_value();
  const auto record = identity::revoked_at(*found, clock_.wall());
  if (!again) tell_of("key_revoked", "an operator revoked an API key", record);
  hold(record);
  share(record);
  use_(unwritten(), [self = shared_from_this(), record, tell = std::move(tell)] {
    self->calls_.dispatch([to = self.get(), record, tell] {
      to->to_revoke_.push_back({record, tell});
      to->write();
    });
  });
}

/// Holds a record in memory until the file has it.
void KeyService::hold(const ApiKeyRecord& record) {
  unwritten_.insert_or_assign(record.digest, record);
  count_unwritten();
}

void KeyService::share(const ApiKeyRecord& record) {
  if (!log_->has_log() || !is_short(record)) return;
  log_->add(entry_of(record, clock_.wall()));
  refill_.seen(name_of(record));
  log_->hurry();
}

/// Writes all waiting changes with one write. The next write begins when this one has ended.
void KeyService::write() {
  if (stopped_ || writing_) return;
  if (!config_->identity.api_key.issue)
    return refuse_waiting("the configuration no longer allows issuing and revoking keys");
  if (to_issue_.empty() && to_revoke_.empty() && unwritten_.empty()) return;
  const auto work = std::make_shared<Written>();
  work->issue = std::exchange(to_issue_, {});
  work->revoke = std::exchange(to_revoke_, {});
  work->held = unwritten();
  work->file = file();
  auto changes = work->held;
  for (const auto& each : work->issue) changes.push_back(each.record);
  writing_ = true;
  const bool runs = aside_([self = shared_from_this(), work, changes = std::move(changes), now = clock_.wall()] {
    work->result = write_keys(work->file, changes, now);
    self->calls_.post([to = self.get(), work] { to->written(work); });
  });
  if (runs) return;
  writing_ = false;
  for (const auto& each : work->issue) each.tell(refused(503, "This gateway is shutting down."));
}

void KeyService::written(const std::shared_ptr<Written>& work) {
  writing_ = false;
  if (stopped_) return;
  auto& [failed, known_before] = work->result;
  if (failed.empty() && work->file != file()) failed = "a reload has meanwhile named another key file";
  if (failed.empty()) {
    // Releases the records that were written. A record that has changed during the write, for example by a revocation,
    // is still to be written.
    for (const auto& each : work->held)
      if (const auto at = unwritten_.find(each.digest); at != unwritten_.end() && at->second == each)
        unwritten_.erase(at);
    count_unwritten();
  }
  if (failed.empty() || !unwritten_.empty()) trouble(failed);
  std::vector<Waiting> issued;
  for (std::size_t i = 0; i < work->issue.size(); ++i) {
    auto& each = work->issue[i];
    if (!failed.empty())
      each.tell(refused(500, "No key was issued, because the key file cannot be changed: " + failed + '.'));
    else if (known_before[work->held.size() + i])
      each.tell(refused(409, "The key file has a key with this SHA-256 already."));
    else
      issued.push_back(std::move(each));
  }
  if (failed.empty()) use_written(std::move(issued));
  for (const auto& each : work->revoke) tell_spread({.record = each.record, .unwritten = failed}, each.tell);
  if (!failed.empty()) alarm_->set(kTryAgain);
  if (failed.empty() || !to_issue_.empty() || !to_revoke_.empty()) write();
}

/// Shares and applies the issued keys after the file has them.
void KeyService::use_written(std::vector<Waiting> issued) {
  for (const auto& each : issued) {
    tell_of("key_issued", "an operator issued an API key", each.record);
    share(each.record);
  }
  use_(unwritten(), [self = shared_from_this(), issued = std::move(issued)] {
    for (const auto& each : issued) self->tell_spread({.record = each.record}, each.tell);
  });
}

void KeyService::tell_spread(Done done, const Tell& tell) {
  calls_.dispatch([this, done = std::move(done), tell]() mutable {
    if (!log_->has_log()) return tell(std::move(done));
    log_->when_heard([done = std::move(done), tell](const Spread& spread) mutable {
      done.spread = spread;
      tell(std::move(done));
    });
  });
}

void KeyService::apply(const std::vector<limit::LogEntry>& entries, const std::function<void()>& done) {
  const auto at = clock_.wall();
  std::size_t learned = 0;
  std::size_t revoked = 0;
  std::size_t left_out = 0;
  for (const auto& entry : entries) {
    const auto record = identity::read_record(entry.text);
    if (!record || !is_shared(*record)) continue;
    const auto* const here = keys_->find(record->digest);
    // If the key is revoked here and the log has only the entry that it was issued, the revocation is still missing
    // from the log.
    if (record->revoked || !ended_.contains(record->digest)) refill_.seen(name_of(*record));
    const bool news = record->revoked ? here == nullptr || !here->revoked : here == nullptr;
    if (!news || identity::is_past(*record, at)) continue;
    if (!record->revoked && ended_.contains(record->digest)) continue;
    if (!record->revoked && counts().issued + learned >= kMaxIssued) {
      ++left_out;
      continue;
    }
    // This page may also have an older entry of the same key, which must not undo the revocation.
    const auto held = unwritten_.find(record->digest);
    if (held != unwritten_.end() && held->second.revoked) continue;
    if (record->revoked) {
      ++revoked;
      if (here != nullptr) tell_of("key_revoked", "an operator revoked an API key at another gateway", *record);
    }
    hold(*record);
    ++learned;
  }
  if (left_out > 0)
    observe::event(LogLevel::error, "issued_keys_left_out",
                   "there are too many issued API keys, so some of other gateways were left out",
                   {{"count", left_out}, {"most", kMaxIssued}});
  if (learned == 0 || !use_) return done();
  observe::event(LogLevel::info, "keys_learned", "other gateways issued or revoked API keys",
                 {{"issued", learned - revoked}, {"revoked", revoked}});
  use_(unwritten(), done);
  write();
}

/// Returns the entries that the log should have.
std::vector<LogRefill::Known> KeyService::known() const {
  std::vector<LogRefill::Known> out;
  const auto at = clock_.wall();
  const auto add = [&](const ApiKeyRecord& record) {
    if (identity::is_past(record, at) || !is_short(record)) return;
    out.push_back({name_of(record), entry_of(record, at)});
  };
  for (const auto& record : keys_->records())
    if (record.issued && !ended_.contains(record.digest)) add(record);
  for (const auto& [digest, record] : ended_) add(identity::revoked_at(record, at));
  return out;
}

/// Logs each cause once.
void KeyService::trouble(const std::string& why) {
  if (trouble_ == why) return;
  trouble_ = why;
  if (!why.empty())
    observe::event(LogLevel::error, "key_file_unwritten",
                   "the key file cannot be written, and a restart may forget issued or revoked API keys",
                   {{"reason", why}});
  if (tell_trouble_) tell_trouble_(why);
}

void KeyService::count() {
  Counts now{.on = config_ && config_->identity.api_key.issue, .unwritten = unwritten_.size()};
  if (keys_) {
    for (const auto& each : keys_->records()) {
      now.issued += is_shared(each) ? 1 : 0;
      now.revoked += each.revoked ? 1 : 0;
    }
  }
  const std::lock_guard lock(mutex_);
  counts_ = now;
}

void KeyService::count_unwritten() {
  const std::lock_guard lock(mutex_);
  counts_.unwritten = unwritten_.size();
}

KeyService::Counts KeyService::counts() const {
  const std::lock_guard lock(mutex_);
  return counts_;
}

void KeyService::stop() {
  stopped_ = true;
  alarm_.reset();
  refill_.stop();
  log_->stop();
  to_issue_.clear();
  to_revoke_.clear();
  use_ = nullptr;
  aside_ = nullptr;
}

}  // namespace headgate::services
