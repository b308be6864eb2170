#pragma once
// Writes the bytes of a request.

#include "headgate/load/options.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace headgate::load {

/// The writer. It replaces the placeholders for the caller. Keeps a reference to the options, which must outlive the
/// writer. One thread.
class RequestWriter {
 public:
  RequestWriter(const RequestOptions& options, const net::Url& url);
  /// Returns the whole request. `ticket` is that of a waiting room; empty if there is none.
  std::string text(std::uint32_t caller, std::string_view ticket) const;
  bool head_only() const noexcept { return options_.method == "HEAD"; }
  /// Returns whether a request may be repeated if its connection turns out to be closed (RFC 9110 section 9.2.2).
  bool repeatable() const noexcept;

 private:
  const RequestOptions& options_;
  std::string before_;  // the header fields
  std::string after_;
};

}  // namespace headgate::load
