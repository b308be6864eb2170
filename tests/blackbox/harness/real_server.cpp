#include "blackbox/harness/real_server.hpp"

#include "support/free_port.hpp"

#include <unistd.h>

#include <chrono>
#include <thread>

namespace headgate::test {
namespace {

Words with(Words words, const std::string& last) {
  words.push_back(last);
  return words;
}

}  // namespace

RealServer::RealServer(const std::string& program, const std::function<Words(std::uint16_t port)>& arguments)
    : port_(free_port()), process_(arguments(port_), {}, program) {}

RealServer::RealServer(const std::string& program, Words arguments,
                       const std::function<std::string(std::uint16_t port)>& file)
    : port_(free_port()),
      file_(std::make_unique<TemporaryFile>(file(port_), "server.cfg")),
      process_(with(std::move(arguments), file_->path()), {}, program) {}

bool RealServer::listens() {
  const auto until = std::chrono::steady_clock::now() + kPatience;
  while (process_.runs() && std::chrono::steady_clock::now() < until) {
    if (Socket::connect(port_).is_open()) return true;
    std::this_thread::sleep_for(Milliseconds(5));
  }
  return false;
}

bool installed(const std::string& program) { return ::access(program.c_str(), X_OK) == 0; }

RealServer haproxy(const std::string& bind, std::uint16_t to, const std::string& options) {
  return {kHaproxy, {"-db", "-f"}, [&](std::uint16_t port) {
            return "defaults\n  mode tcp\n  timeout connect 5s\n  timeout client 30s\n  timeout server 30s\n"
                   "listen front\n  bind 127.0.0.1:" +
                   std::to_string(port) + ' ' + bind + "\n  server one 127.0.0.1:" + std::to_string(to) + ' ' +
                   options + '\n';
          }};
}

std::string headless_chromium() {
  for (const char* name : {"/usr/bin/chromium-headless-shell", "/usr/bin/chromium"})
    if (installed(name)) return name;
  return {};
}

RealServer nginx(const std::string& root, const std::string& inside) {
  return {kNginx, {"-p", root, "-e", "stderr", "-c"}, [&](std::uint16_t port) {
            std::string own;
            for (const char* each : {"client_body", "proxy", "fastcgi", "uwsgi", "scgi"})
              own += std::string(each) + "_temp_path " + root + ";\n";
            return "daemon off;\nmaster_process off;\npid " + root +
                   "/nginx.pid;\nevents {}\nhttp {\naccess_log off;\n" + own +
                   "server {\nlisten 127.0.0.1:" + std::to_string(port) + " ssl;\n" + inside + "}\n}\n";
          }};
}

}  // namespace headgate::test
