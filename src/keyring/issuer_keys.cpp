#include "issuer_keys.hpp"

#include "headgate/keyring/authorities.hpp"
#include "headgate/observe/event.hpp"

namespace headgate::keyring {
namespace {

using identity::JwtKeys;
using Done = Result<void, std::string>;

constexpr std::size_t kMaxFile = 1024UL * 1024;  // Maximum size for of_jwk_set.

}  // namespace

Result<std::unique_ptr<IssuerKeys>, std::string> IssuerKeys::open(boost::asio::io_context& loop,
                                                                  const identity::JwtIssuer& issuer,
                                                                  const RefreshPolicy& policy) {
  using Opened = Result<std::unique_ptr<IssuerKeys>, std::string>;
  std::unique_ptr<IssuerKeys> keys(new IssuerKeys);
  auto configured = JwtKeys::of_configuration(issuer);
  if (configured.has_error()) return Opened(boost::system::in_place_error, configured.error());
  keys->configured_ = std::move(*configured);
  if (const auto read = keys->read_file(issuer); read.has_error())
    return Opened(boost::system::in_place_error, read.error());
  if (const auto found = keys->find_url(loop, issuer, policy); found.has_error())
    return Opened(boost::system::in_place_error, found.error());
  return keys;
}

Done IssuerKeys::read_file(const identity::JwtIssuer& issuer) {
  if (issuer.keys.jwks_file.empty()) return {};
  auto take = [this, algorithms = issuer.algorithms](std::string_view text) -> Result<std::uint64_t, std::string> {
    auto keys = JwtKeys::of_jwk_set(text, algorithms);
    if (keys.has_error()) return ": " + keys.error();
    of_file_ = std::move(*keys);
    return of_file_->size();
  };
  file_ = std::make_unique<KeyFile>(issuer.keys.jwks_file, kMaxFile, std::move(take));
  return file_->read();
}

Done IssuerKeys::find_url(boost::asio::io_context& loop, const identity::JwtIssuer& issuer,
                          const RefreshPolicy& policy) {
  if (issuer.keys.jwks_url.empty()) return {};
  auto url = parse_url(issuer.keys.jwks_url);
  if (url.has_error()) return Done(boost::system::in_place_error, std::move(url.error()));
  // Only the operator's own file needs this check. The system's authorities are not configured, and reading them takes
  // long.
  if (url->scheme == Scheme::https && !issuer.keys.jwks_ca.empty()) {
    if (auto usable = check_authorities(issuer.keys.jwks_ca); usable.has_error()) return usable;
  }
  url_ = std::make_shared<JwksUrl>(loop, std::move(*url), issuer, policy);
  return {};
}

bool IssuerKeys::look() {
  if (!file_ || !file_->look()) return false;
  say_passed_over();
  return true;
}

void IssuerKeys::say_passed_over() const {
  if (!of_file_) return;
  for (const auto& fault : of_file_->passed_over())
    observe::event(observe::LogLevel::warning, "jwk_passed_over", fault, {{"source", file_->report().source}});
}

std::shared_ptr<const JwtKeys> IssuerKeys::now() const {
  auto all = configured_;
  if (of_file_) all = JwtKeys::merged(*all, *of_file_);
  if (url_ && url_->keys()) all = JwtKeys::merged(*all, *url_->keys());
  return all->empty() ? nullptr : all;
}

void IssuerKeys::want() noexcept {
  if (url_) url_->want();
}

void IssuerKeys::report(std::vector<SourceReport>& out) const {
  if (file_) out.push_back(file_->report());
  if (url_) out.push_back(url_->report());
}

}  // namespace headgate::keyring
