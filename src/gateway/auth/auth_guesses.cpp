#include "auth_guesses.hpp"

#include "gateway/callers/failures.hpp"

#include <string>

namespace headgate::gateway {

AuthGuesses::Guess::~Guess() {
  if (charged_) owner_->release(hash_, Said::nothing);  // end() was not called, because a bug ended the exchange
}

MaybeProblem AuthGuesses::begin(limit::Limiter& memory, Exchange& x, std::string_view credential, Guess& guess) {
  if (credential.empty()) return {};
  guess.owner_ = shared_from_this();
  guess.hash_ = keyed_hash(std::string(x.caller.ip_key) + '\n' + std::string(credential), seed_);
  const auto said = known(guess.hash_);
  if (said.value_or(false)) return {};
  if (auto limited = no_failure_left(memory, x)) return limited;
  if (said.has_value()) return {};
  auto found = charged_.find(guess.hash_);
  if (found == charged_.end()) {
    if (auto limited = reserve_failure(memory, x)) return limited;
    found = charged_.emplace(guess.hash_, Charged{.charge = FailureCharge(memory, x)}).first;
  }
  ++found->second.asking;
  guess.charged_ = true;
  return {};
}

void AuthGuesses::Guess::end(limit::Limiter& memory, Exchange& x, Said said) {
  if (!owner_) return;
  const bool tells = said == Said::right || said == Said::wrong;
  // Nothing was charged before the call, because the credential was right earlier. It is wrong now, so it is charged.
  if (said == Said::wrong && !charged_ && owner_->known(hash_).value_or(false))
    static_cast<void>(reserve_failure(memory, x));
  if (tells) owner_->remember(hash_, said == Said::right);
  if (std::exchange(charged_, false)) owner_->release(hash_, said);
}

std::optional<bool> AuthGuesses::known(const Hash& hash) const noexcept {
  const auto* const entry = known_.find(hash);
  if (entry == nullptr || entry->until <= clock_.steady()) return std::nullopt;
  return entry->right;
}

void AuthGuesses::remember(const Hash& hash, bool right) {
  const auto now = clock_.steady();
  auto* entry = known_.find(hash);
  if (entry == nullptr)
    entry = known_.insert(
        hash, [](const Known& a, const Known& b) { return a.until > b.until; }, [](const Known&) { return false; });
  if (entry == nullptr) return;
  // If a refused credential is repeated, its time is not extended, so the client is charged again after that time.
  if (entry->until <= now || entry->right || right) entry->until = now + kKnownFor;
  entry->right = right;
}

void AuthGuesses::release(const Hash& hash, Said said) {
  const auto found = charged_.find(hash);
  if (found == charged_.end()) return;
  auto& charged = found->second;
  charged.kept = charged.kept || said == Said::wrong || said == Said::avoided;
  charged.right = charged.right || said == Said::right;
  if (--charged.asking > 0) return;
  if ((charged.right || !charged.kept) && !stopped_) charged.charge.give_back();
  charged_.erase(found);
}

}  // namespace headgate::gateway
