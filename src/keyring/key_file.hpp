#pragma once
// A file of keys. Its last valid content stays in force.

#include "source_status.hpp"

#include "headgate/keyring/watched_file.hpp"

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace headgate::keyring {

/// Names of the log events about new content.
struct KeyFileWords {
  std::string_view read = "keys_read";
  std::string_view refused = "keys_refused";
  std::string_view stay = "the previous keys stay in force";
};

/// The file. The loop's thread, except report(), which any thread may call.
class KeyFile {
 public:
  /// Puts the keys of a text in force. Returns their number, or an error without a full stop. The error is to follow
  /// the path: ":12:5: message" or ": message".
  using Take = std::function<Result<std::uint64_t, std::string>(std::string_view text)>;

  KeyFile(std::string path, std::size_t most, Take take, const KeyFileWords& words = {},
          SourceKind kind = SourceKind::keys)
      : file_(path, most), take_(std::move(take)), words_(words), status_(std::move(path), kind) {}

  /// Reads the file for the first time. The error begins with the path.
  Result<void, std::string> read();
  /// Reads the file if it changed. Returns whether the keys in force have changed. Logs the result.
  bool look();

  SourceReport report() const { return status_.report(); }

 private:
  Result<std::uint64_t, std::string> take(const Result<std::string, std::string>& text);

  WatchedFile file_;
  Take take_;
  KeyFileWords words_;
  SourceStatus status_;
};

}  // namespace headgate::keyring
