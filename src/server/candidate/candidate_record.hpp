#pragma once
// The candidate that an operator has set, on disk: a restart sets it again.

#include "headgate/core/result.hpp"

#include <optional>
#include <string>

namespace headgate::server {

struct KeptCandidate {
  std::string text;  ///< as it was sent
  std::string name;  ///< what messages call that text
  std::string over;  ///< what the file in force named then (Config::named_candidate)
};

/// One file of mode 0600: it may hold secrets. A line of JSON, then the text. Every call waits for the disk. Any
/// thread, one call at a time. Errors are sentences without their dots.
class CandidateRecord {
 public:
  /// It lies in the first directory of $STATE_DIRECTORY (systemd.exec(5)), else beside `config_file`, with its name and
  /// ".candidate". Empty: there is no such file, and nothing is kept.
  explicit CandidateRecord(const std::string& config_file);

  const std::string& path() const noexcept { return path_; }
  /// Replaces it. Returns the error; then none is kept, also not the one before.
  std::optional<std::string> write(const KeptCandidate& kept) const;
  /// Nothing: none is kept for this configuration.
  Result<std::optional<KeptCandidate>, std::string> read() const;
  /// Nothing happens if there is none. Returns the error.
  std::optional<std::string> remove() const;

 private:
  std::string config_file_;  // absolute
  std::string path_;
};

}  // namespace headgate::server
