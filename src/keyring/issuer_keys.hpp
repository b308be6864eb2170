#pragma once
// The keys of one issuer, from all sources that its options name.

#include "jwks_url.hpp"
#include "key_file.hpp"

#include <memory>
#include <vector>

namespace headgate::keyring {

/// The sources of one issuer. The loop's thread, except report() and want(), which any thread may call.
class IssuerKeys {
 public:
  /// Reads the file, if there is one. The error is a sentence without its full stop.
  static Result<std::unique_ptr<IssuerKeys>, std::string> open(boost::asio::io_context& loop,
                                                               const identity::JwtIssuer& issuer,
                                                               const RefreshPolicy& policy);

  /// Returns all keys of this issuer; null if there are none yet.
  std::shared_ptr<const identity::JwtKeys> now() const;
  /// Reads the file if it changed. Returns whether now() has changed.
  bool look();
  /// Logs the keys of the file that are ignored, with the reasons.
  void say_passed_over() const;
  bool has_file() const noexcept { return file_ != nullptr; }
  /// Returns the source at the configured URL; null if no URL is configured.
  JwksUrl* url() const noexcept { return url_.get(); }
  void want() noexcept;
  void report(std::vector<SourceReport>& out) const;

 private:
  IssuerKeys() = default;
  Result<void, std::string> read_file(const identity::JwtIssuer& issuer);
  Result<void, std::string> find_url(boost::asio::io_context& loop, const identity::JwtIssuer& issuer,
                                     const RefreshPolicy& policy);

  std::shared_ptr<const identity::JwtKeys> configured_;
  std::shared_ptr<const identity::JwtKeys> of_file_;
  std::unique_ptr<KeyFile> file_;
  std::shared_ptr<JwksUrl> url_;
};

}  // namespace headgate::keyring
