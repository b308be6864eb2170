#pragma once
// What all TLS connections of a limiter share: the files, read once, and what is demanded of the other side.

#include "headgate/core/result.hpp"
#include "headgate/redis/options.hpp"

#include <memory>
#include <string>

struct ssl_ctx_st;

namespace headgate::redis {

/// Immutable once made.
class TlsContext {
 public:
  /// Reads the files; the error is for people.
  static Result<std::shared_ptr<const TlsContext>, std::string> make(const TlsOptions& options);

  ssl_ctx_st* get() const noexcept { return context_.get(); }
  const TlsOptions& options() const noexcept { return options_; }

 private:
  TlsContext(const TlsOptions& options, std::shared_ptr<ssl_ctx_st> context);

  TlsOptions options_;
  std::shared_ptr<ssl_ctx_st> context_;
};

}  // namespace headgate::redis
