// The file with the process id.

#include "config/build.hpp"
#include "config/values.hpp"
#include "written_file.hpp"

#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <system_error>

namespace headgate::config {
namespace {

Unwritable why_no_pid_file(const std::filesystem::path& /*file*/, const std::filesystem::path& directory) {
  std::error_code ignored;
  if (!std::filesystem::is_directory(directory, ignored))
    return {.why = "there is no directory " + in_quotes(directory.string()),
            .help = "make it: headgate makes only the file"};
  if (::access(directory.c_str(), W_OK) != 0) return {.why = std::generic_category().message(errno)};
  return {};
}

}  // namespace

void check_pid_file(Build& build) {
  const Node* written = text_at(&build.root, "pid_file");
  if (written == nullptr || written->text.empty()) return;
  check_written_file(build, *written, "the pid file", "headgate.pid", why_no_pid_file);
}

}  // namespace headgate::config
