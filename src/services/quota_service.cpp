#include "headgate/services/quota_service.hpp"

#include "notice_json.hpp"

#include "headgate/observe/event.hpp"
#include "headgate/observe/logs.hpp"
#include "headgate/services/written_key.hpp"

#include <algorithm>
#include <charconv>
#include <chrono>

namespace headgate::services {
namespace {

/// Returns for how long after the end of its period a notice may still be sent, because answers may come late. The
/// notice stays marked until then.
Duration late(const limit::Notice& notice) noexcept {
  return std::clamp<Duration>(notice.until - notice.since, std::chrono::seconds(10), std::chrono::hours(1));
}

bool tells_from_redis(const limit::Limit& limit) noexcept {
  return !limit.notify_at.empty() && limit.store == limit::Store::redis;
}

}  // namespace

QuotaService::QuotaService(Clock& clock, OpenMarks open, SendWebhook send)
    : clock_(clock), open_(std::move(open)), send_(std::move(send)) {
  alarm_ = clock_.alarm([](void* self) { static_cast<QuotaService*>(self)->tick(); }, this);
  bell_ = clock_.bell([](void* self) { static_cast<QuotaService*>(self)->take_all(); }, this);
  inbox_.use([this] { bell_->ring(); });
}

void QuotaService::adopt(const std::shared_ptr<const ActiveConfig>& active) {
  auto config = active->config;
  const auto& limits = config->limits;
  const bool shared = config->redis && std::any_of(limits.begin(), limits.end(), tells_from_redis);
  const bool other_redis = !config_ || config_->redis != config->redis;
  config_ = std::move(config);
  if (marks_ && (other_redis || !shared)) std::exchange(marks_, nullptr)->stop();
  if (shared && !marks_ && !stopped_) marks_ = open_(*config_);
}

NoticeCounts QuotaService::counts() const {
  const std::lock_guard lock(mutex_);
  auto out = counts_;
  out.dropped += inbox_.dropped();
  return out;
}

void QuotaService::stop() {
  if (std::exchange(stopped_, true)) return;
  inbox_.use(nullptr);
  bell_.reset();
  take_all();
  alarm_->set(kLastWait);
  end_if_done();
}

QuotaService::Id QuotaService::read(const std::string& text) {
  constexpr std::size_t kDigits = 16;
  constexpr int kHex = 16;
  const char* const first = text.data() + (text.size() - 2 * kDigits);
  Id id;
  std::from_chars(first, first + kDigits, id.high, kHex);
  std::from_chars(first + kDigits, first + 2 * kDigits, id.low, kHex);
  return id;
}

void QuotaService::take_all() {
  for (auto& notice : inbox_.take()) consider(std::move(notice));
  const auto dropped = inbox_.dropped();
  if (std::exchange(inbox_dropped_, dropped) != dropped && drops_told_.pass(clock_.steady()))
    observe::event(observe::LogLevel::warning, "quota_notices_dropped",
                   "more keys reach their quotas than can be reported at once; their next requests report them",
                   {{"waiting", under_way_.size()}, drops_told_.left_out()});
}

void QuotaService::consider(limit::Notice notice) {
  const auto now = clock_.wall();
  if (!config_ || notice.until + late(notice) <= now) return;
  auto text = notice_id(notice, config_->instance);
  const auto id = read(text);
  forget_old(now);
  const auto known = known_.find(id);
  if ((known != known_.end() && known->second > now) || under_way_.contains(id)) return;
  if (under_way_.size() >= kMaxUnderWay) return drop();
  const bool shared = notice.store == limit::Store::redis && marks_ && !stopped_;
  under_way_.emplace(id, UnderWay{.text = std::move(text), .notice = std::move(notice)});
  if (!shared) return tell(id);
  ++calls_;
  spawn(agree(shared_from_this(), marks_, id), "mark of a notice");
}

/// Asks Redis which gateway sends the notice. If Redis does not answer, this gateway does; another gateway may then
/// send it too, with the same id.
Task<void> QuotaService::agree(std::shared_ptr<QuotaService> self, std::shared_ptr<limit::NoticeMarks> marks, Id id) {
  using Answer = limit::NoticeMarks::Answer;
  auto call = marks->take(self->under_way_.at(id).text, kHold);
  const auto answer = co_await call;
  --self->calls_;
  auto& one = self->under_way_.at(id);
  one.marked = answer.has_value() && *answer == Answer::ours;
  if (one.marked || answer.has_error()) {
    self->tell(id);
  } else {
    const auto end = one.notice.until + late(one.notice);
    self->remember(id, *answer == Answer::told ? end : std::min(end, self->clock_.wall() + kRenew));
    self->under_way_.erase(id);
  }
  self->end_if_done();
}

void QuotaService::tell(Id id) {
  const auto& one = under_way_.at(id);
  const auto notice = one.notice;
  auto told = notice;
  told.key = written_key(*config_, notice.limit, notice.key);
  auto body = notice_body(told, config_->instance, clock_.wall());
  const auto ended_here = [weak = weak_from_this(), id](notify::Fate fate) {
    if (const auto self = weak.lock()) self->ended(id, fate);
  };
  arm();
  if (!send_(one.text, std::move(body), ended_here)) {
    under_way_.erase(id);  // without a webhook in the configuration nobody can be notified
    return;
  }
  const auto key_id = observe::key_id(notice.key);
  observe::event(observe::LogLevel::info, "quota_reached",
                 notice.rejected ? "a request did not fit into its quota"
                                 : "a key has reached a part of its quota that \"notify_at\" names",
                 {{"limit", notice.limit},
                  {"rate", notice.rate},
                  {"key_id", key_id},
                  {"percent", notice.percent},
                  {"used", notice.used},
                  {"size", notice.size}});
  const std::lock_guard lock(mutex_);
  ++counts_.told[{notice.limit, notice.percent}];
}

void QuotaService::ended(Id id, notify::Fate fate) {
  const auto at = under_way_.find(id);
  if (at == under_way_.end()) return;
  const auto one = std::move(at->second);
  under_way_.erase(at);
  const auto now = clock_.wall();
  const auto end = one.notice.until + late(one.notice);
  const bool shared = one.notice.store == limit::Store::redis && marks_;
  if (fate == notify::Fate::dropped) {
    // The mark in Redis expires soon. Then the key's next request beyond the percentage makes some gateway send the
    // notice.
    if (!stopped_) drop();
  } else if (fate == notify::Fate::given_up) {
    remember(id, std::min(end, now + kRest));
    if (shared && end > now) {
      ++calls_;
      spawn(hold(shared_from_this(), marks_, one.text, std::min(kRest, end - now)), "mark of a notice");
    }
  } else {
    remember(id, end);
    if (shared && end > now) {
      ++calls_;
      spawn(mark_told(shared_from_this(), marks_, one.text, end), "mark of a notice");
    }
  }
  end_if_done();
}

Task<void> QuotaService::hold(std::shared_ptr<QuotaService> self, std::shared_ptr<limit::NoticeMarks> marks,
                              std::string text, Duration length) {
  auto call = marks->hold(std::move(text), length);
  co_await call;  // After an error another gateway may send the notice as well.
  --self->calls_;
  self->end_if_done();
}

Task<void> QuotaService::mark_told(std::shared_ptr<QuotaService> self, std::shared_ptr<limit::NoticeMarks> marks,
                                   std::string text, Instant until) {
  auto call = marks->told(text, until - self->clock_.wall());
  const auto failed = co_await call;
  --self->calls_;
  if (failed && !self->stopped_ && self->unmarked_.size() < kMaxUnderWay) {
    self->unmarked_.emplace(std::move(text), until);
    self->arm();
  }
  self->end_if_done();
}

void QuotaService::drop() {
  {
    const std::lock_guard lock(mutex_);
    ++counts_.dropped;
  }
  if (drops_told_.pass(clock_.steady()))
    observe::event(observe::LogLevel::warning, "quota_notices_dropped",
                   "more keys reach their quotas than can be reported at once; their next requests report them",
                   {{"waiting", under_way_.size()}, drops_told_.left_out()});
}

void QuotaService::remember(Id id, Instant until) {
  if (known_.insert_or_assign(id, until).second) order_.push_back(id);
}

/// Forgets notices that have expired, and the oldest ones if there are too many. If the key of a forgotten notice has
/// more requests, Redis is asked again, or the notice is sent again with the same id.
void QuotaService::forget_old(Instant now) {
  while (!order_.empty()) {
    const auto oldest = known_.find(order_.front());
    if (oldest != known_.end() && oldest->second > now && order_.size() < kRemembered) return;
    if (oldest != known_.end()) known_.erase(oldest);
    order_.pop_front();
  }
}

void QuotaService::tick() {
  armed_ = false;
  if (stopped_) {
    if (marks_) std::exchange(marks_, nullptr)->stop();
    return;
  }
  const auto now = clock_.wall();
  const auto marks = marks_;
  for (auto& [text, until] : std::exchange(unmarked_, {})) {
    if (!marks || until <= now) continue;
    ++calls_;
    spawn(mark_told(shared_from_this(), marks, text, until), "mark of a notice");
  }
  std::vector<std::string> marked;
  for (const auto& [id, one] : under_way_)
    if (one.marked) marked.push_back(one.text);
  for (auto& text : marked) {
    if (!marks) break;
    ++calls_;
    spawn(hold(shared_from_this(), marks, std::move(text), kHold), "mark of a notice");
  }
  if (!under_way_.empty() || !unmarked_.empty()) arm();
}

void QuotaService::arm() {
  if (stopped_ || armed_) return;
  armed_ = true;
  alarm_->set(kRenew);
}

/// After stop(), ends the connections when the last webhook and the last mark are done. Then the loop can end, too.
void QuotaService::end_if_done() {
  if (!stopped_ || !under_way_.empty() || calls_ > 0) return;
  alarm_.reset();
  if (marks_) std::exchange(marks_, nullptr)->stop();
}

}  // namespace headgate::services
