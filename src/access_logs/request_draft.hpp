#pragma once
// A request that is assembled from the parts of its line.

#include "line_parts.hpp"
#include "moment_reader.hpp"
#include "request_block.hpp"

#include "headgate/access_logs/read_options.hpp"

#include <cstdint>
#include <span>
#include <string_view>

namespace headgate::access_logs {

/// The time readers of one log.
struct LogMoments {
  MomentReader began, ended;
};

/// The draft. All views are into the line, which is in `block`.
class RequestDraft {
 public:
  RequestDraft(const char* line, RequestBlock& block, LogMoments& moments) noexcept;

  /// Takes a part. Returns null, or why the line is unreadable.
  const char* take(const LineParts::Part& part, std::string_view cell);
  /// Takes header fields whose names are in the line.
  void take_fields(std::span<const http::Field> fields);
  /// Completes the request after all parts were taken, and adds the missing facts. Returns null, or why the line is
  /// unreadable.
  const char* finish(MissingParts& missing);

  /// Returns whether the line reports something other than a request.
  bool no_request() const noexcept { return no_request_; }
  /// Returns whether the line reports a call of the rate limit service without its descriptors, or with
  /// descriptors that cannot be read.
  bool untold_call() const noexcept { return untold_call_; }
  /// Returns how many parts had a value.
  std::size_t told() const noexcept { return told_; }
  const LoggedRequest& request() const noexcept { return request_; }
  /// Removes what the draft has added to the block.
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
  void finish_cost() noexcept;
  const char* finish_query() noexcept;

  const char* line_;  ///< first byte of the line
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
  bool answered_ = false;  ///< whether a server answered the request
  bool rejected_ = false;  ///< whether the logged limit rejected the request
  bool refused_ = false;   ///< whether the gateway of the log refused the request
  bool no_request_ = false;
  bool of_headgate_ = false;  ///< whether headgate wrote the line
  bool untold_call_ = false;
};

}  // namespace headgate::access_logs
