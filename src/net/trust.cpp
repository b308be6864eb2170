#include "headgate/net/trust.hpp"

#include <cerrno>
#include <cstdio>
#include <memory>
#include <system_error>

namespace headgate::net {
namespace {

/// Why the file cannot be read, or "": OpenSSL's own message does not name the cause.
std::string unreadable(const std::string& path) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "re"), std::fclose);
  return file ? std::string() : path + ": cannot be read: " + std::generic_category().message(errno);
}

TlsContext::Made read_authorities(const std::string& authorities) {
  using Made = TlsContext::Made;
  if (!authorities.empty()) {
    if (auto why = unreadable(authorities); !why.empty()) return Made(boost::system::in_place_error, std::move(why));
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
