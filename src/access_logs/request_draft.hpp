#pragma once
// A request as the parts of its line tell it one after the other.

#include "line_parts.hpp"
#include "moment_reader.hpp"
#include "request_block.hpp"

#include "headgate/access_logs/read_options.hpp"

#include <cstdint>
#include <span>
#include <string_view>

namespace headgate::access_logs {

/// Of the moments of one log.
struct LogMoments {
  MomentReader began, ended;
};

/// All views are into the line, which is in `block`.
class RequestDraft {
 public:
  RequestDraft(const char* line, RequestBlock& block, LogMoments& moments) noexcept;

  /// Null; or why the line cannot be read.
  const char* take(const LineParts::Part& part, std::string_view cell);
  /// The same for fields whose names are in the line.
  void take_fields(std::span<const http::Field> fields);
  /// Completes the request when all parts were taken, and adds what was missing. Null; or why the line cannot be read.
  const char* finish(MissingParts& missing);

  /// Returns whether the line tells of something else.
  bool no_request() const noexcept { return no_request_; }
  /// Returns how many parts said something.
  std::size_t told() const noexcept { return told_; }
  const LoggedRequest& request() const noexcept { return request_; }
  /// Forgets what it has added to the block.
  void undo() { block_.fields.resize(request_.fields_at); }

 private:
  const char* take_began(std::string_view cell);
  const char* take_ended(std::string_view cell);
  const char* take_duration(std::string_view cell, Meaning unit);
  const char* take_address(std::string_view cell);
  const char* take_request(std::string_view cell);
  const char* take_status(std::string_view cell);
  const char* take_size(std::string_view cell, Meaning whose);
  void take_target(std::string_view text) noexcept;
  void take_origin(std::string_view& text) noexcept;
  void finish_forwarded();
  const char* finish_query() noexcept;

  const char* line_;  ///< its first byte
  RequestBlock& block_;
  LogMoments& moments_;
  LoggedRequest request_;
  std::string_view forwarded_for_;
  Instant began_{};
  Instant ended_{};
  Duration waited_{0};
  std::size_t told_ = 0;
  bool has_began_ = false;
  bool has_ended_ = false;
  bool ended_fraction_ = false;
  bool has_address_ = false;
  bool has_status_ = false;
  bool has_took_ = false;
  bool has_bytes_ = false;
  bool has_user_agent_ = false;
  bool answered_ = false;  ///< by a server
  bool refused_ = false;   ///< by the old gateway
  bool no_request_ = false;
};

}  // namespace headgate::access_logs
