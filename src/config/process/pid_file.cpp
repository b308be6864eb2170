// Where the number of the process is written.

#include "config/build.hpp"
#include "config/text/codes.hpp"
#include "config/values.hpp"

#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <system_error>

namespace headgate::config {

// Only a warning, because `check` may run as another user or on another machine.
void check_pid_file(Build& build) {
  const Node* written = text_at(&build.root, "pid_file");
  if (written == nullptr || written->text.empty() || written->replaced) return;
  const std::filesystem::path file(written->text);
  const auto directory = file.has_parent_path() ? file.parent_path() : std::filesystem::path(".");
  std::error_code ignored;
  std::string why;
  std::string help = "let the user that headgate runs as write there";
  if (std::filesystem::is_directory(file, ignored)) {
    why = "it is a directory";
    help = "name a file in it, as in " + in_quotes((file / "headgate.pid").string());
  } else if (!std::filesystem::is_directory(directory, ignored)) {
    why = "there is no directory " + in_quotes(directory.string());
    help = "make it: headgate makes only the file";
  } else if (::access(directory.c_str(), W_OK) != 0) {
    why = std::generic_category().message(errno);
  }
  if (why.empty()) return;
  build.report.warning(code::kUnwritable, *written,
                       "the pid file " + in_quotes(written->written) + " cannot be written: " + why, help);
}

}  // namespace headgate::config
