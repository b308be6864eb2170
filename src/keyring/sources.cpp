#include "sources.hpp"

#include "headgate/observe/event.hpp"
#include "headgate/usage/prices.hpp"

#include <algorithm>
#include <utility>

namespace headgate::keyring {
namespace {

using Done = Result<void, std::string>;

}  // namespace

Keyring::Sources::Sources(boost::asio::io_context& loop, const identity::IdentityOptions& options,
                          const RefreshPolicy& policy)
    : loop_(loop),
      api_key_(options.api_key),
      jwt_(options.jwt),
      address_paths_(options.address_files),
      user_paths_(options.user_files),
      price_path_(options.price_file),
      policy_(policy),
      timer_(loop) {}

Done Keyring::Sources::read(const Sources* before) {
  if (auto done = read_api_key_file(); done.has_error()) return done;
  if (auto done = open_issuers(before); done.has_error()) return done;
  if (auto done = read_address_files(); done.has_error()) return done;
  if (auto done = read_user_files(before); done.has_error()) return done;
  if (auto done = read_price_file(); done.has_error()) return done;
  return renew(true, true);
}

Done Keyring::Sources::read_api_key_file() {
  if (api_key_.file.empty()) return {};
  auto take = [this](std::string_view text) -> Result<std::uint64_t, std::string> {
    auto records = identity::read_api_keys(text);
    if (records.has_error()) return ':' + to_text(records.error());
    of_file_ = std::move(*records);
    return of_file_.size();
  };
  file_ = std::make_unique<KeyFile>(api_key_.file, identity::kLongestKeyFile, std::move(take));
  return file_->read();
}

Done Keyring::Sources::read_address_files() {
  constexpr KeyFileWords kWords{
      .read = "addresses_read", .refused = "addresses_refused", .stay = "the previous addresses stay in force"};
  for (const auto& path : address_paths_) {
    const auto number = lists_.size();
    lists_.emplace_back(path, nullptr);
    auto take = [this, number](std::string_view text) -> Result<std::uint64_t, std::string> {
      const auto blocks = identity::read_addresses(text);
      if (blocks.has_error()) return ':' + std::to_string(blocks.error().line) + ": " + blocks.error().message;
      lists_[number].second = std::make_shared<const identity::AddressBlocks>(*blocks);
      return lists_[number].second->size();
    };
    address_files_.push_back(
        std::make_unique<KeyFile>(path, identity::kLongestAddressFile, std::move(take), kWords, SourceKind::addresses));
    if (auto done = address_files_.back()->read(); done.has_error()) return done;
  }
  return {};
}

Done Keyring::Sources::read_user_files(const Sources* before) {
  for (const auto& path : user_paths_) {
    const auto number = users_.size();
    users_.emplace_back(path, before != nullptr ? before->users_of(path) : nullptr);
    auto take = [this, number](std::string_view text) -> Result<std::uint64_t, std::string> {
      auto users = identity::read_users(text);
      if (users.has_error()) return ':' + std::to_string(users.error().line) + ": " + users.error().message;
      // A file that is being overwritten is empty for a moment, so an empty file does not replace existing users.
      if (users->size() == 0 && users_[number].second && users_[number].second->size() > 0)
        return std::string(
            ": the file names no user any more; to admit nobody, restart with this file or remove the users' hashes");
      users_[number].second = std::make_shared<const identity::Users>(std::move(*users));
      return users_[number].second->size();
    };
    user_files_.push_back(std::make_unique<KeyFile>(path, identity::kLongestUserFile, std::move(take)));
    if (auto done = user_files_.back()->read(); done.has_error()) return done;
  }
  return {};
}

Done Keyring::Sources::read_price_file() {
  constexpr KeyFileWords kWords{
      .read = "prices_read", .refused = "prices_refused", .stay = "the previous prices stay in force"};
  if (price_path_.empty()) return {};
  auto take = [this](std::string_view text) -> Result<std::uint64_t, std::string> {
    auto prices = usage::Prices::parse(text);
    if (prices.has_error()) return ':' + to_text(prices.error());
    prices_ = std::make_shared<const usage::Prices>(std::move(*prices));
    return prices_->models().size();
  };
  price_file_ =
      std::make_unique<KeyFile>(price_path_, usage::kMaxPriceFile, std::move(take), kWords, SourceKind::prices);
  return price_file_->read();
}

std::shared_ptr<const identity::Users> Keyring::Sources::users_of(const std::string& path) const {
  const auto found = std::find_if(users_.begin(), users_.end(), [&](const auto& each) { return each.first == path; });
  return found == users_.end() ? nullptr : found->second;
}

Done Keyring::Sources::open_issuers(const Sources* before) {
  if (!jwt_) return {};
  issuers_.reserve(jwt_->issuers.size());
  for (const auto& issuer : jwt_->issuers) {
    auto opened = IssuerKeys::open(loop_, issuer, policy_);
    if (opened.has_error()) return Done(boost::system::in_place_error, std::move(opened.error()));
    issuers_.push_back(std::move(*opened));
    auto* const url = issuers_.back()->url();
    if (!url || !before) continue;
    for (const auto& earlier : before->issuers_)
      if (earlier->url()) url->go_on_from(*earlier->url());
  }
  return {};
}

void Keyring::Sources::begin() {
  if (std::exchange(begun_, true)) return;
  const auto has_file = [](const auto& issuer) { return issuer->has_file(); };
  if (file_ || price_file_ || !address_files_.empty() || !user_files_.empty() ||
      std::any_of(issuers_.begin(), issuers_.end(), has_file))
    wait_to_look();
  for (const auto& issuer : issuers_) {
    issuer->say_passed_over();
    if (!issuer->url()) continue;
    issuer->url()->start([weak = weak_from_this()] {
      if (const auto self = weak.lock()) self->renew_and_publish(false, true);
    });
  }
}

void Keyring::Sources::await_first(Duration most) {
  begin();
  const auto end = std::chrono::steady_clock::now() + most;
  while (!all_tried() && std::chrono::steady_clock::now() < end) loop_.run_one_until(end);
  // A loop that has run out of work is stopped, and would return at once from its next run.
  if (loop_.stopped()) loop_.restart();
}

bool Keyring::Sources::all_tried() const {
  return std::all_of(issuers_.begin(), issuers_.end(),
                     [](const auto& issuer) { return !issuer->url() || issuer->url()->tried(); });
}

void Keyring::Sources::stop() {
  begun_ = true;
  stopped_ = true;
  publish_ = nullptr;
  timer_.cancel();
  for (const auto& issuer : issuers_)
    if (issuer->url()) issuer->url()->stop();
}

void Keyring::Sources::want(std::size_t issuer) noexcept {
  if (issuer < issuers_.size()) issuers_[issuer]->want();
}

std::vector<SourceReport> Keyring::Sources::reports() const {
  std::vector<SourceReport> out;
  for (const auto& issuer : issuers_) issuer->report(out);
  if (file_) out.push_back(file_->report());
  for (const auto& file : address_files_) out.push_back(file->report());
  for (const auto& file : user_files_) out.push_back(file->report());
  if (price_file_) out.push_back(price_file_->report());
  return out;
}

void Keyring::Sources::hold(std::vector<identity::ApiKeyRecord> records) {
  if (stopped_) return;
  held_ = std::move(records);
  if (file_) file_->look();
  renew_and_publish(true, false);
}

void Keyring::Sources::wait_to_look() {
  timer_.expires_after(policy_.look);
  timer_.async_wait([weak = weak_from_this()](const error_code& ec) {
    if (ec) return;
    if (const auto self = weak.lock()) self->look();
  });
}

void Keyring::Sources::look() {
  if (stopped_) return;  // The timer had expired before stop().
  const bool api_keys = file_ && file_->look();
  bool tokens = false;
  for (const auto& issuer : issuers_) tokens |= issuer->look();
  bool others = false;
  for (const auto& file : address_files_) others |= file->look();
  for (const auto& file : user_files_) others |= file->look();
  if (price_file_) others |= price_file_->look();
  wait_to_look();
  if (api_keys || tokens || others) renew_and_publish(api_keys, tokens);
}

Done Keyring::Sources::renew(bool api_keys, bool tokens) {
  auto next = now_ ? *now_ : identity::Credentials();
  if (api_keys) {
    // The first record of a key counts. Held keys come first, because they may revoke a key of the file. The file comes
    // before the configuration, because the file can change at any time.
    auto records = held_;
    records.insert(records.end(), of_file_.begin(), of_file_.end());
    records.insert(records.end(), api_key_.known.begin(), api_key_.known.end());
    next.api_keys = std::make_shared<const identity::ApiKeys>(std::move(records));
  }
  if (tokens && jwt_) {
    std::vector<std::shared_ptr<const identity::JwtKeys>> keys;
    keys.reserve(issuers_.size());
    for (const auto& issuer : issuers_) keys.push_back(issuer->now());
    auto verifier = identity::JwtVerifier::make(*jwt_, std::move(keys));
    if (verifier.has_error()) return Done(boost::system::in_place_error, std::move(verifier.error()));
    next.jwt = std::move(*verifier);
  }
  next.address_lists = lists_;
  next.user_lists = users_;
  next.prices = prices_;
  now_ = std::make_shared<const identity::Credentials>(std::move(next));
  return {};
}

void Keyring::Sources::renew_and_publish(bool api_keys, bool tokens) {
  if (const auto renewed = renew(api_keys, tokens); renewed.has_error())
    return observe::event(observe::LogLevel::error, "keys_refused", "the previous keys stay in force",
                          {{"reason", renewed.error()}});
  if (publish_) publish_(now_);
}

}  // namespace headgate::keyring
