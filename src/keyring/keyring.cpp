#include "headgate/keyring/keyring.hpp"

#include "sources.hpp"

namespace headgate::keyring {

Result<std::shared_ptr<Keyring>, std::string> Keyring::open(boost::asio::io_context& loop,
                                                            const identity::IdentityOptions& options,
                                                            const Keyring* before, const RefreshPolicy& policy) {
  using Opened = Result<std::shared_ptr<Keyring>, std::string>;
  auto sources = std::make_shared<Sources>(loop, options, policy);
  const auto read = sources->read(before ? before->sources_.get() : nullptr);
  if (read.has_error()) return Opened(boost::system::in_place_error, read.error());
  return std::shared_ptr<Keyring>(new Keyring(std::move(sources)));
}

Keyring::Keyring(std::shared_ptr<Sources> sources) : sources_(std::move(sources)) {}

Keyring::~Keyring() { stop(); }

std::shared_ptr<const identity::Credentials> Keyring::now() const { return sources_->now(); }

void Keyring::hold(std::vector<identity::ApiKeyRecord> records) { sources_->hold(std::move(records)); }

void Keyring::start(Publish publish) {
  sources_->publish_to(std::move(publish));
  sources_->begin();
}

void Keyring::await_first(Duration most) { sources_->await_first(most); }

void Keyring::stop() { sources_->stop(); }

void Keyring::want(std::size_t issuer) noexcept { sources_->want(issuer); }

std::vector<SourceReport> Keyring::reports() const { return sources_->reports(); }

}  // namespace headgate::keyring
