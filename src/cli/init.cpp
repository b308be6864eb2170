// headgate init: writes a configuration to begin with, and with --tls a certificate to try it.

#include "cli/keys/self_signed.hpp"
#include "commands.hpp"
#include "replace_file.hpp"

#include "headgate/core/text.hpp"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <vector>

namespace headgate::cli {
namespace {

constexpr const char* kConfig = "headgate.json";
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
         "  \"routes\": [ { \"path\": \"/*\", \"to\": \"app\", \"limits\": [\"per-ip\"] } ]\n"
         "}\n";
}

struct Written {
  std::string path;
  std::string text;
  unsigned mode;
};

/// Writes all or none of them. False after an error message.
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

/// False after an error message that names what would be overwritten.
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

}  // namespace

int init(const InitOptions& options) {
  std::vector<std::string> names{"localhost", "127.0.0.1", "::1"};
  for (const auto& name : options.names) {
    if (!is_certificate_name(name)) {
      std::fprintf(stderr, "headgate: --name: \"%s\" is neither a name of the DNS nor an IP address\n", name.c_str());
      return kWrongCommandLine;
    }
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  }
  const auto in_folder = [&](const char* file) { return (std::filesystem::path(options.folder) / file).string(); };
  const auto config = in_folder(kConfig);
  if (!options.tls) {
    if (!nothing_is_there({config}) || !write_all({{config, config_text(false), 0644}})) return kFailed;
    std::printf("wrote %s\nrun it: headgate run -c %s\n", config.c_str(), config.c_str());
    return kWell;
  }
  const auto certificate = in_folder(kCertificate);
  const auto key = in_folder(kKey);
  if (!nothing_is_there({config, certificate, key})) return kFailed;
  const auto pair = self_signed(names, options.days);
  if (pair.has_error()) {
    std::fprintf(stderr, "headgate: %s\n", pair.error().c_str());
    return kFailed;
  }
  if (!write_all({{key, pair->key, 0600}, {certificate, pair->certificate, 0644}, {config, config_text(true), 0644}}))
    return kFailed;
  std::printf("wrote %s, %s and %s\n", config.c_str(), certificate.c_str(), key.c_str());
  std::printf("the certificate is for %s; it expires on %s; it signs itself, so use it only for trying\n",
              joined(names, ", ").c_str(), pair->expires.c_str());
  std::printf("run it: headgate run -c %s\nask it: curl --cacert %s https://localhost:8443/\n", config.c_str(),
              certificate.c_str());
  return kWell;
}

}  // namespace headgate::cli
