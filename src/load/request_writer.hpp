#pragma once
// The bytes of one request.

#include "headgate/load/options.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace headgate::load {

/// Fills in who asks. Keeps the options, which outlive it. One thread.
class RequestWriter {
 public:
  RequestWriter(const RequestOptions& options, const net::Url& url);
  /// The whole request. `ticket`: of a waiting room; empty: none.
  std::string text(std::uint32_t caller, std::string_view ticket) const;
  bool head_only() const noexcept { return options_.method == "HEAD"; }
  /// Returns whether a request may be sent once more if its connection turns out to be closed (RFC 9110 section 9.2.2).
  bool repeatable() const noexcept;

 private:
  const RequestOptions& options_;
  std::string before_;  // the fields
  std::string after_;
};

}  // namespace headgate::load
