#include "security/real_server.hpp"

#include <unistd.h>

#include <filesystem>
#include <regex>
#include <thread>

namespace headgate::test {
namespace {

const char* program(RealServer::Kind kind) {
  switch (kind) {
    case RealServer::Kind::nginx:
      return "/usr/sbin/nginx";
    case RealServer::Kind::wsgi:
      return "/usr/bin/python3";
    case RealServer::Kind::lighttpd:
      return "/usr/sbin/lighttpd";
    case RealServer::Kind::node:
      break;
  }
  return "/usr/bin/node";
}

/// One process in the foreground with its own directory.
std::string nginx_configuration(std::uint16_t port) {
  return R"(
daemon off;
master_process off;
pid nginx.pid;
events {}
http {
  access_log off;
  client_body_temp_path body;
  proxy_temp_path proxy;
  fastcgi_temp_path fastcgi;
  uwsgi_temp_path uwsgi;
  scgi_temp_path scgi;
  keepalive_requests 1000000;
  large_client_header_buffers 4 64k;
  server {
    listen 127.0.0.1:)" +
         std::to_string(port) + R"(;
    location / { return 200 "$request_method\n\n$uri"; }
  }
}
)";
}

/// It runs a program for each request, which gets the fields as variables.
std::string lighttpd_configuration(std::uint16_t port) {
  const std::string program = std::string(HEADGATE_SOURCE_DIR) + "/tests/security/servers/cgi.py";
  return R"(
server.modules = ( "mod_alias", "mod_cgi" )
server.document-root = "/nonexistent"
server.bind = "127.0.0.1"
server.port = )" +
         std::to_string(port) + R"(
alias.url = ( "/" => ")" +
         program + R"(/" )
cgi.assign = ( ".py" => "/usr/bin/python3" )
)";
}

/// What makes a server with this configuration on `port` run in the foreground.
Words words_for(RealServer::Kind kind, const std::string& file) {
  if (kind == RealServer::Kind::lighttpd) return {"-D", "-f", file};
  return {"-p", std::filesystem::path(file).parent_path().string(), "-c", file, "-e", "stderr"};
}

}  // namespace

Reading reading_of(const Message& answer) {
  Reading out;
  const auto end = answer.body.find("\n\n");
  if (end == std::string::npos) return out;
  std::string_view lines = std::string_view(answer.body).substr(0, end);
  while (!lines.empty()) {
    const auto line = lines.substr(0, lines.find('\n'));
    lines.remove_prefix(std::min(line.size() + 1, lines.size()));
    const auto colon = line.find(": ");
    if (out.method.empty())
      out.method = line;
    else if (colon != std::string_view::npos)
      out.fields.push_back({std::string(line.substr(0, colon)), std::string(line.substr(colon + 2))});
  }
  std::string_view paths = std::string_view(answer.body).substr(end + 2);
  while (true) {
    const auto nul = paths.find('\0');
    out.paths.emplace_back(paths.substr(0, nul));
    if (nul == std::string_view::npos) return out;
    paths.remove_prefix(nul + 1);
  }
}

std::string RealServer::missing() const {
  return ::access(program(kind_), X_OK) == 0 ? "" : std::string("no ") + program(kind_) + " on this machine";
}

bool RealServer::start() {
  switch (kind_) {
    case Kind::nginx:
    case Kind::lighttpd:
      return start_configured();
    case Kind::wsgi:
      return start_script("wsgi.py");
    case Kind::node:
      break;
  }
  return start_script("node.js");
}

// Another process may take the port before we bind it, so try more than once.
bool RealServer::start_configured() {
  for (int attempt = 0; attempt < 5; ++attempt) {
    port_ = Socket::listen().local_port();
    process_.reset();
    file_ = kind_ == Kind::lighttpd ? std::make_unique<TemporaryFile>(lighttpd_configuration(port_), "lighttpd.conf")
                                    : std::make_unique<TemporaryFile>(nginx_configuration(port_), "nginx.conf");
    process_ = std::make_unique<Process>(words_for(kind_, file_->path()), std::vector<std::string>{}, program(kind_));
    const auto until = std::chrono::steady_clock::now() + kPatience;
    while (process_->runs() && std::chrono::steady_clock::now() < until) {
      if (Socket::connect(port_).is_open()) return true;
      std::this_thread::sleep_for(Milliseconds(5));
    }
  }
  return false;
}

bool RealServer::start_script(const std::string& script) {
  const std::string path = std::string(HEADGATE_SOURCE_DIR) + "/tests/security/servers/" + script;
  process_ = std::make_unique<Process>(Words{path}, std::vector<std::string>{}, program(kind_));
  static const std::regex line(R"(listening on 127\.0\.0\.1:(\d+)\n)");
  std::smatch match;
  std::string text;
  const bool listens = process_->wait_for_err([&](const std::string& err) {
    text = err;
    return std::regex_search(text, match, line);
  });
  if (listens) port_ = static_cast<std::uint16_t>(std::stoul(match[1].str()));
  return listens;
}

std::string to_text(RealServer::Kind kind) {
  switch (kind) {
    case RealServer::Kind::nginx:
      return "nginx";
    case RealServer::Kind::wsgi:
      return "wsgi";
    case RealServer::Kind::lighttpd:
      return "lighttpd";
    case RealServer::Kind::node:
      break;
  }
  return "node";
}

}  // namespace headgate::test
