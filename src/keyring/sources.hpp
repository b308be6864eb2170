#pragma once
// All key sources of one configuration, and the credentials made from them.

#include "issuer_keys.hpp"
#include "key_file.hpp"

#include "headgate/identity/credentials.hpp"
#include "headgate/keyring/keyring.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace headgate::keyring {

/// The implementation of Keyring. It is a separate object, because a timer's last handler may run after the Keyring is
/// destroyed.
class Keyring::Sources : public std::enable_shared_from_this<Keyring::Sources> {
 public:
  Sources(boost::asio::io_context& loop, const identity::IdentityOptions& options, const RefreshPolicy& policy);

  /// Call it once, before anything else.
  Result<void, std::string> read(const Sources* before);

  const std::shared_ptr<const identity::Credentials>& now() const noexcept { return now_; }
  void hold(std::vector<identity::ApiKeyRecord> records);
  /// Starts watching and fetching; does nothing if this was done already.
  void begin();
  void publish_to(Publish publish) { publish_ = std::move(publish); }
  void await_first(Duration most);
  void stop();
  void want(std::size_t issuer) noexcept;
  std::vector<SourceReport> reports() const;

 private:
  Result<void, std::string> read_api_key_file();
  Result<void, std::string> open_issuers(const Sources* before);
  Result<void, std::string> read_address_files();
  Result<void, std::string> read_user_files(const Sources* before);
  Result<void, std::string> read_price_file();
  std::shared_ptr<const identity::Users> users_of(const std::string& path) const;
  bool all_tried() const;
  void wait_to_look();
  void look();
  /// Builds the credentials from the current keys. The error is an error of JwtVerifier::make.
  Result<void, std::string> renew(bool api_keys, bool tokens);
  void renew_and_publish(bool api_keys, bool tokens);

  boost::asio::io_context& loop_;
  const identity::ApiKeyOptions api_key_;
  const std::optional<identity::JwtOptions> jwt_;
  const std::vector<std::string> address_paths_;
  const std::vector<std::string> user_paths_;
  const std::string price_path_;
  const RefreshPolicy policy_;
  boost::asio::steady_timer timer_;
  std::vector<std::unique_ptr<IssuerKeys>> issuers_;  // In the order of jwt_; fixed after read().
  std::vector<identity::ApiKeyRecord> of_file_;
  std::vector<identity::ApiKeyRecord> held_;  // Records that are not in the file yet.
  std::unique_ptr<KeyFile> file_;
  using Blocks = std::shared_ptr<const identity::AddressBlocks>;
  std::vector<std::pair<std::string, Blocks>> lists_;    // Fixed after read(), except the blocks.
  std::vector<std::unique_ptr<KeyFile>> address_files_;  // In the order of lists_.
  // Fixed after read(), except the users.
  std::vector<std::pair<std::string, std::shared_ptr<const identity::Users>>> users_;
  std::vector<std::unique_ptr<KeyFile>> user_files_;  // In the order of users_.
  std::shared_ptr<const usage::Prices> prices_;
  std::unique_ptr<KeyFile> price_file_;  // Null if there is none.
  std::shared_ptr<const identity::Credentials> now_;
  Publish publish_;
  bool begun_ = false;
  bool stopped_ = false;
};

}  // namespace headgate::keyring
