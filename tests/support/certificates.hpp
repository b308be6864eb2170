#pragma once
// Certificates that a test makes when it runs.

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>

namespace headgate::test {

/// A directory with a certificate authority and certificates that it signed, in PEM. It is removed with this object.
class Certificates {
 public:
  Certificates() {
    std::string name = (std::filesystem::temp_directory_path() / "headgate-certs-XXXXXX").string();
    if (::mkdtemp(name.data()) != nullptr) directory_ = name;
    run("req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=authority -keyout ca.key "
        "-out ca.crt");
  }
  Certificates(const Certificates&) = delete;
  Certificates& operator=(const Certificates&) = delete;
  ~Certificates() {
    std::error_code ignored;
    if (!directory_.empty()) std::filesystem::remove_all(directory_, ignored);
  }

  static bool possible() { return std::system("openssl version >/dev/null 2>&1") == 0; }  // NOLINT(cert-env33-c)

  /// Makes `name`.crt and `name`.key. `for_whom` has OpenSSL's syntax: "DNS:localhost,IP:127.0.0.1". The certificate is
  /// valid for `days` days; with -1 it has expired.
  bool make(const std::string& name, const std::string& for_whom, int days = 2) {
    return run("req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj /CN=" + name + " -keyout " + name +
               ".key -out " + name + ".csr -addext subjectAltName=" + for_whom) &&
           run("x509 -req -in " + name + ".csr -CA ca.crt -CAkey ca.key -CAcreateserial -days " + std::to_string(days) +
               " -copy_extensions copy -out " + name + ".crt");
  }
  std::string path(const std::string& file) const { return directory_ + "/" + file; }

 private:
  bool run(const std::string& words) const {
    const std::string line = "cd " + directory_ + " && openssl " + words + " >/dev/null 2>&1";
    return std::system(line.c_str()) == 0;  // NOLINT(cert-env33-c)
  }
  std::string directory_;
};

}  // namespace headgate::test
