#include "headgate/services/agreement_service.hpp"

#include "headgate/services/limit_shape.hpp"

#include <algorithm>

namespace headgate::services {
namespace {

constexpr std::size_t kMaxGateways = 1024;  // Maximum number of gateways that Redis counts.

std::string shape_words(const limit::Disagreement& one) {
  const bool several = one.gateways > 1;
  return several ? std::to_string(one.gateways) + " gateways, one of them is \"" + one.instance + '"'
                 : "gateway \"" + one.instance + '"';
}

}  // namespace

AgreementService::AgreementService(Clock& clock, OpenFingerprints open, TellDisagreement tell,
                                   TellGateways tell_gateways)
    : clock_(clock), open_(std::move(open)), tell_(std::move(tell)), tell_gateways_(std::move(tell_gateways)) {
  alarm_ = clock_.alarm([](void* self) { static_cast<AgreementService*>(self)->tick(); }, this);
}

void AgreementService::adopt(const std::shared_ptr<const ActiveConfig>& active) {
  auto config = active->config;
  const bool other_redis = !config_ || config_->redis != config->redis;
  config_ = std::move(config);
  own_ = fingerprints_of(config_->limits);
  const bool shared = config_->redis.has_value();
  if (shared_ && (other_redis || !shared)) {
    spawn(leave(std::exchange(shared_, nullptr)), "fingerprints of limits");
    nothing_to_compare();
    count_.forget();
  }
  tell_count();
  if (stopped_ || !shared) return;
  if (!shared_) shared_ = open_(*config_);
  tick();
}

void AgreementService::stop() {
  if (std::exchange(stopped_, true)) return;
  alarm_.reset();
  if (shared_) spawn(leave(std::exchange(shared_, nullptr)), "fingerprints of limits");
}

void AgreementService::tick() {
  if (stopped_ || !shared_) return;
  if (asking_) {
    again_ = true;
    return;
  }
  asking_ = true;
  again_ = false;
  spawn(compare(shared_from_this(), shared_), "fingerprints of limits");
}

Task<void> AgreementService::compare(std::shared_ptr<AgreementService> self,
                                     std::shared_ptr<limit::Fingerprints> shared) {
  auto call = shared->tell(self->own_, self->config_->instance);
  const auto answer = co_await call;
  self->asking_ = false;
  if (self->stopped_) co_return;
  // The configuration has changed since the call, so the answer is out of date.
  if (self->shared_ != shared || self->again_) {
    self->tick();
    co_return;
  }
  const auto now = self->clock_.steady();
  if (answer.has_value()) {
    self->answered_ = now;
    self->count_.told(static_cast<std::uint32_t>(std::min<std::size_t>(answer->gateways, kMaxGateways)), now);
    self->tell_count();
    self->told(answer->differ);
  } else if (now - self->answered_ > kTrusted) {
    self->nothing_to_compare();
  }
  self->alarm_->set(kPace);
}

/// Removes this gateway's fingerprints from `shared`, and then ends its connections.
Task<void> AgreementService::leave(std::shared_ptr<limit::Fingerprints> shared) {
  auto call = shared->leave();
  co_await call;  // If Redis does not answer, the fingerprints expire.
  shared->stop();
}

void AgreementService::told(const std::vector<limit::Disagreement>& differ) {
  std::vector<std::pair<std::string, std::string>> limits;
  limits.reserve(differ.size());
  for (const auto& one : differ) limits.emplace_back(one.limit, shape_words(one));
  tell_(limits);
}

void AgreementService::nothing_to_compare() { tell_({}); }

}  // namespace headgate::services
