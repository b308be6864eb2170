#include "written_file.hpp"

#include "config/text/codes.hpp"
#include "config/values.hpp"

namespace headgate::config {

void check_written_file(Build& build, const Node& target, const std::string& what, const std::string& example,
                        Unwritable (*why_not)(const std::filesystem::path& file,
                                              const std::filesystem::path& directory)) {
  if (target.replaced) return;
  const std::filesystem::path file(target.text);
  const auto directory = file.has_parent_path() ? file.parent_path() : std::filesystem::path(".");
  std::error_code ignored;
  const auto found = std::filesystem::is_directory(file, ignored)
                         ? Unwritable{.why = "it is a directory",
                                      .help = "name a file in it, as in " + in_quotes((file / example).string())}
                         : why_not(file, directory);
  if (found.why.empty()) return;
  build.report.warning(code::kUnwritable, target,
                       what + ' ' + in_quotes(target.written) + " cannot be written: " + found.why, found.help);
}

}  // namespace headgate::config
