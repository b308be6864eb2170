// Implements headgate init: writes an initial configuration; if there are answers, also its test; with --tls, also a
// certificate to try it.

#include "cli/commands.hpp"
#include "cli/keys/self_signed.hpp"
#include "cli/printable.hpp"
#include "starter.hpp"

#include "headgate/core/replace_file.hpp"
#include "headgate/core/text.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <iostream>
#include <vector>

namespace headgate::cli {
namespace {

constexpr const char* kConfig = "headgate.json";
constexpr const char* kTest = "headgate.test.json";
constexpr const char* kCertificate = "headgate-cert.pem";
constexpr const char* kKey = "headgate-key.pem";

std::string config_text(bool tls) {
  const std::string listen = tls ? "[\n    { \"address\": \":8443\", \"tls\": { \"certificate\": \"" +
                                       std::string(kCertificate) + "\", \"key\": \"" + kKey + "\" } }\n  ]"
                                 : "\":8080\"";
  return std::string("// Written by `headgate init") + (tls ? " --tls" : "") +
         "`. docs/configuration.md describes every key.\n"
         "{\n"
         "  \"listen\": " +
         listen +
         ",\n"
         "  \"upstreams\": { \"app\": \"http://127.0.0.1:3000\" },\n"
         "  \"limits\": { \"per-ip\": { \"rate\": \"100/minute\", \"per\": \"client_ip\" } },\n"
         "  \"routes\": [{ \"path\": \"/*\", \"to\": \"app\", \"limits\": [\"per-ip\"] }]\n"
         "}\n";
}

struct Written {
  std::string path;
  std::string text;
  unsigned mode;
};

/// Writes all or none of the files. Returns false after an error message.
bool write_all(const std::vector<Written>& wanted) {
  std::size_t done = 0;
  for (const auto& each : wanted) {
    const auto error = create_file(each.path, each.text, each.mode);
    if (!error) {
      ++done;
      continue;
    }
    std::fprintf(stderr, "headgate: %s\n", error->c_str());
    for (std::size_t i = 0; i < done; ++i) {
      std::error_code ignored;
      std::filesystem::remove(wanted[i].path, ignored);
    }
    return false;
  }
  return true;
}

/// Returns whether none of the files exists. Otherwise prints an error that names the files that would be overwritten.
bool nothing_is_there(const std::vector<std::string>& paths) {
  std::error_code failed;
  const auto found = std::find_if(paths.begin(), paths.end(), [&](const auto& path) {
    return std::filesystem::symlink_status(path, failed).type() != std::filesystem::file_type::not_found;
  });
  if (found == paths.end()) return true;
  std::fprintf(stderr, "headgate: %s exists already, and is never overwritten\n  help: name another directory\n",
               found->c_str());
  return false;
}

/// Returns whether the path is a folder; prints an error if it is not. Called first, so that no questions are asked in
/// vain.
bool is_folder(const std::string& path) {
  std::error_code failed;
  if (std::filesystem::is_directory(path, failed)) return true;
  const bool there = std::filesystem::exists(path, failed);
  std::fprintf(stderr, "headgate: %s\n  help: %s\n",
               printable(there ? path + " is not a directory" : "there is no directory " + path).c_str(),
               there ? "name a directory" : "make it first, as with mkdir -p");
  return false;
}

/// Returns the names for the certificate; empty after an error message.
std::optional<std::vector<std::string>> names_of(const InitOptions& options) {
  std::vector<std::string> names{"localhost", "127.0.0.1", "::1"};
  for (const auto& name : options.names) {
    if (!is_certificate_name(name)) {
      std::fprintf(stderr, "headgate: --name: \"%s\" is neither a name of the DNS nor an IP address\n",
                   printable(name).c_str());
      return std::nullopt;
    }
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  }
  return names;
}

bool has_answers(const InitOptions& options) {
  return !options.servers.empty() || !options.callers.empty() || !options.rate.empty() || options.gateways > 0;
}

StarterAnswers answers_of_kind(const std::string& kind) {
  const auto& kinds = starter_kinds();
  const auto* const found =
      std::find_if(kinds.begin(), kinds.end(), [&](const auto& each) { return each.name == kind; });
  return found == kinds.end() ? StarterAnswers{} : found->answers();
}

/// Returns the answers of the starter kind `options.kind`; options of the command line replace them. If an option is
/// invalid, prints an error and returns nothing.
std::optional<StarterAnswers> answers_of(const InitOptions& options) {
  auto out = answers_of_kind(options.kind);
  out.tls = options.tls;
  const auto refuse = [](const char* option, const std::string& why) {
    std::fprintf(stderr, "headgate: %s: %s\n", option, printable(why).c_str());
    return std::nullopt;
  };
  for (const auto& url : options.servers)
    if (const auto why = why_no_server(url)) return refuse("--to", *why);
  if (!options.servers.empty()) out.servers = options.servers;
  const auto caller = std::find(kCallerWords.begin(), kCallerWords.end(), options.callers);
  if (caller != kCallerWords.end()) out.callers = static_cast<StarterCallers>(caller - kCallerWords.begin());
  if (!options.rate.empty()) {
    if (const auto why = why_no_rate(options.rate)) return refuse("--limit", *why);
    out.rate = options.rate;
  }
  if (options.gateways > 0) out.gateways = options.gateways;
  return out;
}

/// The files to write, by name within the folder.
struct Start {
  std::vector<Written> files;
  std::string expires;  // expiry of the certificate; empty if there is none
};

/// Returns the files; empty after an error message.
std::optional<Start> start_of(const InitOptions& options, const std::vector<std::string>& names,
                              const std::optional<StarterAnswers>& answers) {
  Start out;
  const bool tls = answers ? answers->tls : options.tls;
  if (tls) {
    const auto pair = self_signed(names, options.days);
    if (pair.has_error()) {
      std::fprintf(stderr, "headgate: %s\n", pair.error().c_str());
      return std::nullopt;
    }
    out.files = {{kKey, pair->key, 0600}, {kCertificate, pair->certificate, 0644}};
    out.expires = pair->expires;
  }
  const StarterNames files{.config = kConfig, .certificate = kCertificate, .key = kKey};
  if (answers) out.files.push_back({kTest, starter_test(*answers, files), 0644});
  out.files.push_back({kConfig, answers ? starter_config(*answers, files) : config_text(tls), 0644});
  return out;
}

}  // namespace

int init(const InitOptions& options) {
  const auto names = names_of(options);
  if (!names) return kWrongCommandLine;
  if (!is_folder(options.folder)) return kFailed;
  const bool terminal = ::isatty(STDIN_FILENO) == 1 && ::isatty(STDERR_FILENO) == 1;
  const bool asks = terminal && !has_answers(options) && !options.tls;
  std::optional<StarterAnswers> answers;
  if (asks || has_answers(options) || !options.kind.empty()) {
    answers = answers_of(options);
    if (!answers) return kWrongCommandLine;
  }
  const auto in_folder = [&](const std::string& file) {
    return (std::filesystem::path(options.folder) / file).string();
  };
  const auto all_absent = [&](bool tls) {
    std::vector<std::string> wanted{in_folder(kConfig)};
    if (answers) wanted.push_back(in_folder(kTest));
    if (tls) wanted.insert(wanted.end(), {in_folder(kCertificate), in_folder(kKey)});
    return nothing_is_there(wanted);
  };
  if (asks) {
    if (!all_absent(false)) return kFailed;
    answers = ask_starter(std::cin, std::cerr, *answers);
    if (!answers) {
      std::fprintf(stderr, "\nheadgate: there was no answer, so nothing is written\n");
      return kFailed;
    }
  }
  if (!all_absent(answers ? answers->tls : options.tls)) return kFailed;
  auto start = start_of(options, *names, answers);
  if (!start) return kFailed;
  std::vector<std::string> paths;
  for (auto& each : start->files) paths.push_back(each.path = in_folder(each.path));
  if (!write_all(start->files)) return kFailed;
  std::reverse(paths.begin(), paths.end());
  const auto last = paths.back();
  paths.pop_back();
  const auto config = in_folder(kConfig);
  std::printf("wrote %s\n", (paths.empty() ? last : joined(paths, ", ") + " and " + last).c_str());
  if (!start->expires.empty())
    std::printf("the certificate is for %s; it expires on %s; it signs itself, so use it only for trying\n",
                joined(*names, ", ").c_str(), start->expires.c_str());
  if (answers) std::printf("test it: headgate test %s\n", in_folder(kTest).c_str());
  std::printf("run it: headgate run -c %s\n", config.c_str());
  if (!start->expires.empty())
    std::printf("ask it: curl --cacert %s https://localhost:8443/\n", in_folder(kCertificate).c_str());
  return kWell;
}

}  // namespace headgate::cli
