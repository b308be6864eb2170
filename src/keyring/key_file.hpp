#pragma once
// A file of keys that is in force as it last was right.

#include "standing.hpp"
#include "watched_file.hpp"

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace headgate::keyring {

/// The loop's thread; report() from any.
class KeyFile {
 public:
  /// Puts the keys in a text in force and says how many they are, or what is wrong with it, as it goes on from the
  /// path:
  /// ":12:5: message" or ": message", without a dot.
  using Take = std::function<Result<std::uint64_t, std::string>(std::string_view text)>;

  KeyFile(std::string path, std::size_t most, Take take)
      : file_(path, most), take_(std::move(take)), standing_(std::move(path)) {}

  /// For the first time; the error begins with the path.
  Result<void, std::string> read();
  /// Whether what is in force has changed. Says in the log what has become of it.
  bool look();

  SourceReport report() const { return standing_.report(); }

 private:
  Result<std::uint64_t, std::string> take(const Result<std::string, std::string>& text);

  WatchedFile file_;
  Take take_;
  Standing standing_;
};

}  // namespace headgate::keyring
