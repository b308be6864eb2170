#pragma once
// Files of other products that headgate imports, with the product itself beside the translation.

#include "blackbox/harness/gateway.hpp"
#include "blackbox/harness/real_server.hpp"

#include <cstdint>
#include <string>

namespace headgate::test {

std::string put_in_place(std::string text, const std::string& what, const std::string& by);

/// A gateway with the translation of this file.
Json imported_config(const std::string& text, const std::string& name);

/// nginx, and the file that it runs with. `http` is what its "http" block has; it listens at "PORT".
class NginxOriginal {
 public:
  explicit NginxOriginal(const std::string& http);
  RealServer& server() { return server_; }
  Json translation() const;

 private:
  std::string text_;
  TemporaryFile place_{"", "place"};
  RealServer server_;
};

}  // namespace headgate::test
