#include "headgate/net/tls/trust.hpp"

#include "headgate/core/read_file.hpp"

#include <cstddef>
#include <string>

namespace headgate::net {
namespace {

constexpr std::size_t kLargestFile = 16UL * 1024 * 1024;

TlsContext::Made read_authorities(const std::string& authorities) {
  using Made = TlsContext::Made;
  if (!authorities.empty()) {
    if (const auto why = why_unreadable(authorities, kLargestFile); !why.empty())  // OpenSSL does not report the cause
      return Made(boost::system::in_place_error, authorities + ": cannot be read: " + why);
  }
  TlsOptions options;
  options.ca = authorities;
  auto made = TlsContext::of_client(options);
  if (made.has_error() && !authorities.empty())
    return Made(boost::system::in_place_error, authorities + ": holds no certificate in PEM");
  return made;
}

}  // namespace

Result<Trust::Context, std::string> Trust::context() {
  if (context_) return context_;
  auto made = read_authorities(authorities_);
  if (made.has_value()) context_ = *made;
  return made;
}

Result<void, std::string> check_authorities(const std::string& path) {
  if (auto made = read_authorities(path); made.has_error())
    return Result<void, std::string>(boost::system::in_place_error, made.error());
  return {};
}

}  // namespace headgate::net
