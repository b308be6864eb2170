// Implements headgate import: converts the configuration of another product into a headgate file.

#include "commands.hpp"
#include "printable.hpp"

#include "headgate/core/replace_file.hpp"
#include "headgate/translate/translate.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace headgate::cli {
namespace {

struct ImportOptions {
  std::string path;
  std::string from;
  std::string out;
};

int complain_of_import(const translate::Untranslatable& failure) {
  std::string place;
  if (failure.spot.line > 0) {
    place = failure.spot.file + ':' + std::to_string(failure.spot.line) + ':';
    if (failure.spot.column > 0) place += std::to_string(failure.spot.column) + ':';
    place += " error: ";
  } else {
    place = "headgate: ";
    if (failure.message.find(failure.spot.file) == std::string::npos) place += failure.spot.file + ": ";
  }
  std::fprintf(stderr, "%s%s\n", printable(place).c_str(), printable(failure.message).c_str());
  if (!failure.help.empty()) std::fprintf(stderr, "  help: %s\n", printable(failure.help).c_str());
  return kWrongCommandLine;
}

/// Returns whether writing to `out` would replace a file that was read.
bool is_one_of(const std::string& out, const std::vector<std::string>& files) {
  std::error_code unknown;
  return std::any_of(files.begin(), files.end(),
                     [&](const auto& file) { return std::filesystem::equivalent(file, out, unknown); });
}

/// Returns "1 closed until you decide, 3 not translated, 1 different, 2 left out that change no traffic".
std::string counted(const std::vector<translate::Remark>& remarks) {
  const auto count = [&](translate::Matter matter) {
    return std::count_if(remarks.begin(), remarks.end(), [&](const auto& each) { return each.matter == matter; });
  };
  const auto closed = count(translate::Matter::closed);
  return (closed > 0 ? std::to_string(closed) + " closed until you decide, " : "") +
         std::to_string(count(translate::Matter::lost)) + " not translated, " +
         std::to_string(count(translate::Matter::differs)) + " different, " +
         std::to_string(count(translate::Matter::aside)) + " left out that change no traffic";
}

int import_file(const ImportOptions& options) {
  const auto product = translate::product_of(options.from);
  const auto translated = translate::translate(options.path, product);
  if (translated.has_error()) return complain_of_import(translated.error());
  const bool to_file = !options.out.empty() && options.out != "-";
  if (to_file && is_one_of(options.out, translated->files)) {
    std::fprintf(stderr, "headgate: %s is one of the files that were read; name another one with -o\n",
                 printable(options.out).c_str());
    return kWrongCommandLine;
  }
  for (const auto& remark : translated->remarks) std::fprintf(stderr, "%s\n", translate::to_text(remark).c_str());
  if (to_file) {
    const bool there = std::filesystem::exists(options.out);
    const auto error =
        there ? replace_file(options.out, translated->text) : create_file(options.out, translated->text, 0644);
    if (error) {
      std::fprintf(stderr, "headgate: %s\n", printable(*error).c_str());
      return kFailed;
    }
  } else {
    std::fputs(translated->text.c_str(), stdout);
  }
  std::fprintf(stderr, "%s: %s\n", std::string(translate::to_text(translated->product)).c_str(),
               counted(translated->remarks).c_str());
  return translated->complete() ? kWell : kFailed;
}

}  // namespace

void offer_import(CLI::App& app, int& result) {
  const auto options = std::make_shared<ImportOptions>();
  auto* command = app.add_subcommand(
      "import",
      "Make a configuration from one of nginx, HAProxy, Kong, Ingress, Spring, Traefik, LiteLLM or Envoy's rate limit "
      "service");
  command->add_option("file", options->path, "The file, or a directory of files; - for stdin")->required();
  std::vector<std::string> names;
  for (const auto product : translate::all_products()) names.emplace_back(translate::to_text(product));
  command
      ->add_option(
          "--from", options->from,
          "The format: nginx, ingress, kong, haproxy, spring, traefik, litellm or ratelimit (default: detected)")
      ->check(CLI::IsMember(names));
  command->add_option("-o,--output", options->out,
                      "Write the configuration to this file and replace it if it exists (default: stdout)");
  command->callback([&result, options] { result = import_file(*options); });
}

}  // namespace headgate::cli
