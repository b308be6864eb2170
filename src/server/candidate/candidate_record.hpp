#pragma once
// The candidate that an operator has set, on disk, so that a restart sets it again.

#include "headgate/core/result.hpp"

#include <optional>
#include <string>

namespace headgate::server {

struct SavedCandidate {
  std::string text;  ///< the text as it was sent
  std::string name;  ///< the name of that text in messages
  std::string over;  ///< the candidate that the active file named at that time (Config::named_candidate)
};

/// One file of mode 0600, because it may contain secrets: a line of JSON, then the text. Every call waits for the disk.
/// Any thread, one call at a time. Errors are sentences without their full stops.
class CandidateRecord {
 public:
  /// The file is in the first directory of $STATE_DIRECTORY (systemd.exec(5)), otherwise beside `config_file`. Its name
  /// is that of `config_file` with ".candidate" appended. If `config_file` is empty, there is no file, and no candidate
  /// is stored.
  explicit CandidateRecord(const std::string& config_file);

  const std::string& path() const noexcept { return path_; }
  /// Replaces the file. On an error, returns it and removes the file, so that no candidate is stored, not even the
  /// previous one.
  std::optional<std::string> write(const SavedCandidate& kept) const;
  /// Returns the candidate that is stored for this configuration; empty if there is none.
  Result<std::optional<SavedCandidate>, std::string> read() const;
  /// Removes the file; does nothing if there is none. Returns the error.
  std::optional<std::string> remove() const;

 private:
  std::string config_file_;  // absolute
  std::string path_;
};

}  // namespace headgate::server
