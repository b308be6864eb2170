#pragma once
// Reads files that people name. A pipe without a writer or an endless device must not block the process, so every
// module uses these functions. They block as long as the disk does, so never call them on a worker.

#include "headgate/core/result.hpp"

#include <sys/stat.h>

#include <cstddef>
#include <cstdint>
#include <string>

namespace headgate {

/// The reason why a file cannot be read.
struct FileTrouble {
  enum class Kind : std::uint8_t { system, directory, not_regular, no_writer, too_large };
  Kind kind = Kind::system;
  int error = 0;  ///< errno, for `system`
  /// Returns the reason in words, without the path: "it is not a regular file", "Permission denied".
  std::string text() const;
};

/// Whether a path may name a pipe or a terminal. Use `read` only for paths that a person passes to a command: a pipe is
/// read until its end, however long its writer takes.
enum class Pipes : bool { refused, read };

/// An open file, closed by its destructor. One thread.
class InputFile {
 public:
  /// Opens a file. Devices are refused, except for terminals and /dev/null if pipes are read.
  static Result<InputFile, FileTrouble> open(const std::string& path, Pipes pipes);
  /// Takes over the standard input, whatever it is, and never closes it.
  static InputFile standard_input() noexcept;
  InputFile(InputFile&& other) noexcept;
  InputFile& operator=(InputFile&& other) noexcept;
  InputFile(const InputFile&) = delete;
  InputFile& operator=(const InputFile&) = delete;
  ~InputFile();

  /// Reads at most `size` bytes; 0 at the end. If a pipe is empty, waits as long as a process has it open for writing.
  /// If no process has it open for a second, returns the error `no_writer`.
  Result<std::size_t, FileTrouble> read(char* out, std::size_t size);
  /// Returns the state of the file when it was opened.
  const struct stat& about() const noexcept { return about_; }

 private:
  InputFile(int descriptor, const struct stat& about) noexcept : descriptor_(descriptor), about_(about) {}

  int descriptor_ = -1;
  struct stat about_ {};
  bool begun_ = false;  ///< true if a process writes to the pipe, or has written to it
};

/// Returns the whole content of a file, or the error `too_large` if it has more than `most` bytes.
Result<std::string, FileTrouble> read_file(const std::string& path, std::size_t most, Pipes pipes = Pipes::refused);

/// Returns why a library could not read the regular file, or an empty text. For libraries that open files themselves.
std::string why_unreadable(const std::string& path, std::size_t most);

}  // namespace headgate
